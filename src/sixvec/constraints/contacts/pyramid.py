"""Contacts as a linear complementarity problem: friction pyramids in place of cones, solved by pivoting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.constraints.contacts.row_terms import Kind, row_misfit
from sixvec.errors import ArgumentError
from sixvec.solve.complementarity import complementary_solution

FEWEST_SIDES = 3
"""Directions of friction that oppose slip in every direction."""


def pyramid_impulses(G: Array, b: Array, friction: Array, kinds: Sequence[Kind], sides: int) -> tuple[Array, Array]:
    """p (..., m) with  p_t = Σ β_k d_k,  β ≥ 0,  Σ β_k ≤ μ p_n  (Stewart and Trinkle 1996); NaN if there is none.

    Also their violation of the law of the cone, in m/s; infinite if there are none.
    """
    around = directions(sides)
    return one_by_one(lambda G, b, mu: _one(G, b, mu, kinds, around), G, b, friction, kinds)


def directions(sides: Any) -> Array:
    """The directions d_k of friction, (sides, 2)."""
    if not isinstance(sides, int | np.integer) or sides < FEWEST_SIDES:
        raise ArgumentError(f"contact_impulses: a pyramid has {FEWEST_SIDES} sides or more, not {sides!r}")
    angles = np.arange(sides) * (2.0 * np.pi / sides)
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def one_by_one(
    solve: Callable[[Array, Array, Array], Array], G: Array, b: Array, friction: Array, kinds: Sequence[Kind]
) -> tuple[Array, Array]:
    """The impulses of every sample of a batch, and their violation of the law of the cone, in m/s.

    NaN and infinity if `solve` fails or the problem is not finite.
    """
    shape = np.broadcast_shapes(G.shape[:-2], b.shape[:-1], friction.shape[:-1])
    G, b = np.broadcast_to(G, (*shape, *G.shape[-2:])), np.broadcast_to(b, (*shape, b.shape[-1]))
    mu = np.broadcast_to(friction, (*shape, friction.shape[-1]))
    impulses, violation = np.full((*shape, b.shape[-1]), np.nan), np.full(shape, np.inf)
    for index in np.ndindex(*shape):
        if not all(np.isfinite(x[index]).all() for x in (G, b, mu)):
            continue
        p = impulses[index] = solve(G[index], b[index], mu[index])
        if np.isfinite(p).all():
            violation[index] = row_misfit(G[index].tolist(), b[index].tolist(), p.tolist(), kinds, mu[index].tolist())[
                0
            ]
    return impulses, violation


def _one(G: Array, b: Array, limits: Array, kinds: Sequence[Kind], around: Array) -> Array:
    """Variables z ≥ 0: impulses along the columns of D, and one slip speed for each block with friction.

    w = Dᵀ (G D z + b) + E σ ≥ 0  and  μ p_n - Σ β ≥ 0  (f - Σ β of joint friction and discs), each complementary to
    its variable.
    """
    columns: list[Any] = []
    cones: list[tuple[list[int], int | None, float]] = []  # columns of β, column of p_n, limit
    start = 0
    for kind, limit in zip(kinds, limits, strict=True):
        unit = np.eye(len(b))
        if kind == "friction":
            cones.append(([len(columns), len(columns) + 1], None, float(limit)))
            columns += [unit[start], -unit[start]]
            start += 1
            continue
        if kind == "disc":
            if limit > 0.0:
                cones.append(([*range(len(columns), len(columns) + len(around))], None, float(limit)))
                columns += [c * unit[start] + s * unit[start + 1] for c, s in around]
            start += 2
            continue
        normal = len(columns)
        columns.append(unit[start])
        if kind == "contact":
            if limit > 0.0:
                cones.append(([*range(normal + 1, normal + 1 + len(around))], normal, float(limit)))
                columns += [c * unit[start + 1] + s * unit[start + 2] for c, s in around]
            start += 2
        start += 1
    D = np.array(columns).T.reshape(len(b), -1)
    n, k = D.shape[1], len(cones)
    M, q = np.zeros((n + k, n + k)), np.zeros(n + k)
    M[:n, :n], q[:n] = D.T @ G @ D, D.T @ b
    for row, (beta, normal_at, limit) in enumerate(cones, n):
        M[beta, row] = 1.0
        M[row, beta] = -1.0
        if normal_at is None:
            q[row] = limit
        else:
            M[row, normal_at] = limit
    z = complementary_solution(M, q)
    return np.asarray(D @ z[:n])
