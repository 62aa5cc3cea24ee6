"""One matrix, two readings."""

from __future__ import annotations

from typing import Any

import pytest
from geometry_kinds import lines, near, points, poses, screws, vectors
from hypothesis import given, settings

from naming import named
from sixvec.errors import FrameError
from sixvec.geometry.active_passive import displaced, displaced_in_source, displaced_in_target, seen_from_target
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.geometry.screw import Screw
from sixvec.spatial import Pose, Vec3
from sixvec.spatial.tagged import Tagged, TaggedPose

few = settings(deadline=None, max_examples=40)


def _in(frame: str, value: Any) -> Tagged[Any]:
    return Tagged(value, frame, frame)


@pytest.mark.covers("GEO-18")
@few
@given(points, lines, screws, poses())
def test_same_numbers_other_meaning(p: Point, line: Line, s: Screw, X: Pose) -> None:
    X_AB = TaggedPose(X, "A", "B")
    for thing in (p, line, s):
        passive, active = seen_from_target(X_AB, _in("B", thing)), displaced(X_AB, _in("A", thing))
        assert passive == active  # the matrix is the same …
        # … but the passive result is the old thing: back in B it has its old coordinates,
        near(seen_from_target(X_AB.inv(), passive).value, thing, 1e3)
        # and the active result is a new thing, which stands to B as the old one stood to A.
        near(seen_from_target(X_AB.inv(), active).value, thing, 1e3)
        near(displaced(TaggedPose(X.inv(), "A", "B"), active).value, thing, 1e3)


@pytest.mark.covers("GEO-18")
@few
@given(points, points, vectors, poses())
def test_free_vectors_turn_in_both_readings(p: Point, q: Point, v: Vec3, X: Pose) -> None:
    X_AB = TaggedPose(X, "A", "B")
    near(displaced(X_AB, Tagged(v, "A")).value, X.rot @ v, 10.0)
    near((X_AB @ Tagged(v, "B")).value, X.rot @ v, 10.0)
    moved_p, moved_q = displaced(X_AB, _in("A", p)).value, displaced(X_AB, _in("A", q)).value
    near(moved_q - moved_p, displaced(X_AB, Tagged(q - p, "A")).value, 100.0)


@pytest.mark.covers("GEO-18")
def test_the_wrong_frame_names_both_sides() -> None:
    X = TaggedPose(Pose.translation(Vec3(1.0, 0.0, 0.0)), "A", "B")
    with pytest.raises(FrameError, match=named("Point[axes B, point B]", "Pose[of B in A]")):
        displaced(X, _in("B", Point.origin()))
    with pytest.raises(FrameError, match=named("Pose[of B in A]", "B", "Point[axes A, point A]")):
        seen_from_target(X, _in("A", Point.origin()))
    for axes, point in (("A", "B"), ("B", "A"), ("B", None)):  # either tag alone may be the wrong one
        with pytest.raises(FrameError, match=named("A")):
            displaced(X, Tagged(Vec3(1.0, 0.0, 0.0), axes, point))
    with pytest.raises(FrameError, match="Point"):
        displaced(X, Point.origin())  # type: ignore[arg-type]


@pytest.mark.covers("GEO-18")
@few
@given(poses(), poses(), points)
def test_displacements_given_in_the_world_or_in_the_body(X: Pose, D: Pose, p: Point) -> None:
    X_AB = TaggedPose(X, "A", "B")
    fixed_to_body = _in("B", p)
    in_world = displaced_in_target(X_AB, D)
    near((in_world @ fixed_to_body).value, D @ (X @ p), 1e3)
    in_body = displaced_in_source(X_AB, D)
    near((in_body @ fixed_to_body).value, X @ (D @ p), 1e3)
    # They are the same displacement, written in either frame: D_A = X D_B X⁻¹.
    in_A = X @ D @ Pose(X.inv().rot, X.inv().pos)
    near((displaced_in_target(X_AB, in_A) @ fixed_to_body).value, (in_body @ fixed_to_body).value, 1e4)
