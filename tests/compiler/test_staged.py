"""Stages in a row, one of them a loop of its own, as a step of a loop: the same numbers as in Python."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from sixvec.compiler.iteration import Iterated
from sixvec.compiler.program import Port
from sixvec.compiler.runtime import call_stub
from sixvec.compiler.staged import Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import where

X, ROOT, MISS = Port("x", ()), Port("root", ()), Port("miss", ())


def grown(x: Any, rate: Any) -> Any:
    return x + rate, 1.0, 1e30


def root_step(root: Any, miss: Any, x: Any) -> Any:
    """Newton's step for root² = x; what is done stays."""
    new = (root + x / root) * 0.5
    left = new * new - x
    done = miss < 1e-12
    size = where(left < 0.0, -left, left)
    return where(done, root, new), where(done, miss, size), where(done, 0.0, where(size > 1e-12, 1.0, 0.0))


def finished(root: Any) -> Any:
    return root, root


@pytest.fixture(scope="module")
def loop() -> Iterated:
    """x ← √(x + rate), twenty times, with an entry of `rate` per step."""
    first = CompiledFunction(grown, (X, Port("rate", ())), (Port("sum", ()), Port("one", ()), Port("far", ())))
    step = CompiledFunction(root_step, (ROOT, MISS, X), (ROOT, MISS, Port("again", ())))
    last = CompiledFunction(finished, (ROOT,), (X, Port("each", ())))
    inner = Iterated(step, 60, 2, until=True)
    stages = [
        Stage(first, ("x", "rate"), ("sum", "one", "far")),
        Stage(inner, ("one", "far", "sum"), ("root", "miss")),
        Stage(last, ("root",), ("next", "each")),
    ]
    outputs = (Port("next", ()), Port("each", ()), MISS)
    return Iterated(Staged("roots", (X, Port("rate", ())), outputs, stages), 20, 1, 1, name="roots")


def expected(x: Any, rates: Any) -> Any:
    found = []
    for k in range(rates.shape[-1]):
        x = np.sqrt(x + rates[..., k])
        found.append(x)
    return np.stack(found, axis=-1)


def test_a_loop_within_a_step_runs_until_it_is_done(loop: Iterated) -> None:
    rates = np.linspace(0.5, 300.0, 20)
    end, each, miss = loop.call(np.array(2.0), rates)
    assert np.allclose(each, expected(2.0, rates), rtol=1e-12) and end == each[-1]
    assert miss.shape == (20,) and miss.max() < 1e-9


def test_lanes_go_their_own_way_and_share_nothing(loop: Iterated) -> None:
    rng = np.random.default_rng(0)
    start, rates = rng.uniform(0.0, 1e4, 37), rng.uniform(0.0, 1e4, (37, 20))
    end, each, _ = loop.call(start, rates)
    assert np.allclose(each, expected(start, rates), rtol=1e-12) and np.array_equal(end, each[:, -1])
    for k in (0, 8, 36):  # a sample has the same bits alone
        assert np.array_equal(loop.call(start[k], rates[k])[1], each[k])


def test_single_precision_has_its_own_code(loop: Iterated) -> None:
    rates = np.full(20, 3.0, np.float32)
    each = loop.call(np.array(1.0, np.float32), rates)[1]
    assert each.dtype == np.float32 and np.allclose(each, expected(1.0, rates), rtol=1e-5)


@pytest.mark.skipif(not call_stub.available(), reason="this interpreter has another object layout")
@pytest.mark.parametrize("batch", [(), (1,), (37,)])
def test_call_stubs_run_the_whole_loop(loop: Iterated, batch: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    start, rates = rng.uniform(0.0, 1e4, batch), rng.uniform(0.0, 1e4, (*batch, 20))
    first = loop(start, rates)
    with monkeypatch.context() as patch:
        patch.setattr(Iterated, "call", lambda *_: pytest.fail("the Python path"))
        for _ in range(3):
            again = loop(start, rates)
    for a, b, c in zip(first, again, loop.call(start, rates), strict=True):
        assert type(a) is type(b) and np.array_equal(a, b) and np.array_equal(a, c)
    broken = np.array(start)
    broken[(0,) * broken.ndim] = np.nan
    each = np.asarray(loop(broken, rates)[1]).reshape(-1, 20)
    assert np.isnan(each[0]).all() and np.array_equal(each[1:], np.asarray(first[1]).reshape(-1, 20)[1:])


def test_threads_share_a_loop(loop: Iterated) -> None:
    rng = np.random.default_rng(2)
    starts, rates = rng.uniform(0.0, 1e4, (50, 3)), rng.uniform(0.0, 1e4, (50, 3, 20))
    alone = [loop.call(x, u)[1] for x, u in zip(starts, rates, strict=True)]
    loop(starts[0], rates[0])
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            together = list(pool.map(lambda k: loop(starts[k], rates[k])[1], range(50)))
            assert all(map(np.array_equal, alone, together))
