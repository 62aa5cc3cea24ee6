"""A joint written outside the library works everywhere: nothing asks for the type of a joint."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from random_trees import JOINTS, random_inertia, random_pose
from sixvec import large_trees
from sixvec.algorithms.parts.closure_rows import rows_of
from sixvec.errors import FileFormatError, ModelError
from sixvec.large_trees import LargeTree, constraint_force
from sixvec.large_trees.constraint_force import ArrayChain
from sixvec.model import WORLD, Body, Closure, Frame, Model
from sixvec.model.edits import mirror, reroot
from sixvec.model.joints import Coordinates, Fixed, Joint, Prismatic, Revolute
from sixvec.model.joints.axis import unit, z_to
from sixvec.model.joints.joint import X_AXIS, Y_AXIS, Z_AXIS
from sixvec.model.text_tree import text_tree
from sixvec.spatial import Mat3, Motion, Pose, Rotation, Vec3
from tolerances import IDENTITY, assert_close


@dataclass(frozen=True)
class Table(Joint):
    """Slides on a table by (x, y); the table is level if its normal is vertical."""

    normal: Vec3 = Z_AXIS
    nq = nv = 2
    angular = (False, False)
    freedoms = ("x", "y")
    units = "two lengths (m)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit(self.normal))

    def _axes(self) -> tuple[Vec3, Vec3]:
        R = z_to(self.normal)
        return R @ X_AXIS, R @ Y_AXIS

    def pose(self, q: Coordinates) -> Pose:
        x, y = self._axes()
        return Pose(Rotation.identity(), x * q[0] + y * q[1])

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        return tuple(Motion(Vec3.zero(), u) for u in self._axes())

    def elementary(self) -> tuple[tuple[Pose, Joint], ...]:
        x, y = (Pose(z_to(u), Vec3.zero()) for u in self._axes())
        return (x, Prismatic()), (x.inv() @ y, Prismatic()), (y.inv(), Fixed())


def arm(split: bool) -> Model:
    """A link on a table and two more links; with `split` the table is made of two prismatic joints."""
    rng = np.random.default_rng(5)
    placement, normal = random_pose(rng), Vec3(0.6, 0.0, 0.8)
    inertias = [random_inertia(rng) for _ in range(3)]
    if split:
        x, y = Table(normal)._axes()
        base = [Body("first", WORLD, Prismatic(x), placement), Body("sled", "first", Prismatic(y), inertia=inertias[0])]
    else:
        base = [Body("sled", WORLD, Table(normal), placement, inertias[0])]
    links = [
        Body("upper", "sled", Revolute(Y_AXIS), random_pose(rng), inertias[1]),
        Body("lower", "upper", Revolute(X_AXIS), random_pose(rng), inertias[2]),
    ]
    return Model("arm", (*base, *links), (Frame("tool", "lower", Pose.translation(Vec3(0.1, 0.2, 0.3))),))


NEW, SPLIT = sv.Robot(arm(split=False)), sv.Robot(arm(split=True))
STATE = tuple(np.random.default_rng(1).normal(size=(3, 6, 4)))


@pytest.mark.parametrize(
    "name", ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives", "hybrid_dynamics"]
)
def test_dynamics_of_a_new_joint_are_those_of_the_joints_it_is_made_of(name: str) -> None:
    arrays = [*STATE, STATE[0]][: len(sv.algorithms.REGISTRY[name].arrays)]
    for ours, theirs in zip(_parts(getattr(NEW, name)(*arrays)), _parts(getattr(SPLIT, name)(*arrays)), strict=True):
        assert_close(ours, theirs, IDENTITY, batched=False)


def _parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def test_a_new_joint_moves_in_rollouts_searches_and_large_trees() -> None:
    q, v, tau = STATE
    motion, same = (robot.rollout(q, v, tau[:, None].repeat(20, 1), dt=1e-3) for robot in (NEW, SPLIT))
    assert_close(motion.q, same.q, IDENTITY, batched=False)
    pose = NEW.pose(q[0], "tool")
    solution = NEW.ik(pose, "tool", q0=q[0] + 0.05)
    assert solution.solved
    assert_close(NEW.pose(solution.q, "tool"), pose, 1e-6, batched=False)
    a = NEW.forward_dynamics(q, v, tau)
    assert_close(large_trees.forward_dynamics(LargeTree.from_model(NEW.model), q[0], v[0], tau[0]), a[0], 1e-9)
    assert_close(constraint_force.forward_dynamics(ArrayChain.from_model(NEW.model), q, v, tau), a, 1e-9)


def test_a_new_joint_closes_loops() -> None:
    """The table under the tip of a planar arm keeps its height and its direction: four equations."""
    bodies = [
        Body("first", WORLD, Revolute(Y_AXIS)),
        Body("second", "first", Revolute(Y_AXIS), Pose.translation(Vec3(0.0, 0.0, -1.0))),
        Body("foot", "second", Revolute(Y_AXIS), Pose.translation(Vec3(0.0, 0.0, -1.0))),
    ]
    inertia = random_inertia(np.random.default_rng(7))
    solid = tuple(replace(b, inertia=inertia) for b in bodies)
    frames = (Frame("floor", WORLD, Pose.translation(Vec3(0.0, 0.0, -1.6))), Frame("sole", "foot"))
    robot = sv.Robot(Model("leg", solid, frames, closures=(Closure("contact", "floor", "sole", Table()),)))
    assert sum(c.constraints for c in robot.model.closures) == 4
    q = robot.assemble(np.array([0.6, -1.2, 0.6])).q
    assert abs(robot.closure_error(q)).max() < 1e-9
    a = robot.forward_dynamics(q, np.zeros(3), np.zeros(3))
    assert abs(robot.constraint_jacobian(q) @ a).max() < 1e-9


def test_functions_that_do_not_know_a_new_joint_name_it(tmp_path: Any) -> None:
    with pytest.raises(ModelError, match="table"):
        mirror(NEW.model)
    with pytest.raises(ModelError, match="table"):
        reroot(Model("sled", (Body("base"), Body("sled", "base", Table()))), "sled")
    for suffix in (".urdf", ".xml", ".sdf"):
        with pytest.raises((ModelError, FileFormatError), match=r"(?i)table"):
            sv.save(NEW, tmp_path / f"arm{suffix}")
    assert "table" in text_tree(NEW.model)


every_joint = pytest.mark.parametrize("kind", JOINTS)


@every_joint
def test_the_reversed_joint_undoes_the_joint(kind: str) -> None:
    rng = np.random.default_rng(2)
    joint = JOINTS[kind](rng)
    backwards = joint.reversed()
    q = joint.integrate(joint.neutral(), rng.normal(size=joint.nv))
    if backwards is not None:
        assert_close(_matrix(backwards.pose(q)) @ _matrix(joint.pose(q)), np.eye(4), IDENTITY, batched=False)


@every_joint
def test_the_mirrored_joint_is_the_reflection_of_the_joint(kind: str) -> None:
    rng = np.random.default_rng(3)
    joint = JOINTS[kind](rng)
    n = Vec3.of(unit(Vec3(*rng.normal(size=3))))
    H = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) - Mat3.outer(n, n) * 2.0
    image = joint.mirrored(H)
    q = joint.integrate(joint.neutral(), rng.normal(size=joint.nv))
    if image is not None:
        reflection = np.eye(4)
        reflection[:3, :3] = [[*row] for row in H.rows]
        expected = reflection @ _matrix(joint.pose(q)) @ reflection
        assert_close(_matrix(image.pose(q)), expected, IDENTITY, batched=False)


@every_joint
def test_a_periodic_coordinate_returns_to_the_same_pose_after_a_turn(kind: str) -> None:
    rng = np.random.default_rng(4)
    joint = JOINTS[kind](rng)
    q = np.array(joint.integrate(joint.neutral(), rng.normal(size=joint.nv)), float)
    assert len(joint.periodic) == joint.nq
    for k, periodic in enumerate(joint.periodic):
        if joint.quaternion is None:
            turned = _matrix(joint.pose(q + 2.0 * np.pi * np.eye(joint.nq)[k]))
            assert np.allclose(turned, _matrix(joint.pose(q)), atol=1e-12) == periodic


@every_joint
def test_a_joint_prevents_as_many_motions_as_it_does_not_allow(kind: str) -> None:
    rng = np.random.default_rng(6)
    joint = JOINTS[kind](rng)
    rows = rows_of(joint)
    assert len(rows) == 6 - joint.nv
    X = joint.pose(joint.integrate(joint.neutral(), 0.3 * rng.normal(size=joint.nv)))
    units = [Motion.of(row) for row in np.eye(6)]
    assert np.linalg.matrix_rank([[row.rate(X, V) for V in units] for row in rows] or np.zeros((0, 6))) == len(rows)


def _matrix(X: Pose) -> Any:
    return np.array(X.as_matrix(), float)
