"""The impulses of friction pyramids by pivoting, against quadratic programs of the active-set solver daqp.

Without friction the impulses are one program: the velocities nearest to the free ones, in the metric of the mass
matrix, that do not penetrate.  A program with friction has solutions that lift off as they slide; with the slip speed
of the last solution as an offset of the normal velocity they do not (De Saxcé and Feng 1998), and programs are repeated
until the offset is consistent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sixvec.constraints.contacts import contact_impulses
from sixvec.constraints.contacts.pyramid import directions
from sixvec.constraints.contacts.row_terms import Kind

daqp = pytest.importorskip("daqp", reason="daqp (pip install daqp) solves quadratic programs")

Array = Any

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


def programs(G: Array, b: Array, limits: Array, kinds: Sequence[Kind], around: Array) -> Array:
    speed, mobility = float(np.abs(b).max()), float(np.abs(np.diagonal(G)).max())
    if speed == 0.0 or mobility == 0.0:
        return np.zeros(len(b)) if speed == 0.0 else np.full(len(b), np.nan)
    G, free = G / mobility, b / speed
    values, vectors = np.linalg.eigh(G)
    positive = values > RANK * values[-1]
    root = vectors[:, positive] * np.sqrt(values[positive])  # u = root w + b,  w = rootᵀ p
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
        offsets, slopes = np.zeros(len(b)), np.zeros((len(b), len(b)))
        for normal, mu in slips:
            against = -around @ u[normal + 1 : normal + 3]
            edge = int(against.argmax())
            if against[edge] > 0.0:
                offsets[normal], slopes[normal, normal + 1 : normal + 3] = mu * against[edge], -mu * around[edge]
        change = offsets - offset
        if np.abs(change).max(initial=0.0) <= SAME:
            return np.asarray(p * (speed / mobility))
        if count < QUICK and count % 2:
            pushing = z > 0.0  # each contact slips along one edge: converged if the active set is unchanged
            response = -rays[pushing].T @ np.linalg.lstsq(A[pushing] @ A[pushing].T, rays[pushing], rcond=None)[0]
            change = np.linalg.lstsq(np.eye(len(b)) - slopes @ G @ response, change, rcond=None)[0]
        offset = np.maximum(0.0, offset + change * (1.0 if count < QUICK else CAREFUL))
    return np.full(len(b), np.nan)


def _rays(limits: Array, kinds: Sequence[Kind], around: Array, m: int) -> tuple[Array, list[tuple[int, float]]]:
    """The edges of all pyramids, normals of frictionless contacts; and the row and μ of every contact with friction."""
    unit, rays, slips, start = np.eye(m), [], list[tuple[int, float]](), 0
    for kind, limit in zip(kinds, limits, strict=True):
        if kind == "contact" and limit > 0.0:
            rays += [unit[start] + limit * (c * unit[start + 1] + s * unit[start + 2]) for c, s in around]
            slips.append((start, float(limit)))
        else:
            rays.append(unit[start])
        start += 3 if kind == "contact" else 1
    return np.array(rays), slips


def problem(rng: np.random.Generator, n: int, contacts: int) -> tuple[Any, Any]:
    """A block of random mass on points of a plane: never more than rank six."""
    points = np.concatenate([rng.uniform(-1.0, 1.0, (n, contacts, 2)), np.full((n, contacts, 1), -0.5)], axis=-1)
    J = np.zeros((n, contacts, 3, 6))
    for row, axis in enumerate(((0, 0, 1), (1, 0, 0), (0, 1, 0))):
        d = np.array(axis, float)
        J[..., row, :3], J[..., row, 3:] = np.cross(points, d), d
    J = J.reshape(n, 3 * contacts, 6)
    masses = rng.uniform(0.5, 3.0, (n, 1)) * [0.4, 0.5, 0.6, 1.0, 1.0, 1.0]
    G = (J / masses[:, None]) @ J.transpose(0, 2, 1)
    v = rng.normal(size=(n, 6)) - [0.0, 0.0, 0.0, 0.0, 0.0, 1.5]
    return G, (J @ v[..., None])[..., 0]


def pyramid_violation(G: Any, b: Any, mu: float, p: Any, sides: int) -> float:
    """Of the law of pyramids whose edges are at whole multiples of an angle, written for this test."""
    angle = 2.0 * np.pi / sides
    edges, faces = (np.array([[np.cos(a), np.sin(a)] for a in angle * (np.arange(sides) + k)]) for k in (0.0, 0.5))
    u = (G @ p[..., None])[..., 0] + b
    n, un = p[..., ::3], u[..., ::3]
    t, ut = (np.stack([x[..., 1::3], x[..., 2::3]], -1) for x in (p, u))
    slip = np.maximum(0.0, (-ut @ edges.T).max(axis=-1))
    outside = (t @ faces.T).max(axis=-1) - mu * n * np.cos(0.5 * angle)
    worst = [-n, -un, np.abs(n * un), outside, np.abs((t * ut).sum(-1) + mu * n * slip)]
    return float(max(x.max() for x in worst))


@pytest.mark.covers("CON-09")
@pytest.mark.parametrize("contacts", [1, 2, 4])
def test_pivoting_and_quadratic_programs_agree(contacts: int) -> None:
    """Where G has less than full rank, friction has more than one solution: there both satisfy the law."""
    G, b = problem(np.random.default_rng(3), 20, contacts)
    kinds, around = ("contact",) * contacts, directions(8)
    for mu in (0.0, 0.3, 0.8):
        pivoted = contact_impulses(G, b, np.full(contacts, mu), method="pyramid")
        force = np.array([programs(A, c, np.full(contacts, mu), kinds, around) for A, c in zip(G, b, strict=True)])
        velocity = (G @ force[..., None])[..., 0] + b
        solved = np.isfinite(force).all(axis=-1)
        assert pivoted and solved.mean() >= (1.0 if contacts <= 2 or mu == 0.0 else 0.95)
        assert pyramid_violation(G[solved], b[solved], mu, force[solved], 8) < 1e-10
        assert pyramid_violation(G, b, mu, pivoted.force, 8) < 1e-10
        if contacts <= 2 or mu == 0.0:
            assert np.allclose(velocity[..., ::3], pivoted.velocity[..., ::3], atol=1e-9)
        if contacts <= 2:
            assert np.allclose(velocity, pivoted.velocity, atol=1e-9)
