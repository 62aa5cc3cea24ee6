"""Three neighbouring axes solved together: a spherical wrist, or three parallel axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sixvec.ik.closed_form.subproblems import Turn, Wave, elbow, perpendicular, square, turn_onto, turns_to_height
from sixvec.scalar import Scalar, sqrt, where
from sixvec.spatial import Vec3


def wrist(axes: Sequence[Vec3], rotation: Callable[[Vec3], Vec3]) -> list[list[Turn]]:
    """The two decompositions of a rotation about three given axes, R = R(a) R(b) R(c).

    The middle turn follows from a·R c = a·R(b) c, the first from R c = R(a) R(b) c.  The last is then computed from a
    vector perpendicular to its axis, so where a and c are parallel (gimbal lock) the product is still exact: the
    first angle is then determined by rounding, or zero.
    """
    a, b, c = axes
    e = perpendicular(c)
    f = c.cross(e)
    to, across = rotation(c), rotation(e)
    turns = []
    for middle in turns_to_height(a, b, c, to):
        first = turn_onto(a, middle.about(b, c), to)
        direction = middle.inv().about(b, first.inv().about(a, across))
        turns.append([first, middle, Turn.along(e.dot(direction), f.dot(direction))])
    return turns


def planar(h: Vec3, near: Vec3, far: Vec3, reach: Vec3, total: Turn) -> list[list[Turn]]:
    """Three parallel axes h: two links `near`, `far` and their end at `reach`, with the sum of the angles given.

    R₁(near + R₂ far) = reach gives |reach|² for the elbow, then the shoulder; the remainder is the third angle.
    """
    near, far, reach = (v - h * h.dot(v) for v in (near, far, reach))
    turns = []
    for second in elbow(h, near, far, square(reach)):
        first = turn_onto(h, near + second.about(h, far), reach)
        turns.append([first, second, total @ (first @ second).inv()])
    return turns


ALIGNED = 1e-20
"""Squared sine of the angle between axes below which they count as parallel: the pose error is 1e-10 rad."""


def widest(h: Vec3, near: Vec3, far: Vec3, base: Vec3, hand: Vec3) -> Turn:
    """The sum of the angles, where it is free, for which the elbow of `planar` comes nearest to a right angle.

    |base - R hand|² = |near|² + |far|²; other choices might be out of reach of the two links.
    """
    near, far, base, hand = (v - h * h.dot(v) for v in (near, far, base, hand))
    difference = square(base) + square(hand) - square(near) - square(far)
    return Wave.of(base, h, hand).reaching(difference * 0.5)[0]


def chosen(condition: Scalar, yes: Turn, no: Turn) -> Turn:
    """One of two turns."""
    return Turn(where(condition, yes.c, no.c), where(condition, yes.s, no.s))


def angle_about(h: Vec3, rotation: Callable[[Vec3], Vec3]) -> Turn:
    """The angle of a rotation about the known axis h."""
    e = perpendicular(h)
    f = h.cross(e)
    turned = rotation(e)
    return Turn.along(e.dot(turned), f.dot(turned))


def unit(v: Vec3) -> Vec3:
    scaled: Vec3 = v * (1.0 / sqrt(square(v)))
    return scaled
