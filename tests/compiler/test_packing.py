"""Items packed into lists of each sample, visited as often as needed, and put back: the same as in Python."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from sixvec.compiler.emit.cuda_staged import emit_staged_loop
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.packing import MOST_KINDS, Item, Kind, Packing
from sixvec.compiler.program import Port
from sixvec.compiler.staged import Stage, Staged
from sixvec.errors import ArgumentError
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import UNREAD, guard, where

PAIRED, SINGLE = Kind((0.0, 0.0, -1.0), 1), Kind((7.0,), 2)
ITEMS = [
    *(Item(0, 2 * k, (k % 2, 2), k) for k in range(5)),
    *(Item(1, 10 + k, (0,), 5 + 2 * k) for k in range(3)),
]
PACKING = Packing([PAIRED, SINGLE], ITEMS, 13)
STATE, TOTAL = Port("state", (PACKING.states,)), Port("total", ())
X, FLAGS = Port("x", (PACKING.numbers,)), Port("flags", (len(ITEMS),))


def written(state: Any, x: Any, flags: Any) -> Any:
    """Numbers of items without a flag are not written."""
    starts = [item.first for item in ITEMS] + [PACKING.numbers]
    numbers: list[Any] = []
    for flag, start, end in zip(flags, starts, starts[1:], strict=False):
        needed = [long_product(y) for y in x[start:end]]
        numbers += guard(flag > 0.0, needed, [UNREAD] * len(needed))
    return numbers, list(flags), list(state)


def long_product(x: Any) -> Any:
    """x, by so many operations that a branch around them pays."""
    for k in range(2, 16):
        x = (x + k) * k
    for k in range(15, 1, -1):
        x = x * (1.0 / k) - k
    return x


def paired(total: Any, entry: Any, s: Any) -> Any:
    on = entry[2] > 0.0
    return where(on, total * 0.5 + entry[0] + 3.0 * entry[1] + entry[2], total), [where(on, s[0] + 1.0, 0.0)]


def single(total: Any, entry: Any, s: Any) -> Any:
    on = entry[0] < 6.5
    return where(on, total + entry[0] * s[0], total), [s[0] + 10.0, s[1] + 20.0]


def loop() -> Iterated:
    write = CompiledFunction(written, (STATE, X, FLAGS), (Port("numbers", X.shape), Port("needed", FLAGS.shape), STATE))
    visits = []
    for k, (kind, function) in enumerate(((PAIRED, paired), (SINGLE, single))):
        entry, states = Port("entry", (len(kind.empty),)), Port("s", (kind.states,))
        made = CompiledFunction(function, (TOTAL, entry, states), (TOTAL, states))
        visits.append(Iterated(made, PACKING.most(k), 1, 2, counted=True))
    stages = [
        Stage(write, ("state", "x", "flags"), ("numbers", "needed", "first")),
        Stage(PACKING.pack, ("needed", "numbers", "first"), ("n0", "e0", "s0", "n1", "e1", "s1")),
        Stage(visits[0], ("total", "e0", "s0", "n0"), ("total0", "s0_new")),
        Stage(visits[1], ("total0", "e1", "s1", "n1"), ("total_new", "s1_new")),
        Stage(PACKING.unpack, ("needed", "s0_new", "s1_new"), ("state_new",)),
    ]
    ahead = Port("state_new", STATE.shape), Port("total_new", ())
    return Iterated(Staged("visited", (STATE, TOTAL, X, FLAGS), ahead, stages), 3, 2)


def in_python(state: Any, total: float, x: Any, flags: Any) -> Any:
    for _ in range(3):
        new = np.zeros(PACKING.states)
        for item, flag in zip(ITEMS, flags, strict=True):
            kind, at = (PAIRED, SINGLE)[item.kind], slice(item.state, item.state + (PAIRED, SINGLE)[item.kind].states)
            if flag > 0.0:
                entry = np.array(kind.empty)
                entry[list(item.places)] = [long_product(y) for y in x[item.first : item.first + len(item.places)]]
                total, new[at] = (paired, single)[item.kind](total, entry, state[at])
        state = new
    return state, total


def numbers(n: int, dtype: str) -> list[Any]:
    rng = np.random.default_rng(n)
    flags = np.where(rng.random((n, len(ITEMS))) < 0.4, 1.0, rng.choice([0.0, -1.0, np.nan], (n, len(ITEMS))))
    state, x = rng.integers(0, 3, (n, PACKING.states)), rng.integers(1, 6, (n, PACKING.numbers))
    return [a.astype(dtype) for a in (state, np.zeros(n), x, flags)]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n", [1, 3, 37])
def test_lists_hold_the_items_with_a_flag_in_their_order(n: int, dtype: str) -> None:
    arrays = numbers(n, dtype)
    state, total = loop()(*arrays)
    expected = [in_python(*(a[i].astype(float) for a in arrays)) for i in range(n)]
    precision = 1e-9 if dtype == "float64" else 2e-3
    np.testing.assert_allclose(state, [s for s, _ in expected], rtol=precision)
    np.testing.assert_allclose(total, [t for _, t in expected], rtol=precision)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_results_do_not_depend_on_other_samples(dtype: str) -> None:
    function, arrays = loop(), numbers(37, dtype)
    arrays[2][5] = np.nan
    whole = function(*arrays)
    for i in (0, 4, 36):
        for one, of_all in zip(function(*(a[i] for a in arrays)), whole, strict=True):
            assert np.array_equal(one, of_all[i])
    back = function(*(a[::-1] for a in arrays))
    assert all(np.array_equal(a[::-1], b, equal_nan=True) for a, b in zip(back, whole, strict=True))


def test_no_flags_no_visits() -> None:
    state, total, x, flags = numbers(9, "float64")
    new, same = loop()(state, total + 2.0, x * np.nan, flags * 0.0 - 1.0)
    assert (new == 0.0).all()
    assert (same == 2.0).all()


def test_a_packing_survives_pickling_and_kinds_are_limited() -> None:
    again = pickle.loads(pickle.dumps(PACKING))
    assert again.items == PACKING.items
    assert [p.shape for p in again.pack.outputs] == [(), (5, 3), (5, 1), (), (3, 1), (3, 2)]
    with pytest.raises(ArgumentError, match="kinds"):
        Packing([PAIRED] * (MOST_KINDS + 1), [], 0)


def test_cuda_threads_have_lists_of_their_own() -> None:
    text, _ = emit_staged_loop(loop(), "float32")
    assert "count_[kind_[n_]]++" in text
    assert "(long long)in3_[0]" in text
