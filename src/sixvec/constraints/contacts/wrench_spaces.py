"""Contacts: the wrenches they can exert, the joint motions they allow, and filters for compatible twists.

Six-vectors are angular first, so the power of a wrench on a twist is the plain product wᵀ t: the book's Δ, which swaps
the halves, is not needed (Bruyninckx §5.13).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, real_array
from sixvec.constraints.constraint import WrenchSpace
from sixvec.errors import DegenerateError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.robot import Robot
from sixvec.solve.decomposition import pseudo_inverse, rank, times, weight_factor
from sixvec.spatial.force import Force
from sixvec.spatial.vector import Vec3
from sixvec.tolerances import RANK

Vector = Sequence[float]


def vertex_face(point: Vector, normal: Vector) -> WrenchSpace:
    """A vertex on a face without friction exerts one wrench: a force along the normal through the point.

    >>> from sixvec.constraints import vertex_face
    >>> [round(x, 3) for x in vertex_face([1.0, 0.0, 0.0], [0.0, 0.0, 2.0]).basis[0]]
    [0.0, -1.0, 0.0, 0.0, 0.0, 1.0]
    """
    return WrenchSpace((_force(point, _unit(normal, "normal")),))


def edge_edge(point: Vector, first: Vector, second: Vector) -> WrenchSpace:
    """Two crossing edges exert a force at their common point, along the common normal of the edges.

    >>> from sixvec.constraints import edge_edge
    >>> [round(x, 3) for x in edge_edge([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 3.0, 0.0]).basis[0]]
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """
    return vertex_face(point, np.cross(_unit(first, "edge"), _unit(second, "edge")).tolist())


def edge_face(point: Vector, normal: Vector, edge: Vector) -> WrenchSpace:
    """An edge on a face exerts the force along the normal and the moment about the axis across the edge.

    >>> from sixvec.constraints import edge_face
    >>> len(edge_face([0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]).basis)
    2
    """
    n = _unit(normal, "normal")
    across = _unit(np.cross(n, _unit(edge, "edge")).tolist(), "direction across the edge")
    return WrenchSpace((_force(point, n), _moment(across)))


def face_face(point: Vector, normal: Vector) -> WrenchSpace:
    """Two faces exert the force along the normal and the two moments about axes in the plane.

    >>> from sixvec.constraints import face_face
    >>> len(face_face([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]).basis)
    3
    """
    n = _unit(normal, "normal")
    across = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    x = across / np.linalg.norm(across)
    return WrenchSpace((_force(point, n), _moment(x), _moment(np.cross(n, x))))


def wrench_matrix(wrenches: WrenchSpace) -> Array:
    """G (6, k), a basis wrench in each column: (moment; force).

    >>> from sixvec.constraints import vertex_face, wrench_matrix
    >>> wrench_matrix(vertex_face([0.0, 0.0, 0.0], [0.0, 0.0, 1.0])).T.tolist()
    [[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]
    """
    return np.array([[*map(float, w)] for w in wrenches.basis], float).reshape(-1, 6).T


@any_arrays_same_dtype
def contact_rows(
    robot: Robot, q: ArrayLike, frame: str, wrenches: WrenchSpace, reference: Reference = "local"
) -> Array:
    """Gᵀ J (..., k, nv): while the contact lasts, Gᵀ J q̇ = 0.  Bruyninckx (5.56).

    The wrenches are those of a contact in frame coordinates, as all wrenches; for one whose point and directions are in
    world coordinates use `reference="world"`.  The rows are those of a Pfaffian constraint, and a task of zero
    velocity for `prioritised_rates`.

    >>> import sixvec
    >>> from sixvec.constraints import contact_rows, vertex_face
    >>> arm = sixvec.load("planar_2r")
    >>> floor = vertex_face([2.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    >>> contact_rows(arm, [0.0, 0.0], "tip", floor, "world").round(12).tolist()
    [[2.0, 1.0]]
    """
    return np.asarray(wrench_matrix(wrenches).T @ robot.jacobian(q, frame, reference=reference))


@any_arrays_same_dtype
def kinetostatic_filter(twist: ArrayLike, wrenches: WrenchSpace, weight: ArrayLike | None = None) -> Array:
    """t' = t - M⁻¹ G (Gᵀ M⁻¹ G)⁻¹ Gᵀ t: the twist nearest to t (in M) that the contact allows.  Bruyninckx (5.58).

    Gᵀ t' = 0, the filter is idempotent, and a compatible twist is unchanged.  The weight M maps twists to wrenches, as
    an inertia does (then t - t' is the impulse of the contact); there is no natural choice, and t' depends on it.

    >>> from sixvec.constraints import kinetostatic_filter, vertex_face
    >>> wall = vertex_face([0.0, 0.0, 0.0], [1.0, 0.0, 0.0])
    >>> kinetostatic_filter([0.0, 0.0, 0.0, 3.0, 4.0, 0.0], wall).tolist()
    [0.0, 0.0, 0.0, 0.0, 4.0, 0.0]
    """
    t, G = real_array("twist", twist, 6, why="(ω; v)"), wrench_matrix(wrenches)
    if int(rank(G, RANK)) < G.shape[1]:
        raise DegenerateError("the contact wrenches are dependent; complete them with constraint_of_wrenches")
    inverse_F = np.linalg.inv(weight_factor(weight, 6, "twist"))
    A = G.T @ inverse_F
    return np.asarray(t - times(inverse_F @ pseudo_inverse(A), times(G.T, t)))


def _unit(direction: Vector, name: str) -> Array:
    d = np.asarray(direction, float)
    size = float(np.linalg.norm(d))
    if d.shape != (3,) or not np.isfinite(size) or size < 1e-12:
        raise DegenerateError(f"the {name} {d.tolist()} is not a direction; give three numbers that are not all zero "
                              "(edges must cross, and an edge must not be along the normal)")  # fmt: skip
    return d / size


def _force(point: Vector, n: Array) -> Force:
    return Force(Vec3.of(np.cross(np.asarray(point, float), n).tolist()), Vec3.of(n.tolist()))


def _moment(axis: Array) -> Force:
    return Force(Vec3.of(axis.tolist()), Vec3.zero())
