"""Angles that differ by whole turns, middles of ranges, chords: small numbers by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sixvec import Robot
from sixvec.ik.inputs import angle_left, middle
from sixvec.ik.whole_turns import towards_limits, wrapped
from sixvec.model import Body, Limits, Model
from sixvec.model.joints import Helical, Prismatic, Revolute, Spherical
from tolerances import IDENTITY, assert_close

TURN = 2.0 * np.pi
JOINTS = {
    "free": (Revolute(), Limits()),
    "above": (Revolute(), Limits((1.0,), (np.inf,))),
    "below": (Revolute(), Limits((-np.inf,), (-1.0,))),
    "between": (Revolute(), Limits((3.0,), (13.0,))),
    "slide": (Prismatic(), Limits()),
    "screw": (Helical(pitch=0.1), Limits()),
    "ball": (Spherical(), Limits()),
}


@pytest.fixture(scope="module")
def robot() -> Robot:
    names = list(JOINTS)
    parents = [None, *names]
    return Robot(
        Model(
            "turns", tuple(Body(n, p, JOINTS[n][0], limits=JOINTS[n][1]) for n, p in zip(names, parents, strict=False))
        )
    )


def position(robot: Robot, **given: float) -> np.ndarray:
    """The neutral position, with other numbers for some joints."""
    q = np.array(robot.neutral(), float)
    for name, x in given.items():
        q[robot.model.q_slices[name]] = x
    return q


def test_only_angles_without_limits_are_wrapped(robot: Robot) -> None:
    far = dict.fromkeys(("free", "above", "below", "between", "slide", "screw"), 20.0)
    found = wrapped(robot, np.stack([position(robot, **far), -position(robot, **far)]))
    expected = position(robot, **{**far, "free": 20.0 - 3.0 * TURN})
    assert_close(found, np.stack([expected, -expected]), IDENTITY, batched=False)


@pytest.mark.parametrize(
    ("joint", "center"), [("free", 0.0), ("above", 1.0 + np.pi), ("below", -1.0 - np.pi), ("between", 8.0)]
)
def test_angles_come_next_to_the_middle_of_their_range(robot: Robot, joint: str, center: float) -> None:
    """With one limit, the range is the turn next to it."""
    for offset in (-3.1, -1.0, 0.0, 2.0, 3.1):
        for turns in (-2, 0, 1, 5):
            q = position(robot, **{joint: center + offset + turns * TURN})
            found = towards_limits(robot, q)[robot.model.q_slices[joint]]
            assert_close(found, [center + offset], IDENTITY, batched=False)


def test_slides_screws_and_balls_have_no_turns(robot: Robot) -> None:
    q = position(robot, slide=20.0, screw=-20.0)
    others = ("slide", "screw", "ball")
    found = towards_limits(robot, q)
    assert all((found[robot.model.q_slices[n]] == q[robot.model.q_slices[n]]).all() for n in others)


def test_the_middle_is_between_two_limits_and_as_near_to_neutral_as_one_allows(robot: Robot) -> None:
    found = middle(robot, robot.lower, robot.upper)
    assert found.tolist() == position(robot, above=1.0, below=-1.0, between=8.0).tolist()


def test_the_angle_of_a_chord() -> None:
    theta = np.array([0.0, 1e-9, 0.3, 2.0, np.pi])
    assert_close(angle_left(4.0 * np.sin(theta / 2.0) ** 2), theta, IDENTITY, batched=False)
    assert angle_left(-1.0) == 0.0 and angle_left(5.0) == pytest.approx(np.pi)
