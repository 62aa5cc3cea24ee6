"""Passive and active use of a pose: a change of coordinates, or a displacement in the same frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from sixvec.errors import FrameError
from sixvec.spatial.pose import Pose
from sixvec.spatial.tagged import Tagged, TaggedPose

T = TypeVar("T")


def seen_from_target(X: TaggedPose, thing: Tagged[T]) -> Tagged[T]:
    """Passive, X_AB y_B = y_A: the same object in the coordinates of A instead of B.  Equal to `X @ thing`.

    >>> from sixvec.geometry import Point, seen_from_target
    >>> from sixvec.spatial import Pose, Tagged, TaggedPose, Vec3
    >>> X = TaggedPose(Pose.translation(Vec3(0.0, 0.0, 2.0)), "world", "tool")
    >>> seen_from_target(X, Tagged(Point(1.0, 0.0, 0.0), "tool", "tool"))
    Tagged(value=Point(x=1.0, y=0.0, z=2.0), axes='world', point='world')
    """
    transformed: Tagged[T] = X @ thing
    return transformed


def displaced(X: TaggedPose, thing: Tagged[T]) -> Tagged[T]:
    """Active: an object displaced by the motion that brings A onto B, still in coordinates of A.

    The matrix is the same as in passive use; the result is placed relative to B as the original was relative to A.  The
    frame of the argument distinguishes the two uses, and a wrong one raises an error.  Bruyninckx §2.7.7, §3.5, §4.1.2.

    >>> from sixvec.geometry import Point, displaced
    >>> from sixvec.spatial import Pose, Tagged, TaggedPose, Vec3
    >>> X = TaggedPose(Pose.translation(Vec3(0.0, 0.0, 2.0)), "world", "tool")
    >>> displaced(X, Tagged(Point(1.0, 0.0, 0.0), "world", "world"))
    Tagged(value=Point(x=1.0, y=0.0, z=2.0), axes='world', point='world')
    """
    if not isinstance(thing, Tagged):
        raise FrameError(f"cannot displace an untagged {type(thing).__name__} with {X}")
    if thing.axes != X.target or thing.point not in (X.target, None):
        raise FrameError(f"cannot displace {thing} with {X}: a displacement acts on things in {X.target}")
    if thing.units != X.units:
        raise FrameError(f"cannot displace {thing} with {X}: their units differ; convert one with in_units")
    value: Any = thing.value
    moved = X.pose.rot @ value if thing.point is None else X.pose @ value
    return replace(thing, value=moved)


def displaced_in_target(X: TaggedPose, displacement: Pose) -> TaggedPose:
    """D X: frame B after a displacement given in the axes, and about the origin, of A.

    >>> from sixvec.geometry import displaced_in_target
    >>> from sixvec.spatial import Pose, TaggedPose, Vec3
    >>> X = TaggedPose(Pose.rotation(Vec3(0.0, 0.0, 1.0), 0.5), "world", "tool")
    >>> displaced_in_target(X, Pose.translation(Vec3(1.0, 0.0, 0.0))).pose.pos
    Vec3(x=1.0, y=0.0, z=0.0)
    """
    return replace(X, pose=displacement @ _multiplied_out(X))


def displaced_in_source(X: TaggedPose, displacement: Pose) -> TaggedPose:
    """X D: frame B after a displacement given in the axes, and about the origin, of B itself.

    >>> from sixvec.geometry import displaced_in_source
    >>> from sixvec.spatial import Pose, TaggedPose, Vec3
    >>> X = TaggedPose(Pose.rotation(Vec3(0.0, 0.0, 1.0), 0.5), "world", "tool")
    >>> displaced_in_source(X, Pose.translation(Vec3(1.0, 0.0, 0.0))).pose.pos
    Vec3(x=0.8775825618903728, y=0.479425538604203, z=0.0)
    """
    return replace(X, pose=_multiplied_out(X) @ displacement)


def _multiplied_out(X: TaggedPose) -> Pose:
    return Pose(X.pose.rot, X.pose.pos)
