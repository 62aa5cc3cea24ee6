"""Rows of laws and followers as forces at coordinates, and the body on which they have no effect."""

from __future__ import annotations

import pytest

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.constraint_wrenches import RowWrench, _carrier, follower_wrenches, row_wrenches
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.model import WORLD, Body, Frame, Mimic, Model
from sixvec.model.joints import Fixed, Prismatic, Revolute
from sixvec.spatial import Force, Pose, Vec3

PARENTS = {"a": WORLD, "b": "a", "c": "b", "d": "b", "e": WORLD}
TREE = Model("tree", tuple(Body(name, parent, Revolute()) for name, parent in PARENTS.items()))


@pytest.mark.parametrize(
    ("bodies", "carrier"),
    [("cd", "b"), ("cb", "a"), ("ca", WORLD), ("ce", WORLD), ("cdb", "a"), ("c", "b"), ("bb", "a"), ("dc", "b")],
)
def test_the_outermost_body_that_carries_the_joints(bodies: str, carrier: str | None) -> None:
    assert _carrier(TREE, *bodies) == carrier


def test_followers_push_against_their_leaders() -> None:
    """c follows b three times as fast, d half as fast the other way; e is free, a before both."""
    mimics = {"c": Mimic("b", 3.0), "d": Mimic("b", -0.5, 0.2)}
    tied = Model("tied", tuple(Body(n, p, Revolute(), mimic=mimics.get(n)) for n, p in PARENTS.items()))
    assert follower_wrenches(tied) == [
        RowWrench(at={2: 1.0, 1: -3.0}, meets="a"),
        RowWrench(at={3: 1.0, 1: 0.5}, meets="a"),
    ]
    assert follower_wrenches(TREE) == []


def test_held_frames_push_on_their_bodies_where_they_are() -> None:
    """A frame at (0, 2, 0) of a slide: a unit force along x is a moment of -2 about z; on the world it does nothing."""
    frames = (Frame("there", "slide", Pose.translation(Vec3(0.0, 2.0, 0.0))), Frame("ground", WORLD, Pose.identity()))
    model = Model("slide", (Body("slide", joint=Prismatic(Vec3(0.0, 0.0, 1.0))), Body("lid", "slide", Fixed())), frames)
    q = JointVector([0.3], model.q_slices)
    hold = held_frames(model, {"there": ("x", "turn world y"), "ground": ("x", "z")})
    x, turn, none, too = row_wrenches(model, q, hold)
    assert x == RowWrench({"slide": Force(Vec3(0.0, 0.0, -2.0), Vec3(1.0, 0.0, 0.0))}, {}, WORLD)
    assert [*turn.on["slide"]] == [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert none == too == RowWrench()
