"""A robot that is a 321 structure becomes one, wherever its base, hand and zero angles are; others say why not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from sixvec import Robot
from sixvec.errors import DegenerateError
from sixvec.ik.closed_form import SerialChain
from sixvec.ik.closed_form.arm_321 import Arm321, forward_position, inverse_position, placed
from sixvec.ik.closed_form.arm_321.placed import MEETING, _reason, common_point
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Motion, Pose, Rotation, Vec3
from tolerances import assert_close

OWN = Arm321(0.7, 0.6, 0.5, 0.15, base_offset=0.12, shoulder_offset=-0.08, elbow_offset=0.05)


def matrix(X: Pose) -> np.ndarray:
    return np.array(X.as_matrix(), float)


def disguised(arm: Arm321, seed: int) -> Robot:
    """The same structure on another base, with another tool, other zero angles, and some axes the other way round."""
    rng = np.random.default_rng(seed)
    bodies: list[Body] = []
    for b in arm.model().bodies:
        if not b.joint.nv:
            bodies.append(replace(b, placement=Pose.exp(Motion.of(rng.normal(size=6).tolist()))))
            continue
        axis, flip = b.joint.axis, float(rng.choice([-1.0, 1.0]))
        zero = Pose(Rotation.about(axis, float(rng.uniform(-3.0, 3.0))), Vec3.zero())
        bodies.append(replace(b, joint=Revolute(axis * flip), placement=b.placement @ zero))
    tool = Pose.exp(Motion.of(rng.normal(size=6).tolist()))
    return Robot(Model("disguised", tuple(bodies), (Frame("hand", bodies[-1].name, tool),)))


@pytest.mark.covers("FORM-03", "FORM-04")
@pytest.mark.parametrize("robot", [Robot(OWN.model()), sixvec.load("puma560"), *(disguised(OWN, k) for k in range(4))])
def test_the_structure_moves_as_the_robot(robot: Robot) -> None:
    frame = robot.frame_names[-1]
    found = placed(robot, frame)
    q = np.random.default_rng(0).uniform(-3.0, 3.0, (10, 6))
    for one, angles in zip(q, found.angles(q), strict=True):
        X = matrix(found.base) @ matrix(forward_position(found.arm, tuple(angles))) @ matrix(found.tool)
        assert_close(X, robot.pose(one, frame), 1e-12, batched=False)
    assert_close(found.positions(found.angles(q)), q, 1e-12)
    # All closed-form solutions are the robot's.
    hand = np.linalg.inv(matrix(found.base)) @ robot.pose(q[0], frame) @ np.linalg.inv(matrix(found.tool))
    solutions = [s for s in inverse_position(found.arm, Pose.from_matrix(hand.tolist())) if s.verdict == 0.0]
    assert len(solutions) >= 2
    for s in solutions:
        assert np.abs(robot.pose(found.positions(s.q), frame) - robot.pose(q[0], frame)).max() < 1e-9


@pytest.mark.covers("FORM-03", "FORM-04")
def test_lengths_come_back() -> None:
    back = Arm321.from_robot(Robot(OWN.model()), "tool")
    for name in Arm321.__slots__:
        assert getattr(back, name) == pytest.approx(getattr(OWN, name), abs=1e-12)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"link4": Pose.translation(Vec3(0.0, 0.05, 0.5)), "link5": Pose.translation(Vec3(0.0, 0.02, 0.0))},
         "joint4, joint5 and joint6"),
        ({"link3": Pose(Rotation.about_y(0.1), Vec3(0.0, 0.0, 0.6))}, "joint2 and joint3"),
        ({"link2": Pose(Rotation.about_y(0.1), Vec3(0.0, 0.0, 0.7))}, "joint1 and joint2"),
        ({"link3": Pose.translation(Vec3(0.1, 0.0, 0.0))}, "upper arm"),
        ({"link4": Pose.translation(Vec3(0.0, 0.5, 0.0))}, "forearm"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(change: dict[str, Pose], why: str) -> None:
    model = OWN.model()
    bodies = tuple(replace(b, placement=change.get(b.name, b.placement)) for b in model.bodies)
    with pytest.raises(DegenerateError, match=why):
        Arm321.from_robot(Robot(replace(model, bodies=bodies)), "tool")


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e7])
def test_structures_of_any_size(scale: float) -> None:
    """What meets, coincides or is beside is measured in sizes of the arm."""
    chain = SerialChain.of(sixvec.load("puma560").model, "link6")
    chain = replace(chain, points=scale * chain.points, tool_pos=scale * chain.tool_pos)
    assert _reason(chain) == ""
    for factor, there in ((0.1, False), (10.0, True)):
        points = chain.points.copy()
        shift = chain.points[2] - chain.points[1]
        across = shift - chain.axes[1] * (chain.axes[1] @ shift)
        points[2:] -= across * (1.0 - factor * MEETING * chain.size / np.linalg.norm(across))
        assert ("upper arm" in _reason(replace(chain, points=points))) == (not there)
        points = chain.points.copy()
        center = common_point(chain, (3, 4, 5))
        assert center is not None
        ahead = float((center - chain.points[2]) @ chain.axes[3])
        points[3:] -= chain.axes[3] * (ahead - factor * MEETING * chain.size)
        assert ("forearm" in _reason(replace(chain, points=points))) == (not there)
