"""A joint written outside the library works everywhere: nothing asks for the type of a joint."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
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
    """Slides along two directions.  It has every optional member."""

    first: Vec3 = X_AXIS
    second: Vec3 = Y_AXIS
    nq = nv = 2
    angular = (False, False)
    freedoms = ("x", "y")
    units = "two lengths (m)"

    def pose(self, q: Coordinates) -> Pose:
        return Pose(Rotation.identity(), self.first * q[0] + self.second * q[1])

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        return Motion(Vec3.zero(), self.first), Motion(Vec3.zero(), self.second)

    def elementary(self) -> tuple[tuple[Pose, Joint], ...]:
        first, second = (Pose(z_to(u), Vec3.zero()) for u in (self.first, self.second))
        return (first, Prismatic()), (first.inv() @ second, Prismatic()), (second.inv(), Fixed())

    def reversed(self) -> Joint:
        return Table(-self.first, -self.second)

    def mirrored(self, H: Mat3) -> Joint:
        return Table(H @ self.first, H @ self.second)


@dataclass(frozen=True)
class Polar(Joint):
    """Turns about z, then slides along the turned x: its subspace depends on q.  It has no optional member."""

    nq = nv = 2
    angular = (True, False)

    def pose(self, q: Coordinates) -> Pose:
        R = Revolute(Z_AXIS).pose([q[0]]).rot
        return Pose(R, R @ (X_AXIS * q[1]))

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        return Motion(Z_AXIS, Y_AXIS * q[1]), Motion(Vec3.zero(), X_AXIS)

    def bias(self, q: Coordinates, v: Coordinates) -> Motion:
        return Motion(Vec3.zero(), Y_AXIS * (v[0] * v[1]))

    def elementary(self) -> tuple[tuple[Pose, Joint], ...]:
        x = Pose(z_to(X_AXIS), Vec3.zero())
        return (Pose.identity(), Revolute()), (x, Prismatic()), (x.inv(), Fixed())


OBLIQUE = Table(unit(Vec3(0.6, 0.1, 0.8)), unit(Vec3(-0.3, 0.9, 0.2)))
PARTS: dict[Joint, tuple[Joint, Joint]] = {
    OBLIQUE: (Prismatic(OBLIQUE.first), Prismatic(OBLIQUE.second)),
    Polar(): (Revolute(Z_AXIS), Prismatic(X_AXIS)),
}
"""New joints, and two joints of the library that move the same way."""


def arm(*joints: Joint) -> Model:
    """A link on these joints and two more links."""
    rng = np.random.default_rng(5)
    placement, inertias = random_pose(rng), [random_inertia(rng) for _ in range(3)]
    *inner, last = joints
    base = [Body("inner", WORLD, joint, placement) for joint in inner]
    parent, at = ("inner", Pose.identity()) if inner else (WORLD, placement)
    links = [
        Body("sled", parent, last, at, inertias[0]),
        Body("upper", "sled", Revolute(Y_AXIS), random_pose(rng), inertias[1]),
        Body("lower", "upper", Revolute(X_AXIS), random_pose(rng), inertias[2]),
    ]
    return Model("arm", (*base, *links), (Frame("tool", "lower", Pose.translation(Vec3(0.1, 0.2, 0.3))),))


PAIRS = {joint.kind: (sv.Robot(arm(joint)), sv.Robot(arm(*parts))) for joint, parts in PARTS.items()}
STATE = tuple(np.random.default_rng(1).normal(size=(3, 6, 4)))
new_joints = pytest.mark.parametrize("kind", PAIRS)


def _parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


@new_joints
@pytest.mark.parametrize(
    "name",
    [
        "inverse_dynamics", "forward_dynamics", "hybrid_dynamics", "mass_matrix", "coriolis_matrix",
        "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "center_of_mass_jacobian", "kinetic_energy",
    ],
)  # fmt: skip
def test_results_of_a_new_joint_are_those_of_the_joints_it_is_made_of(kind: str, name: str) -> None:
    arrays = [*STATE, STATE[0]][: len(sv.algorithms.REGISTRY[name].arrays)]
    ours, theirs = (_parts(getattr(robot, name)(*arrays)) for robot in PAIRS[kind])
    for mine, same in zip(ours, theirs, strict=True):
        assert_close(mine, same, IDENTITY, batched=False)


@new_joints
def test_a_new_joint_moves_in_rollouts_searches_and_large_trees(kind: str) -> None:
    robot, other = PAIRS[kind]
    q, v, tau = STATE
    motion, same = (r.rollout(q, v, tau[:, None].repeat(20, 1), dt=1e-3) for r in (robot, other))
    assert_close(motion.q, same.q, IDENTITY, batched=False)
    pose = robot.pose(q[0], "tool")
    solution = robot.ik(pose, "tool", q0=q[0] + 0.05)
    assert solution.solved
    assert_close(robot.pose(solution.q, "tool"), pose, 1e-6, batched=False)
    a = robot.forward_dynamics(q, v, tau)
    assert_close(large_trees.forward_dynamics(LargeTree.from_model(robot.model), q[0], v[0], tau[0]), a[0], 1e-9)
    if kind == "polar":
        with pytest.raises(ModelError, match="sled"):  # its subspace changes by a translation
            ArrayChain.from_model(robot.model)
        return
    assert_close(constraint_force.forward_dynamics(ArrayChain.from_model(robot.model), q, v, tau), a, 1e-9)


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


def test_a_new_joint_that_describes_its_reflection_and_reverse_can_be_mirrored_and_rerooted() -> None:
    robot, other = PAIRS["table"]
    image, same = (sv.Robot(mirror(r.model)) for r in (robot, other))
    assert_close(image.pose(STATE[0], "tool"), same.pose(STATE[0], "tool"), IDENTITY, batched=False)
    assert_close(image.forward_dynamics(*STATE), same.forward_dynamics(*STATE), IDENTITY, batched=False)
    sled = Model("sled", (Body("base"), Body("sled", "base", OBLIQUE)))
    q = STATE[0][:, :2]
    forth, back = sv.Robot(sled).pose(q, "sled"), sv.Robot(reroot(sled, "sled")).pose(q, "base")
    assert_close(forth @ back, np.broadcast_to(np.eye(4), (len(q), 4, 4)), IDENTITY, batched=False)


def test_edits_that_need_an_optional_member_name_the_joint_without_it() -> None:
    with pytest.raises(ModelError, match="polar"):
        mirror(PAIRS["polar"][0].model)
    with pytest.raises(ModelError, match="polar"):
        reroot(Model("sled", (Body("base"), Body("sled", "base", Polar()))), "sled")


@new_joints
@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".sdf"])
def test_files_without_an_element_for_a_new_joint_name_it(kind: str, suffix: str, tmp_path: Path) -> None:
    with pytest.raises((ModelError, FileFormatError), match=rf"(?i)\b{kind}\b"):
        sv.save(PAIRS[kind][0], tmp_path / f"arm{suffix}")
    assert not [*tmp_path.iterdir()]


@new_joints
def test_the_tree_in_text_names_a_new_joint(kind: str) -> None:
    assert kind in text_tree(PAIRS[kind][0].model)


@new_joints
def test_sliders_of_the_viewer_move_a_new_joint(kind: str) -> None:
    pytest.importorskip("viser")
    robot, _ = PAIRS[kind]
    viewer = robot.view(port=0, browser=False)
    try:
        panel = viewer.robots[0]
        labels = [slider.label for slider, body, _ in panel._sliders if body.name == "sled"]
        assert len({*labels}) == len(labels) == 2
        for k, slider in enumerate(slider for slider, _, _ in panel._sliders[:2]):
            slider.value = 0.25 + k
            panel._slid(robot.model.by_name["sled"], k, 0.25 + k)
        assert_close(panel.q, np.array([0.25, 1.25, 0.0, 0.0]), IDENTITY, batched=False)
    finally:
        viewer.close()


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
