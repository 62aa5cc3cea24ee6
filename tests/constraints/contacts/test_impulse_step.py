"""One step towards contact impulses, part by part: Newton's matrix by differences, and which of two results is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sixvec.constraints.contacts.impulse_step import (
    DAMPING,
    LARGEST_SOLVED,
    NEVER_ZERO,
    SWEEPS,
    UNKNOWN,
    VANISHING,
    WIDTH,
    Kind,
    _newton,
    _normal,
    _part_allowed,
    blocks_of,
    improved,
    misfit,
    on_disc,
    steps_of,
)  # fmt: skip
from sixvec.constraints.contacts.impulses import CAUTIOUS, PATIENCE, impulse_kernel, impulse_loop

Array = np.ndarray
KINDS: tuple[Kind, ...] = ("stop", "contact", "friction", "contact", "disc")
LIMITS = [0.0, 0.5, 0.3, 0.7, 0.4]


SLIDING = ("contact", "disc")


def system(rng: np.random.Generator, kinds: tuple[Kind, ...] = KINDS) -> tuple[Array, Array]:
    m = sum(WIDTH[k] for k in kinds)
    root = rng.normal(size=(m, m))
    return root @ root.T + 0.3 * np.eye(m), rng.normal(size=m)


def expected_steps(G: Array, kinds: tuple[Kind, ...]) -> list[list[float]]:
    """The inverse of the mobility of a row; of tangents, of the larger eigenvalue of their block."""
    found, at = [], 0
    for kind in kinds:
        step = [] if kind == "disc" else [1.0 / G[at, at]]
        if kind in SLIDING:
            end = at + WIDTH[kind]
            step.append(1.0 / np.linalg.eigvalsh(G[end - 2 : end, end - 2 : end])[-1])
        found.append(step)
        at += WIDTH[kind]
    return found


def conditions(G: Array, b: Array, p: Array, kinds: tuple[Kind, ...], limits: list[float]) -> Array:
    """(p - Π(p - r u)) / r of every row; of open contacts nothing slips."""
    u, at, found = G @ p + b, 0, []
    for kind, limit, step in zip(kinds, limits, expected_steps(G, kinds), strict=True):
        radius = limit
        if kind != "disc":
            reached = p[at] - step[0] * u[at]
            to = np.clip(reached, -limit, limit) if kind == "friction" else max(reached, 0.0)
            found.append((p[at] - to) / step[0])
            radius = limit * p[at] if reached > 0.0 else 0.0
        if kind in SLIDING:
            pair = slice(at + WIDTH[kind] - 2, at + WIDTH[kind])
            t, s = p[pair], p[pair] - step[-1] * u[pair]
            found += ((t - s * min(1.0, radius / np.linalg.norm(s))) / step[-1]).tolist()
        at += WIDTH[kind]
    return np.array(found)


def test_steps_are_inverse_mobilities() -> None:
    G, _ = system(np.random.default_rng(0))
    for found, expected in zip(steps_of(G.tolist(), blocks_of(KINDS)), expected_steps(G, KINDS), strict=True):
        assert found == pytest.approx(expected, rel=1e-12)
    for tiny, there in ((0.5, 0.0), (2.0, 1.0)):  # fixed rows: less than a fraction of the mean mobility
        row = tiny * VANISHING * 0.25
        G = np.diag([1.0, row, row, row])
        (stop,), contact = steps_of(G.tolist(), blocks_of(("stop", "contact")))
        assert stop == 1.0 and contact == pytest.approx([there / row] * 2)
    assert steps_of([[0.0]], blocks_of(("stop",))) == [[0.0]] and NEVER_ZERO < 1e-200
    first = [("stop", [0]), ("contact", [1, 2, 3]), ("friction", [4]), ("contact", [5, 6, 7])]
    assert blocks_of(KINDS) == [*first, ("disc", [8, 9])]


def test_projections() -> None:
    assert on_disc([3.0, -4.0], 2.5) == pytest.approx([1.5, -2.0]) and on_disc([3.0, -4.0], 5.5) == [3.0, -4.0]
    assert on_disc([0.0, 0.0], 0.0) == [0.0, 0.0] and on_disc([1.0, 1.0], 0.0) == [0.0, 0.0]
    table = [("friction", 2.0, 0.5), ("friction", -2.0, -0.5), ("friction", 0.25, 0.25), ("friction", -0.25, -0.25),
             ("stop", -2.0, 0.0), ("stop", 2.0, 2.0), ("contact", -2.0, 0.0), ("contact", 2.0, 2.0)]  # fmt: skip
    for kind, x, expected in table:
        assert _normal(kind, x, 0.5) == expected


@pytest.mark.parametrize("seed", range(6))
def test_misfits_are_the_largest_violation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    G, b = system(rng)
    p = rng.normal(size=len(b)) + np.array([0.5, 1, 0, 0, 0, 1, 0, 0, 0, 0])
    p[[0, 1, 5]] = np.abs(p[[0, 1, 5]])
    u = G @ p + b
    worst, rates = misfit(G.tolist(), b.tolist(), p.tolist(), KINDS, LIMITS)
    assert rates == pytest.approx(u.tolist())
    expected = conditions(G, b, p, KINDS, LIMITS)
    at = 0
    for kind, limit, step in zip(
        KINDS, LIMITS, expected_steps(G, KINDS), strict=True
    ):  # here open contacts have discs too
        if kind == "contact":
            t, s = p[at + 1 : at + 3], p[at + 1 : at + 3] - step[1] * u[at + 1 : at + 3]
            expected[at + 1 : at + 3] = (t - s * min(1.0, limit * p[at] / np.linalg.norm(s))) / step[1]
        at += WIDTH[kind]
    assert worst == pytest.approx(np.abs(expected).max())


def test_misfits_of_rows_that_nothing_moves() -> None:
    for b, worst in (([-2.0], 2.0), ([3.0], 0.0)):
        assert misfit([[0.0]], b, [0.0], ("stop",), [0.0])[0] == worst
        assert misfit([[0.0]], b, [0.0], ("friction",), [1.0])[0] == 0.0


@pytest.mark.parametrize("seed", range(12))
def test_newton_matrices_by_differences(seed: int) -> None:
    """Stops and contacts that open, stick and slide, and joints on both sides of their friction."""
    rng = np.random.default_rng(seed)
    G, b = system(rng)
    p = rng.normal(size=len(b)) * 0.3
    p[[0, 1, 5]] = rng.uniform(0.1, 1.0, 3)
    p[[2, 3, 6, 7, 8, 9]] *= 0.3
    if seed % 3 == 0:
        b[:] = -G @ p + 0.01 * b  # nearly still: contacts stick
    blocks, seen = blocks_of(KINDS), []

    def solved(A: Any, c: Any) -> Any:
        seen.append((np.array(A), np.array(c)))
        return [0.0] * len(c)

    steps = steps_of(G.tolist(), blocks)
    moved = _newton(G.tolist(), b.tolist(), p.tolist(), blocks, LIMITS, steps, solved)
    ((A, c),) = seen
    assert c == pytest.approx(-conditions(G, b, p, KINDS, LIMITS), abs=1e-12)
    h = 1e-6
    slopes = [
        (conditions(G, b, p + d, KINDS, LIMITS) - conditions(G, b, p - d, KINDS, LIMITS)) / (2.0 * h)
        for d in h * np.eye(len(b))
    ]
    assert np.allclose(A, np.transpose(slopes), rtol=0.0, atol=1e-6 * np.abs(A).max())
    damped = A - np.transpose(slopes)
    assert np.abs(damped).max() < 1e-6 * np.abs(A).max() and DAMPING < 1e-9
    for (kind, at), limit in zip(blocks, LIMITS, strict=True):  # no step: only the projection
        if kind != "disc":
            assert moved[at[0]] == (np.clip(p[at[0]], -limit, limit) if kind == "friction" else max(p[at[0]], 0.0))
        if kind in SLIDING:
            radius, (i, j) = limit * (p[at[0]] if kind == "contact" else 1.0), at[-2:]
            assert np.hypot(moved[i], moved[j]) == pytest.approx(min(radius, float(np.hypot(p[i], p[j]))))


def test_newton_leaves_rows_that_nothing_moves() -> None:
    seen = []

    def solved(A: Any, c: Any) -> Any:
        seen.append((A, c))
        return [0.0] * len(c)

    G = np.diag([1.0, 0.0, 0.0, 0.0])
    blocks = blocks_of(("stop", "contact"))
    p = [0.5, 0.25, 0.125, -0.125]
    _newton(G.tolist(), [-1.0] * 4, p, blocks, [0.0, 0.5], steps_of(G.tolist(), blocks), solved)
    ((A, c),) = seen
    assert np.allclose(A, np.diag([1.0 + DAMPING, 1.0, 1.0, 1.0])) and c == [0.5, -0.25, -0.125, 0.125]


@pytest.mark.parametrize(
    ("kind", "p", "d", "part"),
    [
        ("stop", 1.0, -2.0, 0.5),
        ("stop", 1.0, -0.5, 1.0),
        ("stop", 1.0, 5.0, 1.0),
        ("stop", 0.0, -2.0, 1.0),
        ("friction", 0.25, 1.0, 0.25),
        ("friction", 0.25, -1.5, 0.5),
        ("friction", -0.25, 1.5, 0.5),
        ("friction", -0.25, -1.0, 0.25),
        ("friction", 0.25, 0.5, 0.5),
        ("friction", 0.25, 0.125, 1.0),
        ("friction", 0.5, 0.125, 1.0),
    ],
)
def test_parts_of_steps(kind: Kind, p: float, d: float, part: float) -> None:
    assert _part_allowed([p], [d], blocks_of((kind,)), [0.5]) == part
    both = _part_allowed([p, 1.0], [d, -1.6], blocks_of((kind, "stop")), [0.5, 0.0])
    assert both == min(part, 0.625)
    other = _part_allowed([1.0, p], [-1.6, d], blocks_of(("stop", kind)), [0.0, 0.5])
    assert other == both


def test_a_step_goes_as_far_as_it_may() -> None:
    G, b = np.eye(2), [-1.0, -1.0]
    blocks = blocks_of(("stop", "stop"))
    moved = _newton(
        G.tolist(), b, [1.0, 2.0], blocks, [0.0, 0.0], steps_of(G.tolist(), blocks), lambda A, c: [-2.0, 4.0]
    )
    assert moved == [0.0, 4.0]


def test_sweeps_in_order() -> None:
    """One stop after the other, with the impulses already changed; friction within the disc of the new normal."""
    rng = np.random.default_rng(3)
    G, b = system(rng)
    p = rng.uniform(0.0, 0.5, len(b))
    m = len(b)
    for part in (1.0, 0.25):
        expected = p.copy()
        for _ in range(SWEEPS):
            at = 0
            for kind, limit, step in zip(KINDS, LIMITS, expected_steps(G, KINDS), strict=True):
                if kind != "disc":
                    to = expected[at] - step[0] * (G @ expected + b)[at]
                    to = np.clip(to, -limit, limit) if kind == "friction" else max(to, 0.0)
                    expected[at] += part * (to - expected[at])
                if kind in SLIDING:
                    radius, pair = (
                        limit * (expected[at] if kind == "contact" else 1.0),
                        slice(at + WIDTH[kind] - 2, None),
                    )
                    s = (expected - step[-1] * (G @ expected + b))[pair][:2]
                    expected[pair.start : pair.start + 2] = s * min(1.0, radius / np.linalg.norm(s))
                at += WIDTH[kind]
        still = improved(G.tolist(), b.tolist(), p.tolist(), 1e-9, KINDS, LIMITS, part, lambda A, c: [np.nan] * m)
        assert still[0] == pytest.approx(expected.tolist()) and still[1] == pytest.approx((G @ expected + b).tolist())
        assert still[2] == pytest.approx(misfit(G.tolist(), b.tolist(), expected.tolist(), KINDS, LIMITS)[0])


@pytest.mark.parametrize(
    ("residual", "miss", "taken"),
    [
        (10.0, 0.5, True),  # better than the sweeps
        (10.0, 2.0, False),  # worse than the sweeps, which improve
        (10.0, 8.0, False),
        (1.05, 0.5, True),
        (1.05, 0.94, True),  # the sweeps do not improve enough: ten percent
        (1.05, 0.96, True),
        (1.05, 1.05 * (1.0 + 5e-7), False),  # it leads back
        (1.05, 1.05 * (1.0 - 5e-7), False),
        (1.05, 1.05 * (1.0 + 3e-6), True),
        (1.05, 1.05 * (1.0 - 3e-6), True),
        (1.05, 5.0, True),
        (1.05, 1e5, True),
        (1.05, 1e7, False),  # it strays
        (0.01, 1e3, True),
        (0.01, 1e6, False),
        (1.2, 0.9, True),
        (1.2, 1.02, False),
        (1.2, 1e3, False),
    ],
)
def test_the_better_of_sweeps_and_newton(residual: float, miss: float, taken: bool) -> None:
    """A pair of stops that sweeps leave at a misfit of one, beside a step to a known misfit."""
    G, b = [[1.0, -1.0], [-1.0, 1.0]], [-1.0, 0.0]
    p = [0.0, 0.0]  # swept: p = (1, 1), then (2, 2): the first approaches at one again
    kinds: tuple[Kind, ...] = ("stop", "stop")
    sweep = improved(G, b, p, UNKNOWN, kinds, [0.0, 0.0], 1.0, lambda A, c: [np.nan] * 2)
    assert sweep == ([2.0, 2.0], [-1.0, 0.0], 1.0)
    near = 10.0 + 2.0 * miss
    found = improved(G, b, p, residual, kinds, [0.0, 0.0], 1.0, lambda A, c: [near + miss - 2.0, near - 2.0])
    assert found[2] == pytest.approx(miss if taken else 1.0, rel=1e-9)
    assert found[0] == pytest.approx([near + miss, near] if taken else [2.0, 2.0])
    assert found[1] == pytest.approx([miss - 1.0, -miss] if taken else [-1.0, 0.0])


def test_newton_takes_few_rows() -> None:
    """Or many, if a function solves them."""
    assert LARGEST_SOLVED == 24
    for count, solved in ((8, True), (9, False)):
        kinds: tuple[Kind, ...] = ("contact",) * count
        G, b = system(np.random.default_rng(2), kinds)
        start = [0.0] * len(b)
        plain = improved(G.tolist(), b.tolist(), start, UNKNOWN, kinds, [0.4] * count)
        none = improved(
            G.tolist(), b.tolist(), start, UNKNOWN, kinds, [0.4] * count, 1.0, lambda A, c: [np.nan] * len(c)
        )
        assert (plain[0] != none[0]) == solved


@pytest.mark.parametrize("count", [0.0, 59.0, 60.0, 61.0, 119.0, 120.0, 121.0, 300.0])
def test_searches_restart_from_zero_twice(count: float) -> None:
    """After sixty steps, and after sixty more with short sweeps along normals; not where impulses are accepted."""
    assert (PATIENCE, CAUTIOUS) == (60.0, 0.1)
    kinds: tuple[Kind, ...] = ("contact", "stop")
    G, b = system(np.random.default_rng(5), kinds)
    b[[0, 3]] -= 2.0
    p, limits, tolerance = np.array([0.3, 0.1, -0.05, 0.2]), [0.4, 0.0], 1e-10
    step = impulse_kernel(kinds).function
    residual, u = misfit(G.tolist(), b.tolist(), p.tolist(), kinds, limits)
    new, left, rates, most, steps, again = step(
        p.tolist(), residual, u, 0.0, count, G.tolist(), b.tolist(), limits, tolerance
    )
    restarts = count in (PATIENCE, 2.0 * PATIENCE)
    expected = improved(
        G.tolist(), b.tolist(), [0.0] * 4 if restarts else p.tolist(), UNKNOWN if restarts else residual, kinds, limits,
        0.1 if count >= 120.0 else 1.0,
    )  # fmt: skip
    assert new == pytest.approx(expected[0]) and rates == pytest.approx(expected[1])
    assert left == pytest.approx(expected[2]) and steps == count + 1.0 and again == (left > most)
    assert most == pytest.approx(tolerance * np.abs([min(b[0], 0.0), b[1], b[2], min(b[3], 0.0)]).max())
    # what is accepted stays
    new, left, rates, most, steps, again = step(p.tolist(), 0.25, u, 0.0, count, G.tolist(), b.tolist(), limits, 1.0)
    assert new == p.tolist() and rates == u and (left, again) == (0.25, 0.0)


def test_many_rows_have_fewer_steps() -> None:
    assert impulse_loop(("contact",) * 8).steps == 400 and impulse_loop(("contact",) * 9).steps == 100
