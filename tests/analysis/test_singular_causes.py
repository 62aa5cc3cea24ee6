"""A singular posture is explained by the axes that meet, align or lie in one plane there."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.optimize

import sixvec
from sixvec import Robot
from sixvec.analysis import Singularity, singularity
from sixvec.ik.closed_form.arm_321 import placed
from sixvec.linear import Metric
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.spatial import Pose, Vec3


def ask(robot: Robot, q: object, **options: object) -> Singularity:
    frame = {"ur5e": "tool0", "puma560": "link6"}.get(robot.name, robot.frame_names[-1])
    return singularity(robot, np.asarray(q, float), frame, Metric.from_length(1.0, robot.nv), **options)  # type: ignore[arg-type]


def stretched_puma() -> np.ndarray:
    own = placed(sixvec.load("puma560"), "link6")
    return own.positions([0.3, 0.4, -own.arm.elbow_angle, 0.6, 0.7, 0.8])


def puma_above_its_base() -> np.ndarray:
    own = placed(sixvec.load("puma560"), "link6")
    raised = scipy.optimize.brentq(lambda q2: own.arm.base_offset + own.arm.wrist_reach(q2, 0.9)[0], -2.0, 1.5)
    return own.positions([0.3, raised, 0.9, 0.6, 0.7, 0.8])


WRIST = "the axes of joint4, joint5 and joint6 meet in one point, in the plane of the axes of "


@pytest.mark.covers("KIN-02", "KIN-03")
@pytest.mark.parametrize(
    ("name", "q", "cause"),
    [
        ("puma560", [0.1, 0.8, -1.0, 0.3, 0.0, 0.2], "the axes of joint4 and joint6 coincide"),
        ("puma560", stretched_puma(), WRIST + "joint2 and joint3"),
        ("puma560", puma_above_its_base(), WRIST + "joint1 and joint2"),
        ("ur5e", [0.3, -1.2, 0.0, 0.4, 1.1, 0.2],
         "the axes of shoulder_lift_joint, elbow_joint and wrist_1_joint are parallel and lie in one plane"),
        ("ur5e", [0.3, -1.2, 1.4, 0.4, 0.0, 0.2],
         "the axes of shoulder_lift_joint, elbow_joint, wrist_1_joint and wrist_3_joint are parallel"),
    ],
)  # fmt: skip
def test_textbook_singularities_are_named(name: str, q: object, cause: str) -> None:
    found = ask(sixvec.load(name), q)
    assert found.rank == 5 and found.causes == (cause,) and f"because              {cause}" in str(found)


@pytest.mark.covers("KIN-02", "KIN-03")
def test_six_axes_that_meet_one_line() -> None:
    """A UR with its wrist above the shoulder: no fewer than six axes depend on each other."""
    robot = sixvec.load("ur5e")

    def determinant(lift: float) -> float:
        return float(np.linalg.det(robot.jacobian([0.3, lift, 1.4, 0.4, 1.1, 0.2], "tool0")))

    grid = np.linspace(-3.0, 3.0, 61)
    low, high = next((a, b) for a, b in pairwise(grid) if determinant(a) * determinant(b) < 0.0)
    lift = scipy.optimize.brentq(determinant, low, high, xtol=1e-15)
    (cause,) = ask(robot, [0.3, lift, 1.4, 0.4, 1.1, 0.2]).causes
    assert cause.startswith(f"the axes of {', '.join(robot.joint_names[:-1])} and") and "meet one line" in cause


@pytest.mark.covers("KIN-02", "KIN-03")
def test_two_causes_at_once_are_both_named() -> None:
    x, y, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
    joints = {
        "a": Prismatic(x),
        "turn": Revolute(z),
        "b": Prismatic(x),
        "c": Revolute(x),
        "d": Revolute(y),
        "e": Revolute(x),
    }
    names = list(joints)
    bodies = tuple(Body(n, p, joints[n]) for n, p in zip(names, [None, *names[:-1]], strict=True))
    robot = Robot(Model("two", bodies, (Frame("tip", "e", Pose.translation(Vec3(0.2, 0.3, 0.1))),)))
    found = ask(robot, [0.1, 0.0, 0.2, 0.3, 0.0, 0.4])
    assert (found.rank, found.usual_rank) == (4, 5)  # along z it never moves
    assert found.causes == ("a and b slide in one direction", "the axes of c and e coincide")


@pytest.mark.covers("KIN-02", "KIN-03")
def test_regular_postures_and_structures_have_no_cause() -> None:
    """Joints to spare always depend on each other; that is no reason."""
    for name in ("ur5e", "puma560", "panda"):
        robot = sixvec.load(name)
        for q in robot.random(0, 5):
            assert ask(robot, q).causes == ()


@pytest.mark.covers("KIN-02", "KIN-03")
def test_slides_and_parts_of_a_twist_are_named_by_what_they_do() -> None:
    arm = sixvec.load("planar_2r")
    assert ask(arm, [0.3, 0.0], directions=("vx", "vz")).causes == ("joint1 and joint2 move the task in one direction",)
    x, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0)
    bodies = (Body("a", None, Prismatic(x)), Body("turn", "a", Revolute(z)), Body("b", "turn", Prismatic(x)))
    robot = Robot(Model("slides", bodies, (Frame("tip", "b", Pose.translation(Vec3(0.0, 0.3, 0.0))),)))
    assert ask(robot, [0.1, 0.0, 0.2]).causes == ("a and b slide in one direction",)
    assert ask(robot, [0.1, 0.5, 0.2]).causes == ()
