"""Equal entries of an output share a slot of its tile, and arrays of any size and place hold the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec.compiler.runtime.batch import PAST_CACHES
from sixvec.compiler.slots import share_slots
from sixvec.compiler.threads import set_threads


@sixvec.compiled("x[2] -> y[20]")
def repeated(x: list[float]) -> list[float]:
    """Equal entries, constants, and zeros of either sign, in no order."""
    a, b = x[0] * x[1], x[0] + x[1]
    return [a, b, 0.0, a, a, 1.5, -0.0, b, 0.0, a, *(0.0 for _ in range(8)), b, 1.5]


def test_equal_entries_share_a_slot_and_signed_zeros_do_not() -> None:
    slots = share_slots(repeated.program.results[0])
    assert slots.of_column == (0, 1, 2, 0, 0, 3, 4, 1, 2, 0, *(2,) * 8, 1, 3)
    assert [(slot, repr(x)) for slot, x in slots.constants] == [(2, "0.0"), (3, "1.5"), (4, "-0.0")]


@pytest.mark.parametrize("count", [2, 7, 8, 9, 33])
def test_shared_slots_spread_to_all_columns(count: int) -> None:
    x = np.random.default_rng(1).normal(size=(count, 2))
    y = repeated(x)
    assert y.tobytes() == np.stack([repeated(each) for each in x]).tobytes()
    assert np.signbit(y[:, 6]).all() and not np.signbit(y[:, 2]).any()


@pytest.mark.parametrize("shift", [0, 1, 5])
@pytest.mark.parametrize("rows_over", [-9, 0, 13])
def test_arrays_written_past_the_caches_hold_the_same_bits(shift: int, rows_over: int) -> None:
    """Just below, at and above the size from which on stores go past the caches; rows that begin anywhere."""
    robot = sixvec.load("solo12", floating=True)
    nv = robot.nv
    count = PAST_CACHES // (nv * nv * 8) + 1 + rows_over
    q = np.resize(np.stack([robot.random(i) for i in range(16)]), (count, robot.nq))
    memory = np.full(count * nv * nv + shift + 1, np.nan)
    out = memory[shift:-1].reshape(count, nv, nv)
    before = set_threads(1)
    try:
        robot.mass_matrix(q, out=out)
    finally:
        set_threads(before)
    few = np.stack([robot.mass_matrix(each) for each in q[:16]])
    assert (out == np.resize(few, out.shape)).all()
    assert np.isnan(memory[:shift]).all() and np.isnan(memory[-1])
