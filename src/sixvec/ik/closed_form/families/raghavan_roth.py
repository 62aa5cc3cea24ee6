"""All solutions of a loop of six revolute joints, as eigenvalues.

Raghavan and Roth ("Inverse kinematics of the general 6R manipulator and related linkages", J. Mech. Design 115, 1993)
found 14 functions of a point P and a direction L, carried by the joints, that stay linear in the cosine and sine of
each angle:  P, L, P·P, P·L, P × L, (P·P) L - 2 (P·L) P.  Taken of the last axis and equated on both sides of
exp(S₃q₃) exp(S₄q₄) exp(S₅q₅) = exp(-S₂q₂) exp(-S₁q₁) G exp(-S₆q₆), they give 14 equations without q₆; eight of them
eliminate q₁ and q₂.  In half-angle tangents the other six are a quadratic eigenvalue problem for q₃ (Manocha and Canny,
"Efficient inverse kinematics for general 6R manipulators", IEEE Trans. Robotics and Automation 10, 1994).

Here the coefficients are computed by sampling the angles, not from expanded formulas.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.ik.closed_form.families.distinct_solutions import Index
from sixvec.ik.closed_form.families.loop import Loop, turned
from sixvec.ik.closed_form.recognise import PARALLEL

_GRID = np.array([0.0, 2.0, 4.0]) * np.pi / 3.0
_WAVES = np.linalg.inv(np.stack([np.ones(3), np.cos(_GRID), np.sin(_GRID)], 1))
_HALF_ANGLE = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0], [1.0, -1.0, 0.0]])
"""From factors of 1, cos, sin to factors of 1, x, x² with x = tan(φ/2), after multiplying with 1 + x²."""

_ZEROS = np.array([0.7, 2.1, -1.3])
"""Zero of the half-angles of joints 3 to 5: any angles that are not typical of arms."""

_SOMEWHERE = 0.37
"""A half-angle tangent of joint 3 that is generically not a solution."""

NEARLY_REAL = 1e-2
"""Imaginary part of an eigenvalue, relative, up to which it is tried; polishing decides."""

_REPEATED = 1e-5
"""Eigenvalues this near to each other may be equal."""

_MOST_SHARED = 4
"""Solutions that share an eigenvalue and can be separated; two, four or eight share an angle of arms with a wrist."""

_NULL = 1e-7
"""Singular values, relative, of the null space of a repeated eigenvalue."""

_MIXTURE = 0.618
"""Solutions that agree only in x₄ or x₅ generically differ in x₄ plus this many x₅."""


def pencil(loop: Loop) -> Array:
    """(n, 3, 12, 12): M₀, M₁, M₂, with M₀ + x₃ M₁ + x₃² M₂ singular at the solutions; columns x₄ⁱ x₅ʲ."""
    E = _eliminated(_left(loop), _right(loop))
    M = np.zeros((len(loop), 3, 12, 4, 3))  # equations, then equations times x₄
    M[:, :, :6, :3, :] = np.moveaxis(E, 2, 1)
    M[:, :, 6:, 1:, :] = np.moveaxis(E, 2, 1)
    return M.reshape(-1, 3, 12, 12)


def regularity(M: Array) -> Array:
    """(n,): the least singular value over the largest where x₃ is not a solution.

    It is rounding where special geometry makes the pencil singular for every x₃, so that its eigenvalues have no
    meaning.
    """
    s = np.linalg.svd(M[:, 0] + _SOMEWHERE * M[:, 1] + _SOMEWHERE**2 * M[:, 2], compute_uv=False)
    return np.asarray(np.nan_to_num(s[:, -1] / s[:, 0]))


def candidates(loop: Loop, M: Array, nearly_real: float = NEARLY_REAL) -> tuple[Index, Array, NDArray[np.bool_]]:
    """Joint positions worth polishing, (k, 6), and the number of the loop of each, (k,).

    And for which loops, (n,), every eigenvalue has as many vectors as its multiplicity: solutions that share q₃ share
    an eigenvalue, and are lost where it has fewer.
    """
    x3, x4, x5, tried = _eigenvalues(M, nearly_real)
    which, root = np.nonzero(tried)
    x = np.stack([x3, x4, x5], -1)[which, root].real
    gap = np.abs(x3[:, :, None] - x3[:, None]) / (1.0 + np.abs(x3[:, :, None] * x3[:, None]))
    repeated = (tried[:, :, None] & tried[:, None] & (gap < _REPEATED)).sum(-1)
    several, x_several, lost = _shared(M, x3, repeated)
    which, x = np.concatenate([which, several]), np.concatenate([x, x_several])
    complete = np.ones(len(M), bool)
    complete[lost] = False
    return which, _completed(loop[which], 2.0 * np.arctan(x) + _ZEROS), complete


def _shared(M: Array, x3: Array, repeated: Index) -> tuple[Index, Array, Index]:
    """Solutions that share an eigenvalue: their loops, (k,), x₃, x₄, x₅, (k, 3), and the loops where some were lost.

    Multiplying with x₄ or x₅ moves the entries x₄ⁱ x₅ʲ of a vector by one place and keeps the null space: two matrices
    of its size that commute, with the solutions as common eigenvectors.
    """
    loops, angles, lost = [np.zeros(0, np.intp)], [np.zeros((0, 3))], [np.nonzero((repeated > _MOST_SHARED).any(-1))[0]]
    for m in range(2, _MOST_SHARED + 1):
        which, root = np.nonzero(repeated == m)
        if not len(which):
            continue
        x = x3[which, root].real
        _, s, Vt = np.linalg.svd(M[which, 0] + x[:, None, None] * (M[which, 1] + x[:, None, None] * M[which, 2]))
        lost.append(which[s[:, -m] > _NULL * s[:, 0]])
        N = np.moveaxis(Vt[:, -m:], 1, 2).reshape(-1, 4, 3, m)
        A4 = _moved(N[:, :-1], N[:, 1:])
        A5 = _moved(N[:, :, :-1], N[:, :, 1:])
        mixed = A4 + _MIXTURE * A5
        mixed[~np.isfinite(mixed).all((1, 2))] = 0.0
        y = np.linalg.eig(mixed)[1]
        w = np.einsum("nabm,nmk->nkab", N, y)
        x4, x5 = _ratio(w[:, :, :-1, :], w[:, :, 1:, :]), _ratio(w[:, :, :, :-1], w[:, :, :, 1:])
        loops.append(np.repeat(which, m))
        angles.append(np.stack([np.broadcast_to(x[:, None], x4.shape), x4.real, x5.real], -1).reshape(-1, 3))
    return np.concatenate(loops), np.concatenate(angles), np.concatenate(lost)


def _moved(low: Array, high: Array) -> Array:
    """(n, m, m): the matrix that takes `low` to `high`, by least squares."""
    m = low.shape[-1]
    return np.asarray(np.linalg.pinv(low.reshape(len(low), -1, m)) @ high.reshape(len(high), -1, m))


def _fourteen(P: Array, L: Array) -> Array:
    """The 14 functions, (..., 14)."""
    PP, PL = (P * P).sum(-1, keepdims=True), (P * L).sum(-1, keepdims=True)
    return np.concatenate([P, L, PP, PL, np.cross(P, L), PP * L - 2.0 * PL * P], -1)


def _carried(loop: Loop, i: int, angle: Array, P: Array, L: Array) -> tuple[Array, Array]:
    """A point and a direction, (n, ..., 3), moved by joint i."""
    between = (1,) * (P.ndim - 2)
    h, c = (a[:, i].reshape(-1, *between, 3) for a in (loop.axes, loop.points))
    return c + turned(h, angle, P - c), turned(h, angle, L)


def _far(loop: Loop) -> tuple[Array, Array]:
    """The last axis where G takes it: a point and the direction, (n, 3) each."""
    P = loop.pos + np.einsum("nij,nj->ni", loop.rot, np.broadcast_to(loop.points[:, 5], loop.pos.shape))
    return P, np.einsum("nij,nj->ni", loop.rot, np.broadcast_to(loop.axes[:, 5], loop.pos.shape))


def _left(loop: Loop) -> Array:
    """(n or 1, 14, 3, 3, 3): the factors of 1, cos, sin of φ₃, φ₄, φ₅; they depend on the axes alone."""
    phi = np.meshgrid(_GRID, _GRID, _GRID, indexing="ij")
    P, L = (np.broadcast_to(a[:, None, None, None, 5], (len(a), 3, 3, 3, 3)) for a in (loop.points, loop.axes))
    for i, k in ((4, 2), (3, 1), (2, 0)):
        P, L = _carried(loop, i, phi[k] + _ZEROS[k], P, L)
    waves = np.einsum("nabcf,kc->nfabk", _fourteen(P, L), _WAVES)
    return np.asarray(np.einsum("nfabk,ia,jb->nfijk", waves, _WAVES, _WAVES, optimize=True))


def _right(loop: Loop) -> Array:
    """(n, 14, 9): the factors of 1, cos, sin of q₁ times those of q₂."""
    q1, q2 = np.meshgrid(_GRID, _GRID, indexing="ij")
    P, L = (np.broadcast_to(a[:, None, None, :], (len(a), 3, 3, 3)) for a in _far(loop))
    P, L = _carried(loop, 0, -q1, P, L)
    P, L = _carried(loop, 1, -q2, P, L)
    factors = np.einsum("nabf,ia,jb->nfij", _fourteen(P, L), _WAVES, _WAVES, optimize=True)
    return np.asarray(factors).reshape(len(P), 14, 9)


def _eliminated(left: Array, right: Array) -> Array:
    """(n, 6, 3, 3, 3): six equations in half-angle tangents, free of q₁ and q₂."""
    U = np.linalg.svd(right[:, :, 1:])[0][:, :, 8:]  # orthogonal to all terms that depend on q₁ and q₂
    E = (np.swapaxes(U, 1, 2) @ left.reshape(-1, 14, 27)).reshape(-1, 6, 3, 3, 3)
    E[:, :, 0, 0, 0] -= np.einsum("nfe,nf->ne", U, right[:, :, 0])
    return np.asarray(np.einsum("neijk,ai,bj,ck->neabc", E, _HALF_ANGLE, _HALF_ANGLE, _HALF_ANGLE, optimize=True))


def _eigenvalues(M: Array, nearly_real: float) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """x₃, x₄, x₅ (n, 24), and which are worth trying."""
    n = len(M)
    M0, M1, M2 = np.moveaxis(M, 1, 0)
    # Where x₃ = ∞ is nearly a root, or always one, the smallest change that makes M2 regular loses no other root.
    usable = np.linalg.cond(M2) < 1e14
    M2 = np.where(usable[:, None, None], M2, M2 + 1e-13 * np.eye(12))
    companion = np.zeros((n, 24, 24))
    companion[:, :12, 12:] = np.eye(12)
    companion[:, 12:] = -np.linalg.solve(M2, np.concatenate([M0, M1], -1))
    companion[~np.isfinite(companion).all((1, 2))] = 0.0
    x3, v = np.linalg.eig(companion)
    w = np.moveaxis(v, 1, 2)[:, :, :12].reshape(n, 24, 4, 3)
    x4 = _ratio(w[:, :, :-1, :], w[:, :, 1:, :])
    x5 = _ratio(w[:, :, :, :-1], w[:, :, :, 1:])
    tried = np.abs(x3.imag) < nearly_real * (1.0 + np.abs(x3) ** 2)
    return x3, x4, x5, tried & np.isfinite(x4) & np.isfinite(x5)


def _ratio(low: Array, high: Array) -> Array:
    """The x with high = x · low, by least squares."""
    return np.asarray((low.conj() * high).sum((-1, -2)) / (np.abs(low) ** 2).sum((-1, -2)))


def _completed(loop: Loop, q345: Array) -> Array:
    """q₁, q₂ and q₆ for given q₃, q₄, q₅."""
    P_far, L_far = _far(loop)
    P, L = (np.broadcast_to(a[:, 5], P_far.shape) for a in (loop.points, loop.axes))
    for i in (4, 3, 2):
        P, L = _carried(loop, i, q345[:, i - 2], P, L)
    best, least = np.zeros((len(P), 2)), np.full(len(P), np.inf)
    h1, p1 = loop.axes[:, 0], loop.points[:, 0]
    for q2 in _second(loop, P, L, P_far, L_far):
        P2, L2 = _carried(loop, 1, q2, P, L)
        both = [(L2, L_far), (P2 - p1, P_far - p1)]
        s = sum((np.cross(h1, x) * y).sum(-1) for x, y in both)
        c = sum((x * y).sum(-1) - (x * h1).sum(-1) * (y * h1).sum(-1) for x, y in both)
        q1 = np.arctan2(s, c)
        P1, L1 = _carried(loop, 0, q1, P2, L2)
        miss = ((P1 - P_far) ** 2).sum(-1) + ((L1 - L_far) ** 2).sum(-1)
        better = miss < least
        best[better], least = np.stack([q1, q2], -1)[better], np.minimum(miss, least)
    q = np.concatenate([best, q345, np.zeros((len(P), 1))], -1)
    h6 = np.broadcast_to(loop.axes[:, 5], P.shape)
    e = np.cross(h6, np.eye(3)[np.abs(h6).argmin(-1)])
    back = np.einsum("nij,nj->ni", loop.rot, e)
    for i in range(5):
        back = turned(loop.axes[:, i], -q[:, i], back)
    q[:, 5] = np.arctan2((back * np.cross(h6, e)).sum(-1), (back * e).sum(-1))
    return q


def _second(loop: Loop, P: Array, L: Array, P_far: Array, L_far: Array) -> tuple[Array, Array]:
    """The two q₂ that fit a point and a direction carried by joints 3 to 5."""
    h1, h2, p1, p2 = loop.axes[:, 0], loop.axes[:, 1], loop.points[:, 0], loop.points[:, 1]
    skew = np.linalg.norm(np.cross(h1, h2), axis=-1, keepdims=True) > PARALLEL
    a, b = np.where(skew, h1, p2 - p1), np.where(skew, L, P - p2)
    # h₁·R₂ L is known, and so is |p₂ - p₁ + R₂ (P - p₂)|².
    distance = (((P_far - p1) ** 2).sum(-1) - ((p2 - p1) ** 2).sum(-1) - ((P - p2) ** 2).sum(-1)) / 2.0
    value = np.where(skew[:, 0], (L_far * h1).sum(-1), distance)
    along = (a * h2).sum(-1) * (b * h2).sum(-1)
    A, B = (a * b).sum(-1) - along, (a * np.cross(h2, b)).sum(-1)
    spread = np.arccos(np.clip((value - along) / np.hypot(A, B), -1.0, 1.0))
    middle = np.arctan2(B, A)
    return middle + spread, middle - spread
