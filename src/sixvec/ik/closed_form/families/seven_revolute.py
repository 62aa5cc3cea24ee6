"""Seven revolute joints with a spherical shoulder and a spherical wrist: an anthropomorphic arm with swivel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sixvec.ik.closed_form.blocks import unit, wrist
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.recognise import common_point, foot
from sixvec.ik.closed_form.subproblems import Turn, elbow, perpendicular, square
from sixvec.ik.closed_form.target import Family, Joints, Target, constant
from sixvec.scalar import Scalar, cos, sin, where
from sixvec.spatial import Mat3, Pose, Rotation, Vec3

_LINED_UP = 1e-24
"""Squared sine of the angle between S→W and the first axis below which they count as collinear."""


def shoulder_elbow_wrist(chain: SerialChain) -> Family | None:
    """Axes 1 to 3 intersect in the shoulder S, axes 5 to 7 in the wrist W (Bruyninckx's 313; KUKA LWR and iiwa).

    |SW| gives the elbow's angle.  The shoulder must bring the bent arm's S→W onto the required one: this leaves one
    freedom: the swivel ψ, the angle about S→W from the side of the first axis to the side on which the elbow lies.
    Where S→W lies along the first axis, ψ is measured from a fixed direction instead.
    """
    if chain.kinds != "RRRRRRR":
        return None
    shoulder, center = common_point(chain, (0, 1, 2)), common_point(chain, (4, 5, 6))
    if shoulder is None or center is None:
        return None
    points = chain.points.copy()
    points[:3], points[4:] = shoulder, center
    points[3] = foot(chain, 3, (shoulder + center) / 2.0)
    arm = chain.with_points(points).snapped()
    h, p = [constant(a) for a in arm.axes], [constant(c) for c in arm.points]
    upper, lower = p[3] - p[0], p[4] - p[3]
    side = perpendicular(h[0])

    def solve(X: Pose, extra: Sequence[Scalar]) -> list[Joints]:
        G = Target.of(X, arm)
        x = G.carried(p[4]) - p[0]
        along = unit(x)
        off = h[0] - along * h[0].dot(along)
        lined_up = square(off) < _LINED_UP
        off = Vec3.of(where(lined_up, a, b) for a, b in zip(side - along * side.dot(along), off, strict=True))
        off = unit(off)
        off = unit(off - along * along.dot(off))  # rounding is a large part of a short vector: repeat
        (psi,) = extra
        toward = off * cos(psi) + along.cross(off) * sin(psi)
        attitude = Rotation(Mat3.from_rows(along, toward, along.cross(toward)).T)
        solutions = []
        for bend in elbow(h[3], upper, lower, square(x)):
            v = upper + bend.about(h[3], lower)
            bulge = unit(h[3].cross(v))
            bulge = bulge * where(bulge.dot(upper) < 0.0, -1.0, 1.0)
            v = unit(v)
            bent = Rotation(Mat3.from_rows(v, bulge, v.cross(bulge)).T)
            R = attitude @ bent.inv()

            arms = wrist(h[:3], R.__matmul__)
            hands = wrist(h[4:], partial(_left_for_the_hand, G.rot, R, h[3], bend))
            solutions += [[*first, bend, *last] for first in arms for last in hands]
        return solutions

    return Family("spherical shoulder and wrist", arm, solve, 8, extra=1, swivel=True)


def _left_for_the_hand(G: Rotation, R: Rotation, h4: Vec3, bend: Turn, v: Vec3) -> Vec3:
    """R₄ᵀ R₁₂₃ᵀ G v."""
    return bend.inv().about(h4, R.inv() @ (G @ v))
