"""Any six revolute joints: all solutions, numerically, as eigenvalues.

Raghavan and Roth ("Inverse kinematics of the general 6R manipulator and related linkages", J. Mech. Design 115, 1993)
found 14 functions of a point P and a direction L, carried by the joints, that stay linear in the cosine and sine of
each angle:  P, L, P·P, P·L, P × L, (P·P) L - 2 (P·L) P.  Taken of the last axis and equated on both sides of
exp(S₃q₃) exp(S₄q₄) exp(S₅q₅) = exp(-S₂q₂) exp(-S₁q₁) G exp(-S₆q₆), they give 14 equations without q₆; eight of them
eliminate q₁ and q₂.  In half-angle tangents the other six are a quadratic eigenvalue problem for q₃ (Manocha and Canny,
"Efficient inverse kinematics for general 6R manipulators", IEEE Trans. Robotics and Automation 10, 1994).

Here the coefficients come from sampling the angles, not from expanded formulas.  Every root is polished on the arm
itself, and the arm is solved from both ends, which finds the solutions that share one angle seen from one end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sixvec.closed_form.chain import Array, SerialChain, rodrigues
from sixvec.closed_form.families.polish import distinct, polished
from sixvec.closed_form.recognise import PARALLEL
from sixvec.closed_form.subproblems import Turn
from sixvec.closed_form.target import Family, Joints
from sixvec.scalar import Scalar, cos, sin
from sixvec.spatial import Pose

SOLUTIONS = 16
"""The most that a general arm has (Primrose 1986)."""

_GRID = np.array([0.0, 2.0, 4.0]) * np.pi / 3.0
_WAVES = np.linalg.inv(np.stack([np.ones(3), np.cos(_GRID), np.sin(_GRID)], 1))
_HALF_ANGLE = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0], [1.0, -1.0, 0.0]])
"""From factors of 1, cos, sin to factors of 1, x, x² with x = tan(φ/2), after multiplying with 1 + x²."""

_ZEROS = np.array([0.7, 2.1, -1.3])
"""Where the half-angles of joints 3 to 5 are counted from: anywhere but where arms like to stand."""

_NEARLY_REAL = 1e-2
"""Imaginary part of an eigenvalue, relative, up to which it is tried; polishing decides."""


def general_six(chain: SerialChain) -> Family:
    """The family of all arms with six revolute joints."""
    arm, other = chain, chain.reversed()

    def numeric(poses: Array) -> Array:
        flat = poses.reshape(-1, 4, 4)
        usable = np.asarray(np.isfinite(flat).all((1, 2)))
        X = np.where(usable[:, None, None], flat, np.eye(4))
        with np.errstate(all="ignore"):
            which, q = _candidates(arm, X)
            back, r = _candidates(other, _inverse(X))
            which, q = np.concatenate([which, back]), np.concatenate([q, r[:, ::-1]])
            q, good = polished(arm, X[which], q)
        found = distinct(which[good], q[good], len(X), SOLUTIONS)
        found[~usable] = np.nan
        return found.reshape(*poses.shape[:-2], SOLUTIONS, 6)

    def answer(_: Pose, angles: Sequence[Scalar]) -> list[Joints]:
        turns = [Turn(cos(a), sin(a)) for a in angles]
        return [turns[i : i + 6] for i in range(0, 6 * SOLUTIONS, 6)]

    return Family("general 6R, numerically", chain.snapped(), answer, SOLUTIONS, extra=6 * SOLUTIONS, numeric=numeric)


def _inverse(X: Array) -> Array:
    R = np.swapaxes(X[:, :3, :3], 1, 2)
    Y = np.zeros_like(X)
    Y[:, :3, :3], Y[:, 3, 3] = R, 1.0
    Y[:, :3, 3] = -np.einsum("nij,nj->ni", R, X[:, :3, 3])
    return Y


def _fourteen(P: Array, L: Array) -> Array:
    """The 14 functions, (..., 14)."""
    PP, PL = (P * P).sum(-1, keepdims=True), (P * L).sum(-1, keepdims=True)
    return np.concatenate([P, L, PP, PL, np.cross(P, L), PP * L - 2.0 * PL * P], -1)


def _carried(chain: SerialChain, i: int, angle: Array, P: Array, L: Array) -> tuple[Array, Array]:
    """A point and a direction moved by joint i."""
    R, c = rodrigues(chain.axes[i], angle), chain.points[i]
    return c + np.einsum("...ij,...j->...i", R, P - c), np.einsum("...ij,...j->...i", R, L)


def _candidates(chain: SerialChain, X: Array) -> tuple[NDArray[np.intp], Array]:
    """Joint positions worth polishing, (k, 6), and the number of the pose of each, (k,)."""
    scale = 1.0 / chain.size  # lengths near one keep the 14 equations alike
    chain = _scaled(chain, scale)
    h6, p6 = chain.axes[5], chain.points[5]
    R = X[:, :3, :3] @ chain.tool_rot.T
    P_far = X[:, :3, 3] * scale + np.einsum("nij,j->ni", R, p6 - chain.tool_pos)
    L_far = R @ h6
    E = _eliminated(_left(chain), _right(chain, P_far, L_far))
    x3, x4, x5, tried = _eigenvalues(E)
    which, root = np.nonzero(tried)
    q345 = 2.0 * np.arctan(np.stack([x3, x4, x5], -1)[which, root].real) + _ZEROS
    return which, _completed(chain, q345, P_far[which], L_far[which], R[which])


def _scaled(chain: SerialChain, scale: float) -> SerialChain:
    return replace(chain, points=chain.points * scale, tool_pos=chain.tool_pos * scale)


def _left(chain: SerialChain) -> Array:
    """(14, 3, 3, 3): the factors of 1, cos, sin of φ₃, φ₄, φ₅; they depend on the arm alone."""
    phi = np.meshgrid(_GRID, _GRID, _GRID, indexing="ij")
    P, L = np.broadcast_to(chain.points[5], (3, 3, 3, 3)), np.broadcast_to(chain.axes[5], (3, 3, 3, 3))
    for i, k in ((4, 2), (3, 1), (2, 0)):
        P, L = _carried(chain, i, phi[k] + _ZEROS[k], P, L)
    return np.asarray(np.einsum("abcf,ia,jb,kc->fijk", _fourteen(P, L), _WAVES, _WAVES, _WAVES))


def _right(chain: SerialChain, P: Array, L: Array) -> Array:
    """(n, 14, 9): the factors of 1, cos, sin of q₁ times those of q₂, for each pose."""
    q1, q2 = np.meshgrid(_GRID, _GRID, indexing="ij")
    P, L = (np.broadcast_to(a[:, None, None, :], (len(a), 3, 3, 3)) for a in (P, L))
    P, L = _carried(chain, 0, -q1, P, L)
    P, L = _carried(chain, 1, -q2, P, L)
    return np.asarray(np.einsum("nabf,ia,jb->nfij", _fourteen(P, L), _WAVES, _WAVES)).reshape(len(P), 14, 9)


def _eliminated(left: Array, right: Array) -> Array:
    """(n, 6, 3, 3, 3): six equations in half-angle tangents, free of q₁ and q₂."""
    U = np.linalg.svd(right[:, :, 1:])[0][:, :, 8:]  # across everything that depends on q₁ and q₂
    E = np.einsum("nfe,fijk->neijk", U, left)
    E[:, :, 0, 0, 0] -= np.einsum("nfe,nf->ne", U, right[:, :, 0])
    return np.asarray(np.einsum("neijk,ai,bj,ck->neabc", E, _HALF_ANGLE, _HALF_ANGLE, _HALF_ANGLE))


def _eigenvalues(E: Array) -> tuple[Array, Array, Array, Array]:
    """x₃, x₄, x₅ (n, 24), and which are worth trying."""
    n = len(E)
    M = np.zeros((n, 3, 12, 4, 3))  # by power of x₃: equations, then equations times x₄; columns x₄ⁱ x₅ʲ
    M[:, :, :6, :3, :] = np.moveaxis(E, 2, 1)
    M[:, :, 6:, 1:, :] = np.moveaxis(E, 2, 1)
    M0, M1, M2 = np.moveaxis(M.reshape(n, 3, 12, 12), 1, 0)
    # Where x₃ = ∞ is nearly a root, or always one, the least change that makes M2 regular loses nothing else.
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
    tried = np.abs(x3.imag) < _NEARLY_REAL * (1.0 + np.abs(x3) ** 2)
    return x3, x4, x5, tried & np.isfinite(x4) & np.isfinite(x5)


def _ratio(low: Array, high: Array) -> Array:
    """The x with high = x · low, by least squares."""
    return np.asarray((low.conj() * high).sum((-1, -2)) / (np.abs(low) ** 2).sum((-1, -2)))


def _completed(chain: SerialChain, q345: Array, P_far: Array, L_far: Array, R: Array) -> Array:
    """q₁, q₂ and q₆ for given q₃, q₄, q₅."""
    P, L = np.broadcast_to(chain.points[5], P_far.shape), np.broadcast_to(chain.axes[5], P_far.shape)
    for i in (4, 3, 2):
        P, L = _carried(chain, i, q345[:, i - 2], P, L)
    h1, h2, step = chain.axes[0], chain.axes[1], chain.points[1] - chain.points[0]
    if np.linalg.norm(np.cross(h1, h2)) > PARALLEL:  # h₁·R₂ L is known
        a, b, value = np.broadcast_to(h1, L.shape), L, L_far @ h1
    else:  # |step + R₂ (P - p₂)|² is known
        a, b = np.broadcast_to(step, P.shape), P - chain.points[1]
        value = (((P_far - chain.points[0]) ** 2).sum(-1) - step @ step - (b**2).sum(-1)) / 2.0
    A = (a * b).sum(-1) - (a @ h2) * (b @ h2)
    B = (a * np.cross(h2, b)).sum(-1)
    gap = value - (a @ h2) * (b @ h2)
    spread = np.arccos(np.clip(gap / np.hypot(A, B), -1.0, 1.0))
    best, least = np.zeros((len(P), 2)), np.full(len(P), np.inf)
    for sign in (1.0, -1.0):
        q2 = np.arctan2(B, A) + sign * spread
        P2, L2 = _carried(chain, 1, q2, P, L)
        u, v = P2 - chain.points[0], P_far - chain.points[0]
        both = [(L2, L_far), (u, v)]
        s = sum((np.cross(h1, x) * y).sum(-1) for x, y in both)
        c = sum((x * y).sum(-1) - (x @ h1) * (y @ h1) for x, y in both)
        q1 = np.arctan2(s, c)
        P1, L1 = _carried(chain, 0, q1, P2, L2)
        miss = ((P1 - P_far) ** 2).sum(-1) + ((L1 - L_far) ** 2).sum(-1)
        better = miss < least
        best[better], least = np.stack([q1, q2], -1)[better], np.minimum(miss, least)
    q = np.concatenate([best, q345, np.zeros((len(P), 1))], -1)
    e = np.linalg.svd(chain.axes[5][None])[2][1]
    turned = np.einsum("nij,j->ni", R, e)
    for i in range(5):
        turned = np.einsum("nji,nj->ni", rodrigues(chain.axes[i], q[:, i]), turned)
    q[:, 5] = np.arctan2(turned @ np.cross(chain.axes[5], e), turned @ e)
    return q
