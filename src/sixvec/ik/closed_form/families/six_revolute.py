"""Six revolute joints with three adjacent axes that intersect in a point or are parallel.

The other three satisfy two equations in two of their angles (two_angles.py).  For axes
that intersect, they are the component along the axis between and the length of a vector (as in Pieper's thesis, 1968);
for parallel axes, the components along them of a point and of a direction that the three do not change.  Four cases
suffice, since base and tool of an arm can be exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from sixvec.ik.closed_form.blocks import ALIGNED, angle_about, chosen, planar, widest, wrist
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.families.point import three_turns
from sixvec.ik.closed_form.families.two_angles import (
    SOME_POSE,
    TwoAngles,
    combined,
    from_root,
    on_circle,
    one_after_the_other,
)
from sixvec.ik.closed_form.quartic import circle_equation
from sixvec.ik.closed_form.recognise import Triple, common_point, foot, normal_foot
from sixvec.ik.closed_form.subproblems import Turn, Wave, square, turn_onto, turns_to_height
from sixvec.ik.closed_form.target import Family, Joints, Target, constant
from sixvec.scalar import Scalar, cos, sin
from sixvec.spatial import Pose, Vec3


def six_revolute(chain: SerialChain, triple: Triple) -> Family:
    """The family of an arm whose joints `triple` intersect in one point or are parallel."""
    backwards = triple.first in (0, 1) if not triple.parallel else triple.first in (2, 3)
    arm = chain.reversed() if backwards else chain
    first = 3 - triple.first if backwards else triple.first
    make = _CASES[first, triple.parallel]
    arm = _anchored(arm, first, triple.parallel).snapped()
    arm, flipped = _same_sense(arm, first) if triple.parallel else (arm, ())
    snapped = chain.snapped()

    def equations(X: Pose) -> TwoAngles:
        return make(arm, Target.of(X.inv().as_pose() if backwards else X, arm))

    def ordered(joints: Joints) -> Joints:
        joints = [turn.inv() if i in flipped else turn for i, turn in enumerate(joints)]
        return joints[::-1] if backwards else joints

    def in_sequence(X: Pose, _: Sequence[Scalar]) -> list[Joints]:
        problem = equations(X)
        return [ordered(q) for a, b in one_after_the_other(problem) for q in problem.complete(a, b)]

    def from_roots(X: Pose, roots: Sequence[Scalar]) -> list[Joints]:
        problem = equations(X)
        turns = [Turn(cos(x), sin(x)) for x in roots]
        return [ordered(q) for a in turns for q in problem.complete(a, from_root(problem, a))]

    def series(X: Pose) -> list[Scalar]:
        return circle_equation(*on_circle(equations(X)))

    names = [chain.names[i] for i in range(triple.first, triple.first + 3)]
    name = f"{names[0]}, {names[1]} and {names[2]} " + ("parallel" if triple.parallel else "meet in one point")
    if combined(equations(SOME_POSE)) is not None:
        return Family(name, snapped, in_sequence, 8)
    return Family(name, snapped, from_roots, 8, extra=4, series=series)


def _anchored(chain: SerialChain, first: int, parallel: bool) -> SerialChain:
    """The chain with points that make the equations short: common points, otherwise feet of common normals."""
    points = chain.points.copy()
    if first:
        points[0] = normal_foot(chain, 1, 0)
        points[1] = normal_foot(chain.with_points(points), 0, 1)
    if not parallel:
        center = common_point(chain, (first, first + 1, first + 2))
        assert center is not None
        points[first : first + 3] = center
        outer = 2 if first == 3 else 5
        points[outer] = foot(chain, outer, center)
        return chain.with_points(points)
    for i in (first + 1, first + 2):
        points[i] = foot(chain, i, points[i - 1])
    points[4], points[5] = normal_foot(chain, 5, 4), normal_foot(chain, 4, 5)
    if not first:
        if common_point(chain, (4, 5)) is None and common_point(chain, (3, 4)) is not None:
            points[4] = normal_foot(chain, 3, 4)
        points[3] = normal_foot(chain.with_points(points), 4, 3)
    return chain.with_points(points)


def _same_sense(chain: SerialChain, first: int) -> tuple[SerialChain, tuple[int, ...]]:
    """The chain with three parallel axes pointing the same way, and the reversed joints."""
    over = tuple(i for i in (first + 1, first + 2) if chain.axes[i] @ chain.axes[first] < 0.0)
    axes = chain.axes.copy()
    axes[first : first + 3] = axes[first]  # parallel up to rounding: made exactly parallel
    return replace(chain, axes=axes), over


def _constants(arm: SerialChain) -> tuple[list[Vec3], list[Vec3], list[Vec3]]:
    """Axes, points, and the steps from point to point."""
    points = arm.points
    return [*map(constant, arm.axes)], [*map(constant, points)], [*map(constant, np.diff(points, axis=0))]


def _last_three_meet(arm: SerialChain, G: Target) -> TwoAngles:
    """α = q₁, β = q₃: the first three position the wrist, the last three orient the hand."""
    h, p, d = _constants(arm)
    carried = three_turns((h[0], h[1], h[2]), (d[0], d[1], d[2]), G.carried(p[3]) - p[0])

    def complete(q1: Turn, q3: Turn) -> list[Joints]:
        ((_, q2, _),) = carried.complete(q1, q3)

        def left(v: Vec3) -> Vec3:
            v = q1.inv().about(h[0], G.rot @ v)
            return q3.inv().about(h[2], q2.inv().about(h[1], v))

        return [[q1, q2, q3, *last_three] for last_three in wrist(h[3:], left)]

    return replace(carried, complete=complete)


def _third_to_fifth_meet(arm: SerialChain, G: Target) -> TwoAngles:
    """α = q₆, β = q₂, from  R₁ (d₁ + R₂ d₂) = a + R R₆ᵀ e,  where e leads from joint 6 to the common point."""
    h, p, d = _constants(arm)
    e = p[2] - p[5]
    a = G.carried(p[5]) - p[0]
    along, back = G.rot.inv() @ h[0], G.rot.inv() @ a

    def complete(q6: Turn, q2: Turn) -> list[Joints]:
        bent = d[0] + q2.about(h[1], d[1])
        q1 = turn_onto(h[0], bent, a + G.rot @ q6.inv().about(h[5], e))

        def left(v: Vec3) -> Vec3:
            v = q1.inv().about(h[0], G.rot @ q6.inv().about(h[5], v))
            return q2.inv().about(h[1], v)

        return [[q1, q2, *middle, q6] for middle in wrist(h[2:5], left)]

    return TwoAngles(
        (Wave.of(e, h[5], along), Wave.of(e * 2.0, h[5], back)),
        (Wave.of(-h[0], h[1], d[1]), Wave.of(d[0] * -2.0, h[1], d[1])),
        (h[0].dot(d[0]) - h[0].dot(a), square(d[0]) + square(d[1]) - square(a) - square(e)),
        complete,
    )


def _parallel_block(
    arm: tuple[Vec3, Vec3, Vec3], rotation: Callable[[Vec3], Vec3], back: Vec3, base: Vec3, hand: Vec3,
    after: tuple[Vec3, Turn, Vec3],
) -> tuple[list[list[Turn]], Turn]:  # fmt: skip
    """The turns of three parallel axes h with two links, `arm`, and of the last of two more, of which one is solved.

    `rotation` is that of all five and `back` what it takes to h; `base` leads from the first of the three to the hand,
    `hand` from the last, before they turn.
    """
    (h, near, far), (next_axis, q, last_axis) = arm, after
    side = q.inv().about(next_axis, h)
    regular = turn_onto(last_axis, back, side)
    summed = angle_about(h, lambda v: rotation(regular.inv().about(last_axis, q.inv().about(next_axis, v))))
    # Where the last axis is parallel to the three, the sum of their angles is free and determines its turn.
    aligned = square(last_axis.cross(side)) < ALIGNED
    total = chosen(aligned, widest(h, near, far, base, hand), summed)
    last_angle = angle_about(last_axis, lambda v: q.inv().about(next_axis, total.inv().about(h, rotation(v))))
    return planar(h, near, far, base - total.about(h, hand), total), chosen(aligned, last_angle, regular)


def _second_to_fourth_parallel(arm: SerialChain, G: Target) -> TwoAngles:
    """α = q₁, β = q₅: invariants of the parallel axes h,  h·R₁ᵀ x  and  h·R₁ᵀ R h₆."""
    h, p, d = _constants(arm)
    x = G.carried(p[5]) - p[0]
    last = G.rot @ h[5]

    def complete(q1: Turn, q5: Turn) -> list[Joints]:
        base, hand = q1.inv().about(h[0], x) - d[0], d[3] + q5.about(h[4], d[4])
        back = G.rot.inv() @ q1.about(h[0], h[1])

        def turned(v: Vec3) -> Vec3:
            return q1.inv().about(h[0], G.rot @ v)

        blocks, q6 = _parallel_block((h[1], d[1], d[2]), turned, back, base, hand, (h[4], q5, h[5]))
        return [[q1, *block, q5, q6] for block in blocks]

    return TwoAngles(
        (Wave.of(h[1], h[0], x).back(), Wave.of(h[1], h[0], last).back()),
        (Wave.of(-h[1], h[4], d[4]), Wave.of(-h[1], h[4], h[5])),
        (h[1].dot(d[0] + d[1] + d[2] + d[3]), 0.0),
        complete,
        lambda q1: turns_to_height(h[1], h[4], h[5], q1.inv().about(h[0], last)),
    )


def _first_three_parallel(arm: SerialChain, G: Target) -> TwoAngles:
    """α = q₆, β = q₄: the component along h of a point of axis 5 and of its direction."""
    h, p, d = _constants(arm)
    e = p[4] - p[5]
    a = G.carried(p[5]) - p[0]
    along = G.rot.inv() @ h[0]

    def complete(q6: Turn, q4: Turn) -> list[Joints]:
        base, hand = a + G.rot @ q6.inv().about(h[5], e), d[2] + q4.about(h[3], d[3])
        back = q6.about(h[5], along)

        def turned(v: Vec3) -> Vec3:
            return G.rot @ q6.inv().about(h[5], v)

        blocks, q5 = _parallel_block((h[0], d[0], d[1]), turned, back, base, hand, (h[3], q4, h[4]))
        return [[*block, q4, q5, q6] for block in blocks]

    return TwoAngles(
        (Wave.of(e, h[5], along), Wave.of(h[4], h[5], along)),
        (Wave.of(-h[0], h[3], d[3]), Wave.of(-h[0], h[3], h[4])),
        (h[0].dot(d[0] + d[1] + d[2]) - h[0].dot(a), 0.0),
        complete,
        lambda q6: turns_to_height(h[0], h[3], h[4], G.rot @ q6.inv().about(h[5], h[4])),
    )


_CASES: dict[tuple[int, bool], Callable[[SerialChain, Target], TwoAngles]] = {
    (3, False): _last_three_meet,
    (2, False): _third_to_fifth_meet,
    (1, True): _second_to_fourth_parallel,
    (0, True): _first_three_parallel,
}
"""The equations by the first of the three joints and whether they are parallel."""
