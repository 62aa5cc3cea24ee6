"""Sweeps that start ahead: a slow mode is gone at once, and a solution stays where it is."""

from __future__ import annotations

import numpy as np
import pytest

from sixvec.constraints.contacts.extrapolation import FARTHEST, extrapolated, secant

RNG = np.random.default_rng(0)


def swept(x, rates, at):
    return at + rates * (x - at)


@pytest.mark.parametrize("rate", [-0.7, 0.5, 0.93])
def test_a_linear_sweep_with_one_mode_is_solved_by_one_secant(rate):
    mode, at = RNG.normal(size=4), RNG.normal(size=4)
    x = at + mode
    first = swept(x, rate, at)
    second = swept(first, rate, at)
    start = np.array(extrapolated(second, first, secant(second - first, first - x)))
    assert np.abs(swept(start, rate, at) - at).max() < 1e-7 * np.abs(mode).max()


def test_with_several_modes_it_needs_far_fewer_sweeps():
    rates, at = np.array([0.97, 0.9, 0.3, -0.4]), RNG.normal(size=4)

    def count(accelerated):
        x = at + 1.0
        result, change, factor = x, None, 0.0
        for n in range(1, 1000):
            start = np.array(extrapolated(result, x, factor))
            x, result = result, swept(start, rates, at)
            step = result - start
            factor = secant(step, change) if accelerated and change is not None else 0.0
            change = step
            if np.abs(step).max() < 1e-6:
                return n
        return 1000

    assert count(True) < 0.5 * count(False), (count(True), count(False))


def test_equal_changes_do_not_divide_by_zero_and_go_only_so_far():
    still = [0.0, 0.0]
    assert secant(still, still) == 0.0
    assert abs(secant([1.0, 0.0], [1.0 + 1e-9, 0.0])) <= FARTHEST
