"""Joints that move together on one body keep the articulated recursion: its answers, and that its cost is linear."""

from __future__ import annotations

import numpy as np
import pytest

from random_trees import random_inertia, random_pose
from sixvec import Robot
from sixvec.algorithms.parts.joint_groups import joint_groups
from sixvec.model import Body, JointDynamics, Mimic, Model
from sixvec.model.canonical import canonical
from sixvec.model.edits import Rotor, with_rotor
from sixvec.model.joints import Free, Helical, Joint, Prismatic, Revolute, Spherical
from sixvec.spatial import Vec3
from tolerances import SOLVED, assert_close


def _body(
    name: str, parent: str | None, joint: Joint, mimic: Mimic | None = None, armature: tuple[float, ...] = ()
) -> Body:
    rng = np.random.default_rng(sum(map(ord, name)))
    own = JointDynamics(armature=armature)
    return Body(name, parent, joint, random_pose(rng), random_inertia(rng), f"{name} joint", dynamics=own, mimic=mimic)


def _gripper(base: Joint, parent: str | None) -> Robot:
    """Two fingers with tips of their own on a palm, a third that leads nobody, followers before and after a leader."""
    return Robot(
        Model(
            "gripper",
            (
                _body("palm", None, base),
                _body("early", parent, Revolute(Vec3(0.0, 1.0, 0.0)), Mimic("left", -0.7, 0.2)),
                _body("left", parent, Prismatic(Vec3(1.0, 0.0, 0.0)), armature=(0.3,)),
                _body("right", parent, Prismatic(Vec3(-1.0, 0.0, 0.0)), Mimic("left", 1.3), armature=(0.2,)),
                _body("screw", parent, Helical(Vec3(0.0, 0.0, 1.0), 0.1), Mimic("right", 2.0)),
                _body("left tip", "left", Spherical()),
                _body("right tip", "right", Revolute(Vec3(0.0, 0.6, 0.8))),
                _body("thumb", "early", Revolute(Vec3(1.0, 0.0, 0.0))),
            ),
        )
    )


def _geared(links: int) -> Robot:
    """A chain whose every joint is driven by a rotor on the link before it."""
    names = [f"link{i}" for i in range(links)]
    axes = [Vec3(0.0, 0.0, 1.0), Vec3(0.0, 1.0, 0.0)]
    bodies = [_body(n, p, Revolute(axes[i % 2])) for i, (n, p) in enumerate(zip(names, [None, *names], strict=False))]
    model, rng = Model("geared", tuple(bodies)), np.random.default_rng(0)
    for name in names:
        model = with_rotor(model, f"{name} joint", Rotor(1e-3, 20.0, random_pose(rng), mass=0.2, transverse=5e-4))
    return Robot(model)


ROBOTS = {
    "on a turning palm": lambda: _gripper(Revolute(Vec3(0.0, 0.0, 1.0)), "palm"),
    "on a floating palm": lambda: _gripper(Free(), "palm"),
    "on the ground": lambda: _gripper(Revolute(Vec3(0.0, 0.0, 1.0)), None),
    "rotors": lambda: _geared(4),
}


@pytest.fixture(params=ROBOTS)
def robot(request: pytest.FixtureRequest) -> Robot:
    return ROBOTS[request.param]()


def _state(robot: Robot) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [robot.random(rng), *rng.normal(size=(3, robot.nv))]


def test_these_groups_stand_side_by_side(robot: Robot) -> None:
    joints = joint_groups(canonical(robot.model))
    assert joints.side_by_side and any(len(g.bodies) > 1 for g in joints.groups)
    assert sorted(i for g in joints.groups for i in g.at) == list(range(robot.nv))


@pytest.mark.every(2)
def test_forward_dynamics_solves_the_equation_of_motion(robot: Robot) -> None:
    q, v, _, tau = _state(robot)
    a = robot.forward_dynamics(q, v, tau)
    expected = np.linalg.solve(robot.mass_matrix(q), tau - robot.bias_forces(q, v))
    assert_close(a, expected, SOLVED)
    assert_close(robot.inverse_dynamics(q, v, a), tau, SOLVED)


@pytest.mark.every(2)
def test_hybrid_dynamics_prescribes_leaders(robot: Robot) -> None:
    q, v, a, tau = _state(robot)
    groups = [g for g in joint_groups(canonical(robot.model)).groups if len(g.bodies) > 1]
    for known in ([*groups[0].at], [i for i in range(robot.nv) if i not in groups[0].at], [], [*range(robot.nv)]):
        found = robot.hybrid_dynamics(q, v, a, tau, prescribed=tuple(known))
        free = [i for i in range(robot.nv) if i not in known]
        assert np.array_equal(found.a[known], a[known])
        assert np.array_equal(found.tau[free], tau[free])
        assert_close(robot.inverse_dynamics(q, v, found.a), found.tau, SOLVED)


def test_external_wrenches_on_followers() -> None:
    robot = _gripper(Free(), "palm")
    q, v, _, tau = _state(robot)
    wrench = {"right": [0.3, -0.2, 0.5, 2.0, 1.0, -3.0]}
    a = robot.forward_dynamics(q, v, tau, external=wrench)
    assert_close(robot.inverse_dynamics(q, v, a, external=wrench), tau, SOLVED)


def test_rotors_keep_the_cost_linear() -> None:
    def operations(links: int, name: str) -> int:
        count = _geared(links).kernel(name).count()
        return count["mul"] + count["add"]

    for name in ("forward_dynamics", "hybrid_dynamics"):
        small, middle, large = (operations(n, name) for n in (4, 8, 12))
        assert large - middle == pytest.approx(middle - small, rel=0.05)


def test_a_follower_elsewhere_is_solved_in_blocks() -> None:
    bodies = (
        _body("a", None, Revolute()),
        _body("b", "a", Revolute(Vec3(0.0, 1.0, 0.0))),
        _body("c", "b", Revolute(Vec3(1.0, 0.0, 0.0)), Mimic("a", 2.0)),
    )
    robot = Robot(Model("distant", bodies))
    assert not joint_groups(canonical(robot.model)).side_by_side
    q, v, _, tau = _state(robot)
    assert_close(robot.inverse_dynamics(q, v, robot.forward_dynamics(q, v, tau)), tau, SOLVED)
