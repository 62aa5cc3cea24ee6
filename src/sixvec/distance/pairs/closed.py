"""Pairs of shapes whose distance has a closed form, by the kinds and sizes of `distance.shapes`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sixvec.distance.pairs.boxes import AXES, capsule_on_box, sphere_on_box
from sixvec.distance.pairs.rounded import of_segments
from sixvec.distance.pairs.support import SUPPORTS, inside_cylinder
from sixvec.distance.pairs.touch import Touch, direction, selected, sign
from sixvec.distance.pairs.two_boxes import box_on_box
from sixvec.geometry.rigid_body.solids import Box, Capsule, Sphere
from sixvec.scalar import Scalar, where
from sixvec.spatial import Pose, Vec3

Sizes = Sequence[Scalar]

Closed = Callable[[Sizes, Pose, Sizes, Pose], list[Touch]]
"""(sizes, pose, sizes, pose) -> points with normals from the second shape to the first; the smallest gap is that of the
pair."""


def _segments(a: Sizes, X: Pose, b: Sizes, Y: Pose) -> list[Touch]:
    return [of_segments(_ends(a, X), a[0], _ends(b, Y), b[0])]


def _ends(sizes: Sizes, X: Pose) -> tuple[Vec3, Vec3]:
    half = X.rot @ Vec3(0.0, 0.0, sizes[1])
    return X.pos - half, X.pos + half


def _sphere_on_box(a: Sizes, X: Pose, b: Sizes, Y: Pose) -> list[Touch]:
    return sphere_on_box(Sphere(a[0]), X, Box(Vec3.of(b) * 2.0), Y)


def _capsule_on_box(a: Sizes, X: Pose, b: Sizes, Y: Pose) -> list[Touch]:
    """Relative to the box and in units of both sizes: the tolerances of contacts are lengths."""
    total = a[0] + a[1] + b[0] + b[1] + b[2]
    unit = where(total > 0.0, total, 1.0)
    k = 1.0 / unit
    capsule, box = Capsule(a[0] * k, a[1] * (2.0 * k)), Box(Vec3.of(b) * (2.0 * k))
    touches = capsule_on_box(capsule, Pose(X.rot, (X.pos - Y.pos) * k), box, Pose(Y.rot, Vec3.zero()))
    return [Touch(Y.pos + t.point * unit, t.normal, t.gap * unit) for t in touches]


def _sphere_on_cylinder(a: Sizes, X: Pose, b: Sizes, Y: Pose) -> list[Touch]:
    p = Y.inv() * X.pos
    nearest, depth = inside_cylinder(b, p)
    radial, reach = direction(Vec3(p.x, p.y, 0.0), AXES[0])
    by_side = b[0] - reach < b[1] - where(p.z < 0.0, -p.z, p.z)
    way_out = selected(by_side, radial, AXES[2] * sign(p.z))
    outside, distance = direction(p - nearest, way_out)
    gap = where(distance > 0.0, distance, -depth) - a[0]
    n = Y.rot @ outside
    return [Touch(X.pos - n * (a[0] + gap), n, gap)]


def _box_on_box(a: Sizes, X: Pose, b: Sizes, Y: Pose) -> list[Touch]:
    return [box_on_box(Box(Vec3.of(a) * 2.0), X, Box(Vec3.of(b) * 2.0), Y)]


def _on_half_space(kind: str, radius: bool) -> Closed:
    """The lowest point of a shape above a plane."""

    def touch(a: Sizes, X: Pose, b: Sizes, Y: Pose) -> list[Touch]:
        n = Y.rot @ Vec3(0.0, 0.0, 1.0)
        lowest = X * SUPPORTS[kind](a, X.rot.inv() @ -n)
        above = n.dot(lowest - Y.pos)
        return [Touch(lowest - n * above, n, above - a[0] if radius else above)]

    return touch


CLOSED: dict[tuple[str, str], Closed] = {
    ("sphere", "sphere"): _segments,
    ("sphere", "capsule"): _segments,
    ("capsule", "capsule"): _segments,
    ("sphere", "box"): _sphere_on_box,
    ("capsule", "box"): _capsule_on_box,
    ("sphere", "cylinder"): _sphere_on_cylinder,
    ("box", "box"): _box_on_box,
    **{(kind, "half space"): _on_half_space(kind, kind in ("sphere", "capsule")) for kind in SUPPORTS},
}
"""The function of each pair of kinds; spheres have a half length of zero."""
