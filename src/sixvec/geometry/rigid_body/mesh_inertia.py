"""The inertia of a body bounded by triangles, by exact integration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from sixvec.errors import DegenerateError, ModelError
from sixvec.scalar import Scalar, certainly
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.matrix import Mat3, Sym3
from sixvec.spatial.norm import length
from sixvec.spatial.pose import Pose
from sixvec.spatial.rotation import Rotation
from sixvec.spatial.vector import Vec3

Triangle: TypeAlias = tuple[int, int, int]
"""Three indices into the vertices, counter-clockwise seen from outside."""


def mesh_inertia(vertices: Sequence[Vec3], triangles: Sequence[Triangle], density: Scalar = 1.0) -> RigidInertia:
    """The solid inside a closed surface of triangles: the sum of the signed tetrahedra that they form with one point.

    Exact for the polyhedron, convex or not, in one piece or several; a cavity is a piece with reversed orientation.
    The common point is the vertices' mean, so that a body far from the origin loses no digits.  The surface must be
    closed: every edge is shared by two triangles that traverse it in opposite directions.

    >>> from sixvec.geometry.rigid_body import mesh_inertia
    >>> from sixvec.spatial import Vec3
    >>> corners = [Vec3.zero(), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)]
    >>> pyramid = mesh_inertia(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], density=6.0)
    >>> round(pyramid.mass, 12), round(pyramid.center.x, 12), round(pyramid.rot.xx, 12)
    (1.0, 0.25, 0.2)
    """
    require_closed(triangles)
    middle, local = _around_mean(vertices)
    pieces = (tetrahedron_inertia(local[i], local[j], local[k], density) for i, j, k in triangles)
    total = sum(pieces, RigidInertia.zero())
    if certainly(total.mass < 0.0):
        raise DegenerateError(
            f"the surface is inside out: it encloses {total.mass} times the density; "
            "list each triangle's vertices counter-clockwise as seen from outside"
        )
    return Pose(Rotation.identity(), middle) @ total


def shell_inertia(vertices: Sequence[Vec3], triangles: Sequence[Triangle], density: Scalar = 1.0) -> RigidInertia:
    """A thin sheet along the triangles, with mass `density` per area; it need not be closed.

    >>> from sixvec.geometry.rigid_body import shell_inertia
    >>> from sixvec.spatial import Vec3
    >>> corners = [Vec3.zero(), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)]
    >>> round(shell_inertia(corners, [(0, 1, 2)], density=2.0).center.x, 12)
    0.333333333333
    """
    middle, local = _around_mean(vertices)
    pieces = (triangle_inertia(local[i], local[j], local[k], density) for i, j, k in triangles)
    return Pose(Rotation.identity(), middle) @ sum(pieces, RigidInertia.zero())


def tetrahedron_inertia(a: Vec3, b: Vec3, c: Vec3, density: Scalar = 1.0) -> RigidInertia:
    """The tetrahedron with vertices 0, a, b, c; its mass has the sign of a · (b × c).

    m = ρ a·(b × c)/6,  ∫ r dm = m s/4,  ∫ r rᵀ dm = m (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20,  with s = a + b + c.
    With arrays as scalars it integrates a whole mesh at once; sum the ten results.

    >>> from sixvec.geometry.rigid_body import tetrahedron_inertia
    >>> from sixvec.spatial import Vec3
    >>> tetrahedron_inertia(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0), density=6.0).mass
    1.0
    """
    mass = a.dot(b.cross(c)) * (1.0 / 6.0) * density
    s = a + b + c
    return RigidInertia(mass, s * (mass * 0.25), _inertia_of_second_moments((a, b, c, s), mass * 0.05))


def triangle_inertia(a: Vec3, b: Vec3, c: Vec3, density: Scalar = 1.0) -> RigidInertia:
    """The thin triangle with corners a, b, c and mass `density` per area.

    ∫ r dm = m s/3,  ∫ r rᵀ dm = m (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/12,  with s = a + b + c.  A triangle of zero area has no
    mass; the derivative of its area is set to zero.

    >>> triangle_inertia(Vec3.zero(), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), density=2.0).mass
    1.0
    """
    mass = length((b - a).cross(c - a)) * 0.5 * density
    s = a + b + c
    return RigidInertia(mass, s * (mass * (1.0 / 3.0)), _inertia_of_second_moments((a, b, c, s), mass * (1.0 / 12.0)))


def require_closed(triangles: Sequence[Triangle]) -> None:
    """Raise a `ModelError` unless every directed edge has exactly one opposite edge.

    >>> require_closed([(0, 1, 2), (2, 1, 0)])
    """
    edges = Counter(edge for i, j, k in triangles for edge in ((i, j), (j, k), (k, i)))
    for (i, j), count in edges.items():
        if count > 1:
            raise ModelError(f"the edge from vertex {i} to {j} is used {count} times in this direction; "
                             "triangles must be oriented alike and share an edge in pairs")  # fmt: skip
        if (j, i) not in edges:
            raise ModelError(f"the surface is not closed: no triangle runs from vertex {j} to {i}; "
                             "merge equal vertices, fill the hole, or use shell_inertia")  # fmt: skip


def _around_mean(vertices: Sequence[Vec3]) -> tuple[Vec3, list[Vec3]]:
    if not vertices:
        raise ModelError("a mesh without vertices has no inertia")
    middle = sum(vertices, Vec3.zero()) * (1.0 / len(vertices))
    return middle, [v - middle for v in vertices]


def _inertia_of_second_moments(points: Sequence[Vec3], k: Scalar) -> Sym3:
    """tr(Σ) 1 - Σ for Σ = k Σᵢ pᵢ pᵢᵀ."""
    S = sum((Mat3.outer(p, p) for p in points), Mat3.zero()) * k
    return Sym3(S.yy + S.zz, -S.xy, -S.xz, S.xx + S.zz, -S.yz, S.xx + S.yy)
