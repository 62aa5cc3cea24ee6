"""The constraint force algorithm as functions of the scalars of one row, or of a few neighbouring ones.

All rows of a stage can be computed at once: in SIMD lanes, or by one thread each on a GPU.  The equations are those of
`constraint_force.dynamics`; neighbours beyond the ends of the chain read as zeros.
"""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.large_trees.constraint_force.row_algebra import (
    Matrix,
    Vector,
    added,
    cross,
    identity_plus,
    less,
    scaled,
    skew,
    symmetric,
    then,
    to_body,
    to_parent,
)
from sixvec.scalar import Scalar, sin
from sixvec.spatial.linear import dot, product, times, transpose


def joint(
    placement: Matrix, spot: Vector, axes: Matrix, slides: Matrix, angles: Vector, subspace: Matrix, rates: Vector,
    quaternion: Vector | None = None, position: Vector | None = None,
    turn_axis: Vector | None = None, turn_angle: Scalar = 0.0,
) -> tuple[Vector, ...]:  # fmt: skip
    """The pose of a body in its parent: R' = R - 1 with R ω_J, and r; for turning joints, the counter-rotation of S.

    The placement is given minus the identity as well.
    """
    R, r = placement, spot
    if position is not None:
        r = added(r, times(identity_plus(R), position))
    if quaternion is not None:
        R = then(R, _quaternion_less_identity(quaternion))
    for axis, slide, angle in zip(axes, slides, angles, strict=True):
        r = added(r, times(identity_plus(R), scaled(slide, angle)))
        R = then(R, _turn_less_identity(axis, angle))
    turn = None if turn_axis is None else _turn_less_identity(turn_axis, -turn_angle)
    spin = times(_turned(turn, subspace)[:3], rates)
    pose = ([*_flat(R), *times(identity_plus(R), spin)], r)
    return pose if turn is None else (*pose, _flat(turn))


def joined(parts: Matrix) -> Vector:
    """The product of consecutive [R  R ω; 0 1], each (R', R ω): total orientation and angular velocity."""
    whole = parts[0]
    for term in parts[1:]:
        whole = _after(whole, term)
    return whole


def spread(before: Vector, parts: Matrix) -> Vector:
    """The products up to each of the parts, from the product of everything before them."""
    wholes = [before]
    for term in parts:
        wholes.append(_after(wholes[-1], term))
    return _flat(wholes[1:])


def local(
    turns: Vector, spot: Vector, whole: Vector, subspace: Matrix, reciprocal: Matrix, rates: Vector, drive: Vector,
    rotational: Vector, moment: Vector, base: Vector,
    turn: Matrix | None = None, turn_axis: Vector | None = None, turn_rate: Scalar = 0.0,
) -> tuple[Vector, ...]:  # fmt: skip
    """Loads without bearings: c; the drive minus the gyroscopic force; the reaction of the drive on the parent.

    The acceleration of the base, which only the first row has, is part of its c.
    """
    R = identity_plus(_rotation(turns))
    omega = times(transpose(identity_plus(_rotation(whole))), whole[9:])
    velocity = times(_turned(turn, subspace), rates)
    spin, slide = velocity[:3], velocity[3:]
    parent, r = less(omega, spin), times(transpose(R), spot)
    lin = added(cross(parent, added(cross(parent, r), scaled(slide, 2.0))), cross(spin, slide))
    drift = added([*cross(omega, spin), *lin], to_body(R, spot, base))
    if turn_axis is not None:
        rate = scaled(turn_axis, turn_rate)
        drift = added(drift, [*cross(spin, rate), *cross(slide, rate)])
    gyroscopic = [*cross(omega, times(symmetric(rotational, 3), omega)), *cross(omega, cross(omega, moment))]
    driven = times(_turned(turn, reciprocal), drive)
    return drift, less(driven, gyroscopic), to_parent(R, spot, driven)


def assembly(
    turns: Vector, spot: Vector, own: Vector, own_before: Vector, pushed: Vector, pushed_after: Vector, drift: Vector,
    mobility: Vector, mobility_before: Vector, bearing: Matrix, bearing_before: Matrix, filler: Vector,
    turn: Matrix | None = None, turn_before: Matrix | None = None,
) -> tuple[Vector, ...]:  # fmt: skip
    """D_i and rhs_i, packed, and -A_i₋₁,i: the compliance at the joint's bearings, and its violation by free bodies."""
    R, size = identity_plus(_rotation(turns)), len(filler)
    S = transpose(_turned(turn, bearing))
    gap = _joint_residual(turns, spot, own, own_before, pushed, pushed_after, drift, mobility, mobility_before)
    rhs = times(S, gap)
    D: dict[tuple[int, int], Scalar] = {}
    corner: dict[tuple[int, int], Scalar] = {}
    # Column by column: a thread has few registers, and a computed entry can be stored.
    for j in range(size):
        yields = times(symmetric(mobility, 6), S[j])
        for i in range(j, size):
            D[i, j] = dot(S[i], yields)
        D[j, j] = D[j, j] + filler[j]
    behind = [to_parent(R, spot, column) for column in S]
    S_before = transpose(_turned(turn_before, bearing_before))
    for j in range(size):
        passed = times(symmetric(mobility_before, 6), behind[j])
        for i in range(j, size):
            D[i, j] = D[i, j] + dot(behind[i], passed)
        for i in range(size):
            corner[i, j] = dot(S_before[i], passed)
    return [*(D[at] for at in sorted(D)), *rhs], [corner[at] for at in sorted(corner)]


def release(
    turns: Vector, spot: Vector, own: Vector, pushed: Vector, bearing: Matrix, force: Vector,
    turn: Matrix | None = None,
) -> tuple[Vector, ...]:  # fmt: skip
    """The loads of `local` minus the bearing wrenches S⊥ λ."""
    reaction = times(_turned(turn, bearing), force)
    return less(own, reaction), less(pushed, to_parent(identity_plus(_rotation(turns)), spot, reaction))


def acceleration(
    turns: Vector, spot: Vector, own: Vector, own_before: Vector, pushed: Vector, pushed_after: Vector, drift: Vector,
    mobility: Vector, mobility_before: Vector, reciprocal: Matrix, turn: Matrix | None = None,
) -> Vector:  # fmt: skip
    """The joint's acceleration S'ᵀ (A_i - X_i A_i₋₁ - c_i)."""
    gap = _joint_residual(turns, spot, own, own_before, pushed, pushed_after, drift, mobility, mobility_before)
    return times(transpose(_turned(turn, reciprocal)), gap)


def _joint_residual(
    turns: Vector, spot: Vector, own: Vector, own_before: Vector, pushed: Vector, pushed_after: Vector, drift: Vector,
    mobility: Vector, mobility_before: Vector,
) -> Vector:  # fmt: skip
    """A_i - X_i A_i₋₁ - c_i of bodies that move under these loads."""
    A = times(symmetric(mobility, 6), less(own, pushed_after))
    A_before = times(symmetric(mobility_before, 6), less(own_before, pushed))
    return less(less(A, to_body(identity_plus(_rotation(turns)), spot, A_before)), drift)


def _after(a: Vector, b: Vector) -> Vector:
    """(R_a R_b - 1, w_a + R_a w_b)."""
    R = _rotation(a)
    return [*_flat(then(R, _rotation(b))), *added(a[9:], added(b[9:], times(R, b[9:])))]


def _rotation(row: Vector) -> Matrix:
    return [row[0:3], row[3:6], row[6:9]]


def _turned(turn: Matrix | None, columns: Matrix) -> Matrix:
    """Columns of 6-vectors in axes turned by 1 + `turn`."""
    if turn is None:
        return columns
    R = identity_plus(turn)
    return [*product(R, columns[:3]), *product(R, columns[3:])]


def _turn_less_identity(axis: Vector, angle: Scalar) -> Matrix:
    """Rodrigues' formula; zero for no axis."""
    K, half = skew(axis), sin(0.5 * angle)
    first, second = sin(angle), 2.0 * half * half
    return [added(scaled(a, first), scaled(b, second)) for a, b in zip(K, product(K, K), strict=True)]


def _quaternion_less_identity(q: Vector) -> Matrix:
    """2 (w [u]× + [u]×²) of the unit quaternion (u, w)."""
    U = skew(q[:3])
    return [scaled(added(scaled(a, q[3]), b), 2.0) for a, b in zip(U, product(U, U), strict=True)]


def _flat(A: Sequence[Vector]) -> Vector:
    return [x for row in A for x in row]
