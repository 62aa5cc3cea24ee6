"""The search for a position without a robot: when a start goes on, and what is kept of many."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sixvec.compiler.program import Port
from sixvec.ik.position_solver import LARGEST, PATIENCE, PROGRESS, RUNNING, SOLVED, STALLED, searching
from sixvec.ik.search import APART, GROUPS, KEPT, NEARLY, Search


def run(cost: float, conditions: tuple[bool, ...], best: float, waited: float, state: float) -> list[Any]:
    """The next (x, best, waited, state), and whether to go on, from x = 1 to 2."""
    loop = searching(lambda x: ([x[0] + 1.0], cost, conditions), Port("x", (1,)), (), "test")
    return list(loop.function([1.0], best, waited, state))


@pytest.mark.parametrize(
    ("cost", "conditions", "best", "waited", "after"),
    [
        (0.7, (False, True), 1.0, 3.0, ([2.0], 0.7, 0.0, RUNNING, 1.0)),
        (0.9, (False, True), 1.0, 3.0, ([2.0], 1.0, 4.0, RUNNING, 1.0)),
        (0.9, (True, False), 1.0, PATIENCE - 1.0, ([2.0], 1.0, PATIENCE, RUNNING, 1.0)),
        (0.9, (False, False), 1.0, PATIENCE, ([1.0], 1.0, PATIENCE + 1.0, STALLED, 0.0)),
        (0.7, (False, False), 1.0, PATIENCE, ([2.0], 0.7, 0.0, RUNNING, 1.0)),
        (0.7, (True, True), 1.0, 3.0, ([1.0], 0.7, 0.0, SOLVED, 0.0)),
        (0.9, (True, True), 1.0, PATIENCE, ([1.0], 1.0, PATIENCE + 1.0, SOLVED, 0.0)),
        (2.0 * LARGEST, (True, True), np.inf, 0.0, ([1.0], 2.0 * LARGEST, 0.0, STALLED, 0.0)),
        (np.nan, (True, True), 1.0, 0.0, ([1.0], 1.0, 1.0, STALLED, 0.0)),
    ],
)
def test_a_start_goes_on_until_it_is_solved_or_without_progress(
    cost: float, conditions: tuple[bool, ...], best: float, waited: float, after: tuple[Any, ...]
) -> None:
    assert tuple(run(cost, conditions, best, waited, RUNNING)) == after and PROGRESS == 0.8
    for ended in (SOLVED, STALLED):
        assert run(cost, conditions, best, waited, ended) == [[1.0], best, waited, ended, 0.0]


def bare(n: int, nq: int = 1, at_once: int = 100) -> Any:
    """A search without a robot: its loop answers from a table of (q, best, state) by start."""
    search: Any = object.__new__(Search)
    search.machine = SimpleNamespace(xp=np, at_once=at_once, keeps_ends=False)
    search.problem = SimpleNamespace(targets=(np.arange(float(n))[:, None],))
    search._given = ()
    search.q, search.cost = np.full((n, nq), np.nan), np.full(n, np.inf)
    search.starts, search.solved = np.zeros(n, int), np.zeros(n, bool)
    search._others = np.empty(0, int)
    return search


@pytest.mark.parametrize("at_once", [1, 2, 6, 100])
def test_the_first_start_that_solves_counts_and_otherwise_the_closest(at_once: int) -> None:
    """Problem 0 is solved by its second start, problem 2 by none; problem 1 is not asked."""
    search = bare(3, at_once=at_once)
    best = np.array([[0.5, 0.0, 0.0, 0.0], [9.0] * 4, [0.3, 0.2, 0.4, 0.25]])
    state = np.array([[STALLED, SOLVED, SOLVED, STALLED], [SOLVED] * 4, [STALLED] * 4])
    asked: list[tuple[list[int], list[int]]] = []

    def choose(rows: Any, numbers: range) -> Any:
        asked.append((rows.tolist(), [*numbers]))
        return np.array([[[10.0 * r + k] for k in numbers] for r in rows])

    def loop(starts: Any, least: Any, waited: Any, ended: Any, targets: Any) -> Any:
        assert np.isinf(least).all() and not waited.any() and not ended.any()
        row, number = (starts[..., 0] // 10).astype(int), (starts[..., 0] % 10).astype(int)
        assert (targets[:, 0, 0] == row[:, 0]).all()
        return starts, best[row, number], None, state[row, number]

    search._loop = loop
    rest = search._descend(np.array([0, 2]), range(4), choose)
    assert rest.tolist() == [2] and search.solved.tolist() == [True, False, False]
    assert search.starts.tolist() == [2, 0, 4] and search.cost.tolist() == [0.0, np.inf, 0.2]
    assert search.q[:, 0].tolist()[::2] == [1.0, 21.0] and np.isnan(search.q[1])
    assert asked[0] == ([0, 2], [*range(max(1, min(4, at_once // 2)))])
    assert sorted({k for rows, numbers in asked for k in numbers if 2 in rows}) == [0, 1, 2, 3]


def test_ends_are_kept_that_differ() -> None:
    """A similar end that is worse is replaced, otherwise the worst of all."""
    search = bare(6)
    search.q[:, 0], search.cost[:] = np.arange(6.0), 0.5
    search._remember(np.array([2, 5]))
    assert search._ends.shape == (2, KEPT, 1) and search._costs[:, 0].tolist() == [0.5, 0.5]
    assert search._ends[:, 0, 0].tolist() == [2.0, 5.0] and np.isinf(search._costs[:, 1:]).all()
    search._note(np.array([5]), np.array([[5.0 + 0.5 * APART]]), np.array([0.25]))
    assert search._ends[1, 0, 0] == 5.0 + 0.5 * APART and search._costs[1, 0] == 0.25
    search._note(np.array([5]), np.array([[5.0]]), np.array([0.75]))  # similar, and worse
    assert search._ends[1, 0, 0] == 5.0 + 0.5 * APART and np.isinf(search._costs[1, 1])
    search._note(np.array([2, 5]), np.array([[9.0], [5.0 + 2.0 * APART]]), np.array([0.75, 0.125]))
    assert search._ends[:, :2, 0].tolist() == [[2.0, 9.0], [5.0 + 0.5 * APART, 5.0 + 2.0 * APART]]
    assert search._costs[:, :2].tolist() == [[0.5, 0.75], [0.25, 0.125]]
    ends = search.ends(np.array([1, 2, 5]))
    assert ends.shape == (3, KEPT, 1) and (ends[0] == 1.0).all() and ends[1, :2, 0].tolist() == [2.0, 9.0]
    assert (ends[1, 2:] == 2.0).all() and (ends[2, 2:] == 5.0).all()
    for k in range(KEPT):  # full: the worst one goes
        search._note(np.array([2]), np.array([[20.0 + k]]), np.array([0.6 if k else 0.7]))
    assert sorted(search._costs[0])[-1] == 0.6 and 9.0 not in search._ends[0] and 2.0 in search._ends[0]


def test_numbers_of_starts() -> None:
    """First the given one, then those of the table, then others in turn."""
    search = bare(2)
    search.open = np.array([True, True])
    search.problem.robot = SimpleNamespace(model=None)
    search.problem.limits = ((), ())
    seen: list[list[int]] = []

    def descend(rows: Any, numbers: range, choose: Any) -> Any:
        seen.append([numbers.start, numbers.stop])
        return rows[:0]

    search._descend = descend
    search.run(np.zeros((2, 1)), 0, 40)
    assert seen == [[0, 1], [1, GROUPS + 1], [GROUPS + 1, 40]] and GROUPS < 40 and pytest.approx(0.01) == NEARLY
    seen.clear()
    search.run(np.zeros((2, 1)), 0, 3)
    assert seen == [[0, 1], [1, 3], [GROUPS + 1, 3]]
    seen.clear()
    search.open[:] = False
    search.run(np.zeros((2, 1)), 40, 80)
    assert seen == [[40, 80]]
