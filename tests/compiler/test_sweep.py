"""Sweeps along trees: parents before children outward, children into parents inward, and nothing outside the arrays."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.compiler.sweep import Entries, Sweep
from sixvec.errors import ShapeError


@sixvec.compiled("x[2] parent[2] -> y[2]")
def turned(x, parent):
    return [x[0] * parent[0] - x[1] * parent[1], x[0] * parent[1] + x[1] * parent[0]]


@sixvec.compiled("x[1] parent[2] -> y[2]")
def scaled(x, parent):
    return [x[0] * parent[0], x[0] * parent[1]]


@sixvec.compiled("own total -> seen passed")
def gathered(own, total):
    return own + total, own + total


def random_parents(n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([-1, *(rng.integers(-1, i) for i in range(1, n))])


def test_kinds_with_entries_of_different_lengths() -> None:
    n, rng = 400, np.random.default_rng(1)
    parents, kinds = random_parents(n), rng.integers(0, 2, n)
    size = np.array([2, 1])[kinds]
    first = np.cumsum(size) - size
    x = rng.normal(size=int(size.sum()))
    y = np.zeros((n + 1, 2))
    y[0] = [1.0, 0.0]
    rows = np.arange(n)
    Sweep([turned, scaled], kinds).outward(
        {"x": Entries.at(x, first), "parent": Entries.at(y, (parents + 1) * 2)}, {"y": Entries.at(y, (rows + 1) * 2)}
    )()
    expected = [complex(1.0)]
    for i in range(n):
        factor = complex(x[first[i]], x[first[i] + 1] if kinds[i] == 0 else 0.0)
        expected.append(factor * expected[parents[i] + 1])
    assert np.allclose(y[:, 0] + 1j * y[:, 1], expected, rtol=1e-12)


def test_children_add_to_their_parent() -> None:
    n, rng = 300, np.random.default_rng(2)
    parents, own = random_parents(n, 3), rng.normal(size=n)
    totals, seen = np.zeros(n + 1), np.zeros(n)
    rows = np.arange(n)
    Sweep([gathered], np.zeros(n, int)).inward(
        {"own": Entries.at(own, rows), "total": Entries.at(totals, rows + 1)},
        {"seen": Entries.at(seen, rows)},
        {"passed": Entries.at(totals, parents + 1)},
    )()
    subtree = own.copy()
    for i in reversed(range(n)):
        if parents[i] >= 0:
            subtree[parents[i]] += subtree[i]
    assert np.allclose(seen, subtree, rtol=1e-12)
    assert np.isclose(totals[0], own.sum())


def test_a_prepared_sweep_reads_what_its_arrays_hold_by_then() -> None:
    rows, own, totals, seen = np.arange(3), np.zeros(3), np.zeros(4), np.zeros(3)
    run = Sweep([gathered], np.zeros(3, int)).inward(
        {"own": Entries.at(own, rows), "total": Entries.at(totals, rows + 1)},
        {"seen": Entries.at(seen, rows)},
        {"passed": Entries.at(totals, rows)},
    )
    for numbers in ([1.0, 2.0, 4.0], [3.0, 0.0, -1.0]):
        own[:], totals[:] = numbers, 0.0
        run()
        assert seen.tolist() == np.cumsum(numbers[::-1])[::-1].tolist()


def test_what_does_not_fit_raises() -> None:
    sweep, rows = Sweep([gathered], np.zeros(3, int)), np.arange(3)
    good, out = Entries.at(np.zeros(4), rows), Entries.at(np.zeros(4), rows)
    with pytest.raises(ShapeError, match="inputs"):
        sweep.outward({"own": good}, {"seen": out, "passed": out})
    for wrong in (rows + 2, rows - 1):
        with pytest.raises(ShapeError, match="own"):
            sweep.outward({"own": Entries.at(np.zeros(4), wrong), "total": good}, {"seen": out, "passed": out})
    with pytest.raises(ShapeError, match="own"):
        sweep.outward({"own": Entries.at(np.zeros(4, np.float32), rows), "total": good}, {"seen": out, "passed": out})
    with pytest.raises(ShapeError, match=named("inputs", "outputs")):
        Sweep([gathered, turned], np.zeros(3, int))


def test_kernels_of_one_sweep_have_the_same_arrays() -> None:
    @sixvec.compiled("x[2] parent[2] -> z[2]")
    def other_result(x, parent):
        return x

    @sixvec.compiled("w[2] parent[2] -> y[2]")
    def other_argument(w, parent):
        return w

    for other in (other_result, other_argument):
        with pytest.raises(ShapeError, match=named(other.name, "turned")):
            Sweep([turned, other], np.zeros(3, int))
