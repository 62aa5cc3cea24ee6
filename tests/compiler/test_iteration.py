"""The loop over steps does what Python's loop over the same steps does, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec.compiler import iteration
from sixvec.compiler.iteration import Iterated
from sixvec.scalar import where


class Backwards(Iterated):
    backwards = True


@sixvec.compiled("x[2] k u[1] -> x1[2] y[3]")
def swing(x, k, u):
    new = [x[0] + x[1] * k, x[1] - x[0] * k + u[0]]
    return new, [new[0], 7.0, new[1]]


@sixvec.compiled("x rounds -> x1 rounds1 go")
def root_of_two(x, rounds):
    better = 0.5 * (x + 2.0 / x)
    goes_on = abs(better - x) > 1e-12  # false for what is not a number
    return where(goes_on, better, x), where(goes_on, rounds + 1.0, rounds), where(goes_on, 1.0, 0.0)


@sixvec.compiled("x left -> x1 left1 go")
def countdown(x, left):
    goes_on = where(left > 0.0, 1.0, 0.0)
    return x + 1.0, left - goes_on, where(left > 1.0, 1.0, 0.0)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_loop_that_may_skip_makes_no_step_where_no_lane_needs_one(dtype: str) -> None:
    loop = Iterated(countdown, 5, carried=2, until=True, may_skip=True)
    for left in (0.0, -1.0, np.nan):
        assert loop(np.asarray(3.0, dtype), np.asarray(left, dtype))[0] == 3.0
        assert (loop(np.full(37, 3.0, dtype), np.full(37, left, dtype))[0] == 3.0).all()
    assert [float(x) for x in loop(np.asarray(3.0, dtype), np.asarray(2.0, dtype))] == [5.0, 0.0]
    left = np.zeros(64, dtype)
    left[63] = 2.0  # the last of a register; the others of it make its steps, too
    assert loop(np.zeros(64, dtype), left)[0][[0, 15, 63]].tolist() == [0.0, 0.0, 2.0]


@pytest.mark.parametrize("steps", [0, 1, 5, 3000])
@pytest.mark.parametrize("batch", [(), (1,), (3,), (37,), (2, 5)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_loop_of_steps_has_the_bits_of_single_steps(steps: int, batch: tuple[int, ...], dtype: str) -> None:
    rng = np.random.default_rng(0)
    x, u = rng.normal(size=(*batch, 2)).astype(dtype), rng.normal(size=(*batch, steps, 1)).astype(dtype)
    k = np.asarray(0.01, dtype)
    last, history = Iterated(swing, steps, carried=1, each=1)(x, k, u)
    assert last.dtype == dtype and history.shape == (*batch, steps, 3)
    for t in range(steps):
        x, y = swing(x, k, u[..., t, :])
        assert np.array_equal(history[..., t, :], y)
    assert np.array_equal(last, x)


@pytest.mark.parametrize("steps", [1, 5, 3000, 20000])
@pytest.mark.parametrize("batch", [(), (1,), (37,)])
def test_a_loop_backwards_is_a_loop_over_reversed_arrays(steps: int, batch: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x, u = rng.normal(size=(*batch, 2)), rng.normal(size=(*batch, steps, 1))
    forwards = Iterated(swing, steps, carried=1, each=1)(x, 0.01, np.ascontiguousarray(u[..., ::-1, :]))
    backwards = Backwards(swing, steps, carried=1, each=1)(x, 0.01, u)
    assert np.array_equal(forwards[0], backwards[0]) and np.array_equal(forwards[1][..., ::-1, :], backwards[1])


def test_threads_change_no_bit() -> None:
    rng = np.random.default_rng(1)
    x, u = rng.normal(size=(4000, 2)), rng.normal(size=(4000, 600, 1))
    loop = Iterated(swing, 600, carried=1, each=1)
    before = sixvec.set_threads(1)
    alone = loop(x, 0.01, u)
    sixvec.set_threads(4)
    shared = loop(x, 0.01, u)
    sixvec.set_threads(before)
    assert all(np.array_equal(a, b) for a, b in zip(alone, shared, strict=True))


def test_a_loop_ends_when_every_sample_is_done() -> None:
    start = np.linspace(0.1, 50.0, 20)
    found, rounds = Iterated(root_of_two, 10**9, carried=2, until=True)(start, 0.0)
    assert np.allclose(found, np.sqrt(2.0))
    assert rounds.max() < 20
    alone = [Iterated(root_of_two, 10**9, carried=2, until=True)(x, 0.0) for x in start]
    assert np.array_equal(found, [x for x, _ in alone])
    assert np.array_equal(rounds, [n for _, n in alone])


def test_a_loop_is_bounded() -> None:
    _, rounds = Iterated(root_of_two, 3, carried=2, until=True)(np.full(9, 1e6), 0.0)
    assert (rounds == 3).all()


def test_searches_begin_as_they_like_with_checked_inputs() -> None:
    """Their memory is not an input: the error of the best position so far begins as infinite."""
    arm, bar = sixvec.load("panda"), sixvec.load("four_bar")
    q, tip = arm.neutral() + 0.3, arm.frame_names[-1]
    before = sixvec.check_inputs(True)
    try:
        assert arm.ik(arm.pose(q, tip), tip, method="numerical")
        assert bar.assemble(bar.neutral())
        with pytest.raises(sixvec.errors.ArgumentError, match="rollout: v"):
            arm.rollout(q, q * np.nan, q, dt=0.001, steps=2)
    finally:
        sixvec.check_inputs(before)


def test_not_a_number_ends_the_loop() -> None:
    found, _ = Iterated(root_of_two, 10**9, carried=2, until=True)(np.array([np.nan, 1.0]), 0.0)
    assert np.isnan(found[0]) and np.isclose(found[1], np.sqrt(2.0))


def test_tiles_begin_with_cache_lines_behind_their_headers() -> None:
    assert iteration._cut([1, 2, 3, 4, 5, 6], [2, 0, 1, 3]) == [[1, 2], [], [3], [4, 5, 6]]
    sizes = [0, 1, 64, 65]
    memory, starts = iteration.tile_memory(sizes)
    begin = memory.__array_interface__["data"][0]
    assert [start - begin - iteration.HEADER for start in starts] == [
        k * iteration.HEADER + padded for k, padded in enumerate((0, 0, 64, 128))
    ]
    assert begin % 64 == 0 and memory.size == 4 * iteration.HEADER + 256 and not memory.any()
