"""Contacts as quadratic programs, solved exactly by the active-set solver daqp, the extra `daqp`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.constraints.contacts.impulse_step import Kind
from sixvec.constraints.contacts.pyramid import directions, one_by_one
from sixvec.errors import ArgumentError, MissingExtra

MOST_PROGRAMS = 300
"""Largest number of slip updates; fewer than ten are usual."""

QUICK, CAREFUL = 40, 0.5
"""Up to this iteration every other step is Newton's for the slip; later steps are shortened by this factor."""

SAME = 1e-12
"""Slip that changes by less than this fraction of the largest free velocity has converged."""

RANK = 1e-12
"""Eigenvalues of G below this fraction of the largest are zero."""

TIGHT = {"primal_tol": 1e-12, "zero_tol": 1e-13}
"""Tolerance of daqp, for a problem with entries of order one."""


def active_set_impulses(G: Array, b: Array, friction: Array, kinds: Sequence[Kind], sides: int) -> tuple[Array, Array]:
    """Impulses of the law of `pyramid_impulses`, NaN where none are found, and their violation of the cone's law.

    Without friction this is one program: the velocities nearest to the free ones, in the metric of the mass matrix,
    that do not penetrate.  The active constraints push, and G may be singular, since the unknowns are velocities.  A
    program with friction cones or pyramids has solutions that lift off as they slide; with the slip speed of the last
    solution as an offset of the normal velocity they do not (De Saxcé and Feng 1998), and programs are repeated until
    the offset is consistent.  A fixed point exists, but convergence is not guaranteed.
    """
    if "friction" in kinds:
        raise ArgumentError(
            'contact_impulses: method="daqp" takes contacts and stops; friction within a fixed limit, of joints, is '
            'solved by "iteration" and "pyramid"'
        )
    try:
        import daqp
    except ImportError as error:
        raise MissingExtra("method='daqp' needs the library daqp", extra="daqp") from error
    around = directions(sides)
    return one_by_one(lambda G, b, mu: _one(daqp, G, b, mu, kinds, around), G, b, friction, kinds)


def _one(daqp: Any, G: Array, b: Array, limits: Array, kinds: Sequence[Kind], around: Array) -> Array:
    speed, mobility = float(np.abs(b).max()), float(np.abs(np.diagonal(G)).max())
    if speed == 0.0 or mobility == 0.0:
        return np.zeros(len(b)) if speed == 0.0 else np.full(len(b), np.nan)
    G, free = G / mobility, b / speed
    values, vectors = np.linalg.eigh(G)
    kept = values > RANK * values[-1]
    root = vectors[:, kept] * np.sqrt(values[kept])  # u = root w + b,  w = rootᵀ p
    rays, slips = _rays(limits, kinds, around, len(b))
    A = np.ascontiguousarray(rays @ root)
    n, m = A.shape[1], len(rays)
    H, f, upper, sense = np.eye(n), np.zeros(n), np.full(m, np.inf), np.zeros(m, np.int32)
    offset = np.zeros(len(b))
    for count in range(MOST_PROGRAMS):
        *_, flag, info = daqp.solve(H, f, A, upper, -rays @ (free + offset), sense, **TIGHT)
        if flag < 1:
            break
        z = -np.asarray(info["lam"])
        p = z @ rays
        u = G @ p + free
        found, slopes = np.zeros(len(b)), np.zeros((len(b), len(b)))
        for normal, mu in slips:
            against = -around @ u[normal + 1 : normal + 3]
            edge = int(against.argmax())
            if against[edge] > 0.0:
                found[normal], slopes[normal, normal + 1 : normal + 3] = mu * against[edge], -mu * around[edge]
        change = found - offset
        if np.abs(change).max(initial=0.0) <= SAME:
            return np.asarray(p * (speed / mobility))
        if count < QUICK and count % 2:
            pushing = z > 0.0  # each contact slips along one edge: converged if the active set is unchanged
            answer = -rays[pushing].T @ np.linalg.lstsq(A[pushing] @ A[pushing].T, rays[pushing], rcond=None)[0]
            change = np.linalg.lstsq(np.eye(len(b)) - slopes @ G @ answer, change, rcond=None)[0]
        offset = np.maximum(0.0, offset + change * (1.0 if count < QUICK else CAREFUL))
    return np.full(len(b), np.nan)


def _rays(limits: Array, kinds: Sequence[Kind], around: Array, m: int) -> tuple[Array, list[tuple[int, float]]]:
    """The edges of all pyramids, normals of frictionless contacts; and the row and μ of every contact with friction."""
    unit, found, slips, start = np.eye(m), [], list[tuple[int, float]](), 0
    for kind, limit in zip(kinds, limits, strict=True):
        if kind == "contact" and limit > 0.0:
            found += [unit[start] + limit * (c * unit[start + 1] + s * unit[start + 2]) for c, s in around]
            slips.append((start, float(limit)))
        else:
            found.append(unit[start])
        start += 3 if kind == "contact" else 1
    return np.array(found), slips
