"""Systems of forces: their resultant, their central axis, and the motions on which they do no work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from sixvec.errors import FrameError
from sixvec.geometry.reciprocal import reciprocal_set
from sixvec.geometry.rigid_body.twist import CentralAxis
from sixvec.geometry.screw import Screw
from sixvec.scalar import Scalar
from sixvec.spatial.force import Force
from sixvec.spatial.motion import Motion
from sixvec.spatial.vector import Vec3

T = TypeVar("T", Motion, Force)


def resultant(forces: Iterable[tuple[Vec3, Vec3]], couples: Iterable[Vec3] = ()) -> Force:
    """The wrench about the origin of forces, given as (force, point of application), and of pure couples.

    >>> from sixvec.geometry.rigid_body import resultant
    >>> from sixvec.spatial import Vec3
    >>> resultant([(Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0)), (Vec3(0.0, 0.0, -1.0), Vec3(-1.0, 0.0, 0.0))])
    Force(ang=Vec3(x=0.0, y=-2.0, z=0.0), lin=Vec3(x=0.0, y=0.0, z=0.0))
    """
    total = Force.zero()
    for f, r in forces:
        total = total + Force.at_point(f, r)
    for n in couples:
        total = total + Force(n, Vec3.zero())
    return total


def poinsot(forces: Iterable[tuple[Vec3, Vec3]], couples: Iterable[Vec3] = ()) -> CentralAxis:
    """Poinsot: any system of forces is one force along its central axis and a moment about it (Bruyninckx §4.8).

    A pure couple has no axis: its `vector` is zero, its `point` the origin, its pitch infinite.
    """
    return CentralAxis.of_force(resultant(forces, couples))


def are_reciprocal(motion: Motion, force: Force, tolerance: Scalar) -> Scalar:
    """Whether the power of the pair is within ± tolerance (a power): whether the wrench does no work on the twist.

    This is not orthogonality: the two belong to different spaces (Bruyninckx §4.6).  Bruyninckx (4.28).

    >>> from sixvec.geometry.rigid_body import are_reciprocal
    >>> from sixvec.spatial import Force, Motion, Vec3
    >>> turn = Motion(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0))
    >>> push = Force(Vec3(0.0, 0.0, 0.0), Vec3(5.0, 0.0, 0.0))  # through the axis of rotation
    >>> bool(are_reciprocal(turn, push, 1e-9))
    True
    """
    power = motion.dot(force)
    return abs(power) < tolerance


def reciprocal_wrenches(twists: Sequence[Motion]) -> tuple[Force, ...]:
    """A basis of the wrenches that do no work on any of the twists: 6 - rank of them (Bruyninckx §4.6).

    For the twists that a joint or robot allows, these are the wrenches it bears without effort.  The span is geometric;
    the basis depends on frame and units.  Dependent twists are detected on plain numbers; traced and batched
    ones must be independent (`reciprocal_set`).

    >>> from sixvec.geometry.rigid_body import reciprocal_wrenches
    >>> from sixvec.spatial import Motion, Vec3
    >>> hinge = Motion(Vec3(0.0, 0.0, 1.0), Vec3.zero())
    >>> len(reciprocal_wrenches([hinge]))
    5
    """
    return tuple(s.as_force() for s in reciprocal_set([Screw.from_motion(_of_kind(t, Motion)) for t in twists]))


def reciprocal_twists(wrenches: Sequence[Force]) -> tuple[Motion, ...]:
    """A basis of the twists on which none of the wrenches does work; see `reciprocal_wrenches`.

    >>> from sixvec.geometry.rigid_body import reciprocal_twists
    >>> from sixvec.spatial import Force, Vec3
    >>> contact = Force.at_point(Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0))
    >>> len(reciprocal_twists([contact]))
    5
    """
    return tuple(s.as_motion() for s in reciprocal_set([Screw.from_force(_of_kind(f, Force)) for f in wrenches]))


def _of_kind(x: T, kind: type[T]) -> T:
    if not isinstance(x, kind):
        raise FrameError(f"reciprocal to a {kind.__name__} is the other kind; a {type(x).__name__} was given")
    return x
