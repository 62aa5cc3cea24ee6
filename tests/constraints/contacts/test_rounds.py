"""Rounds of the search for impulses: what is solved stays, sweeps start ahead, shares of sweeps never repeat."""

from __future__ import annotations

import numpy as np
import pytest

from sixvec.constraints.contacts.block_sweeps import BlockTerms, misfit, sweep
from sixvec.constraints.contacts.extrapolation import extrapolated, secant
from sixvec.constraints.contacts.newton_step import compliance_for, newton_step
from sixvec.constraints.contacts.rounds import EXACT, UNKNOWN, careful_round, newton_round, sweep_round
from sixvec.constraints.contacts.row_terms import Kind, rates, row_terms

KINDS: tuple[Kind, ...] = ("contact", "contact", "friction", "disc")
LIMITS = [0.6, 0.3, 0.2, 0.3]
ROWS = 9


@pytest.fixture(params=range(4))
def problem(request: pytest.FixtureRequest) -> tuple[list[list[float]], list[float], list[BlockTerms]]:
    rng = np.random.default_rng(request.param)
    Z = rng.normal(size=(ROWS, 7))
    b = Z @ rng.normal(size=7)
    G = (Z @ Z.T).tolist()
    return G, b.tolist(), row_terms(G, KINDS, LIMITS)


def test_sweeps_start_ahead_of_the_last(problem: tuple[list[list[float]], list[float], list[BlockTerms]]) -> None:
    """The first two start where the one before ended; from the third on by the secant of two changes."""
    _, b, terms = problem
    zero = [0.0] * ROWS
    state = (b, zero, UNKNOWN, b, zero, b, UNKNOWN)
    w, p, change = list(b), list(zero), 0.0
    points, changes = [(list(w), list(p))], []
    for k in range(4):
        ahead = 0.0 if k < 2 else secant(changes[-1], changes[-2])
        before = points[-2] if k else points[-1]
        w, p = extrapolated(points[-1][0], before[0], ahead), extrapolated(points[-1][1], before[1], ahead)
        start = list(w)
        change = sweep(terms, w, p, 1.0)
        points.append((list(w), list(p)))
        changes.append([x - y for x, y in zip(w, start, strict=True)])
        state = sweep_round(terms, *state, 1e-12)
        assert state[0] == pytest.approx(w, abs=1e-12) and state[1] == pytest.approx(p, abs=1e-12)
        assert state[2] == pytest.approx(change)


def test_what_is_solved_stays(problem: tuple[list[list[float]], list[float], list[BlockTerms]]) -> None:
    G, b, terms = problem
    p = [0.1] * ROWS
    w = rates(G, b, p)
    for largest in (1e-9, 0.5e-9):
        swept = sweep_round(terms, w, p, largest, b, p, b, 0.3, 1e-9)
        assert (swept[0], swept[1], swept[2]) == (w, p, largest)
        assert newton_round(terms, w, p, largest, 0.7, range(ROWS), 1e-9, 2)[:3] == (w, p, largest)
        assert careful_round(terms, w, p, b, largest, 0.7, 1e-9)[:2] == (p, largest)
    assert newton_round(terms, w, p, 2e-9, 0.7, range(ROWS), 1e-9, 2)[1] != p
    assert careful_round(terms, w, p, b, 2e-9, 0.7, 1e-9)[0] != p


@pytest.mark.parametrize("share", [0.5, 0.8, 1.0])
def test_a_share_of_the_sweeps_is_taken(
    problem: tuple[list[list[float]], list[float], list[BlockTerms]], share: float
) -> None:
    G, b, terms = problem
    p = [0.0] * ROWS
    v, x, *_ = newton_step(terms, b, p, range(ROWS), compliance_for(1e-9), 1e30 if share > 0.9 else 10.0)
    w1, p1 = list(v), list(x)
    for _ in range(2):
        change = sweep(terms, w1, p1, 1.0)
    w, new, largest, after = newton_round(terms, b, p, 1.0, share, range(ROWS), 1e-9, 2)
    assert new == pytest.approx([y + share * (z - y) for y, z in zip(x, p1, strict=True)])
    assert w == pytest.approx(rates(G, b, new), abs=1e-7)
    assert largest == pytest.approx(change) and after == pytest.approx(0.5 if share > 0.9 else 1.19 * share)


def test_steps_that_converge_are_not_swept(
    problem: tuple[list[list[float]], list[float], list[BlockTerms]],
) -> None:
    """Near a solution Newton's step is the result, and its misfit the change."""
    G, b, terms = problem
    p, share, largest = [0.0] * ROWS, 1.0, UNKNOWN
    seen = 0
    for _ in range(60):
        w = rates(G, b, p)
        before = misfit(terms, w, p)
        _, x, after, _ = newton_step(terms, w, p, range(ROWS), EXACT, 1e30 if share > 0.9 else 10.0, slips=True, free=b)
        p, largest, share = careful_round(terms, w, p, b, largest, share, 1e-11)
        if after < 0.5 * before:
            seen += 1
            assert p == x and largest == after
        if largest < 1e-11:
            break
    assert seen and misfit(terms, rates(G, b, p), p) < 1e-10


def test_shares_of_careful_rounds_do_not_repeat(
    problem: tuple[list[list[float]], list[float], list[BlockTerms]],
) -> None:
    _, b, terms = problem
    shares = [1.0]
    for _ in range(200):
        shares.append(careful_round(terms, b, [0.0] * ROWS, b, 0.0, shares[-1], 1.0)[2])
    assert len({round(s, 9) for s in shares}) == 201 and 0.1 <= min(shares) < 0.12 and 0.98 < max(shares) <= 1.0
