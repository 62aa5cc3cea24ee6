"""Rows with a given Delassus matrix: the same solver as in whitened velocities, its laws, and its units."""

from __future__ import annotations

import numpy as np
import pytest

from sixvec.constraints.contacts import contact_impulses
from sixvec.constraints.contacts.block_sweeps import AWAY, Block, BlockTerms, own_mobility, sweep
from sixvec.constraints.contacts.newton_step import newton_step
from sixvec.constraints.contacts.row_terms import (
    VANISHING,
    WIDTH,
    Kind,
    blocks_of,
    rates,
    row_misfit,
    row_terms,
    without_energy,
)

Array = np.ndarray
KINDS: tuple[Kind, ...] = ("stop", "contact", "friction", "contact", "disc")
LIMITS = [0.0, 0.5, 0.3, 0.7, 0.4]
SLIDING = ("contact", "disc")


def whitened(rng: np.random.Generator, joints: int = 12) -> tuple[Array, Array, list[BlockTerms]]:
    """Random whitened rows, velocities without impulses, and the terms of all blocks."""
    m = sum(WIDTH[k] for k in KINDS)
    Z, w = rng.normal(size=(m, joints)), rng.normal(size=joints)
    terms, at = [], 0
    for kind, limit in zip(KINDS, LIMITS, strict=True):
        rows = Z[at : at + WIDTH[kind]].tolist()
        block = Block("contact" if kind == "stop" else kind, tuple(range(joints)), WIDTH[kind])
        law = [0.0, limit, 0.0, 0.0] if block.kind == "contact" else [limit]
        terms.append(BlockTerms(block, rows, law, own_mobility(block, rows, limit)))
        at += WIDTH[kind]
    return Z, w, terms


def impulses(rng: np.random.Generator) -> Array:
    p = rng.normal(size=10) * 0.3
    p[[0, 1, 5]] = rng.uniform(0.0, 1.0, 3)
    return p


@pytest.mark.parametrize("seed", range(8))
def test_steps_are_those_in_whitened_velocities(seed: int) -> None:
    """With G = Z Zᵀ a sweep and a step of Newton's method change impulses and velocities of rows alike."""
    rng = np.random.default_rng(seed)
    Z, free, terms = whitened(rng, 12 if seed % 2 else 6)  # of full rank, or with rows that depend on each other
    G, b, p = Z @ Z.T, Z @ free, impulses(rng)
    of_rows = row_terms(G.tolist(), KINDS, LIMITS)
    w, x = (free + Z.T @ p).tolist(), p.tolist()
    u, y = rates(G.tolist(), b.tolist(), p.tolist()), p.tolist()
    assert sweep(of_rows, u, y, 1.0) == pytest.approx(sweep(terms, w, x, 1.0), rel=1e-10)
    assert y == pytest.approx(x, abs=1e-10) and u == pytest.approx((Z @ w).tolist(), abs=1e-10)
    for slips in (False, True):
        w1, x1, misfit, before = newton_step(terms, w, x, range(len(w)), 1e-3, None, slips=slips)
        u1, y1, misfit_of_rows, before_of_rows = newton_step(of_rows, u, y, range(10), 1e-3, None, slips=slips)
        assert y1 == pytest.approx(x1, abs=1e-8) and u1 == pytest.approx((Z @ np.array(w1)).tolist(), abs=1e-8)
        assert [misfit_of_rows, before_of_rows] == pytest.approx([misfit, before], rel=1e-6, abs=1e-9)


def conditions(G: Array, b: Array, p: Array) -> Array:
    """(p - Π(p - r u)) / r of every row, written for this test."""
    u, at, found = G @ p + b, 0, []
    for kind, limit in zip(KINDS, LIMITS, strict=True):
        radius, end = limit, at + WIDTH[kind]
        if kind != "disc":
            reached = p[at] - u[at] / G[at, at]
            to = np.clip(reached, -limit, limit) if kind == "friction" else max(reached, 0.0)
            found.append((p[at] - to) * G[at, at])
            radius = limit * p[at]
        if kind in SLIDING:
            pair = slice(end - 2, end)
            fastest = np.linalg.eigvalsh(G[pair, pair])[-1]
            t, s = p[pair], p[pair] - u[pair] / fastest
            found += ((t - s * min(1.0, radius / np.linalg.norm(s))) * fastest).tolist()
        at = end
    return np.array(found)


@pytest.mark.parametrize("seed", range(6))
def test_misfits_are_the_largest_violation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Z, free, _ = whitened(rng)
    G, b, p = Z @ Z.T, Z @ free, impulses(rng)
    worst, u = row_misfit(G.tolist(), b.tolist(), p.tolist(), KINDS, LIMITS)
    assert u == pytest.approx((G @ p + b).tolist())
    assert worst == pytest.approx(np.abs(conditions(G, b, p)).max())


def test_blocks_follow_each_other() -> None:
    assert [b.columns for b in blocks_of(KINDS)] == [(0,), (1, 2, 3), (4,), (5, 6, 7), (8, 9)]
    assert {b.changed for b in blocks_of(KINDS)} == {tuple(range(10))}


@pytest.mark.parametrize("kind", ["stop", "contact"])
def test_fixed_normals_have_no_impulse_and_their_approach_is_the_misfit(kind: Kind) -> None:
    """Below a fraction of the mean mobility a row is far from its law."""
    m = WIDTH[kind]
    for entry, there in ((0.2 * VANISHING, AWAY), (5.0 * VANISHING, 0.0)):
        G = 1e3 * np.diag([entry] * m + [float(m + 1)])
        assert row_terms(G.tolist(), [kind, "stop"], [0.5, 0.0])[0].law[0] == there
    for entry, stops in ((0.0, False), (5.0 * VANISHING, True)):
        G = np.zeros((m + 1, m + 1))
        G[0, 0], G[1:, 1:] = entry, np.eye(m)
        b = np.array([-2.0, *[0.0] * m])
        found = contact_impulses(G, b, [0.5, 0.0], kinds=(kind, "stop"))
        assert bool(found) == stops and (found.force[0] > 1e-20) == stops and np.isfinite(found.force).all()
        assert found.residual == pytest.approx(0.0 if stops else 2.0, abs=1e-9)
    assert row_misfit([[0.0]], [-2.0], [0.0], ("friction",), [1.0])[0] < 1e-20


@pytest.mark.parametrize("mobility", [1e-9, 1.0, 1e9])
def test_units_do_not_matter(mobility: float) -> None:
    """Impulses scale as velocities by mobilities, and limits of friction and discs with them."""
    rng = np.random.default_rng(7)
    Z = rng.normal(size=(40, 10, 8))
    G, b = Z @ Z.transpose(0, 2, 1), rng.normal(size=(40, 10))
    first = contact_impulses(G, b, LIMITS, kinds=KINDS)
    for speed in (1e-6, 1e6):
        size = speed / mobility
        limits = np.array(LIMITS) * [1.0, 1.0, size, 1.0, size]
        other = contact_impulses(mobility * G, speed * b, limits, kinds=KINDS)
        assert (other.verdict == first.verdict).all() and first
        assert np.allclose(other.velocity, speed * first.velocity, rtol=0.0, atol=1e-7 * speed)


def violation(G: Array, b: Array, mu: float, p: Array) -> float:
    """Of Coulomb's law: cones, complementarity, and slip against friction."""
    u = (G @ p[..., None])[..., 0] + b
    n, un = p[..., ::3], u[..., ::3]
    t, ut = (np.stack([x[..., 1::3], x[..., 2::3]], -1) for x in (p, u))
    slip, size = np.linalg.norm(ut, axis=-1), np.linalg.norm(t, axis=-1)
    against = slip * mu * n + (ut * t).sum(-1)
    worst = [-n, -un, np.abs(n * un), size - mu * n, np.abs(against)]
    return float(max(x.max() for x in worst))


@pytest.mark.covers("CON-09")
@pytest.mark.parametrize("family", ["repeated", "squeezed", "ratio", "full"])
@pytest.mark.parametrize("mu", [0.0, 0.7, 2.0])
def test_degenerate_problems_are_solved(family: str, mu: float) -> None:
    """Repeated contacts, contacts that press against each other, mass ratios of 1e4, much friction."""
    rng = np.random.default_rng(3)
    J, w = rng.normal(size=(60, 12, 12)), rng.normal(size=(60, 12, 1))
    if family == "repeated":
        J[:, 6:] = J[:, :6]
    if family == "squeezed":
        J[:, 6:] = -J[:, :6]
    if family == "ratio":
        J *= 10.0 ** rng.uniform(-1.0, 1.0, (60, 1, 12))
    G, b = J @ J.transpose(0, 2, 1), (J @ w)[..., 0]
    found = contact_impulses(G, b, np.full(4, mu))
    solved = found.verdict == 0
    assert solved.sum() >= (59 if family == "ratio" and mu == 2.0 else 60)
    assert violation(G[solved], b[solved], mu, found.force[solved]) < 1e-7 * np.abs(found.force).max()


def test_friction_without_a_limit_above_zero_is_none() -> None:
    found = contact_impulses(np.eye(3) + 0.2, [1.0, -2.0, 0.5], [0.0, 0.0], kinds=("friction", "disc"))
    assert found and (found.force == 0.0).all()


@pytest.mark.parametrize(("p", "expected"), [(1.0, 1.0), (4.0, 4.0), (8.0, 4.0), (-1.0, 0.0)])
def test_impulses_add_no_energy(p: float, expected: float) -> None:
    """A mobility of one that moves at -2: impulses up to 4 take energy, and those along the motion none."""
    assert without_energy([p], [p], [-2.0]) == [expected]


def test_a_step_ends_where_the_first_joint_slips() -> None:
    """Both joints hold before the step, and the second one would not after it."""
    G, b, p = [[2.0, 1.0], [1.0, 2.0]], [-1.0, -3.0], [0.0, 0.0]
    terms = row_terms(G, ["friction", "friction"], [9.0, 1.6])
    for slips, fraction in ((False, 1.0), (True, 1.6 * 3.0 / 5.0)):
        _, new, *_ = newton_step(terms, b, p, range(2), 1e-12, None, slips=slips)
        assert new == pytest.approx([-fraction / 3.0, 5.0 * fraction / 3.0], rel=1e-9)
