"""Solutions that repeat others, and complex ones that lack their conjugate, among many samples."""

from __future__ import annotations

import numpy as np
import pytest

from sixvec.parallel.start_system import PAIRED, SAME, conjugate_closed, repeated


def drawn(seed: int, *shape: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*shape, 12)) + 1j * rng.normal(size=(*shape, 12))


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_solutions_that_repeat_an_earlier_one(size: float) -> None:
    f = size * drawn(0, 4, 5)
    f[1, 3] = f[1, 0] + 0.3 * SAME * (1.0 + size)
    f[2, 4] = f[2, 1] = f[2, 0]
    f[3, 2] = f[3, 1] + 30.0 * SAME * (1.0 + size)  # near, and another one
    f[3, 4] = np.nan
    expected = np.zeros((4, 5), bool)
    expected[1, 3] = expected[2, 1] = expected[2, 4] = True
    assert repeated(f).tolist() == expected.tolist()
    assert repeated(f[:1]).tolist() == [[False] * 5]


def test_conjugates_are_not_the_same_solution() -> None:
    f = drawn(1, 1, 2)
    f[0, 1] = f[0, 0].conj()
    assert not repeated(f).any()


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_complex_solutions_come_in_pairs(size: float) -> None:
    """Real ones and unknown ones need no partner; one whose partner is missing or elsewhere is found."""
    f = size * drawn(2, 6, 6)
    f[..., 1, :], f[..., 3, :] = f[..., 0, :].conj(), f[..., 2, :].conj()
    real, known = np.zeros((6, 6), bool), np.ones((6, 6), bool)
    f[..., 4:, :] = f[..., 4:, :].real
    real[:, 4:] = True
    f[1, 3] += 0.3 * PAIRED * (1.0 + size)  # rounding
    f[2, 3] += 30.0 * PAIRED * (1.0 + size)  # a jump
    known[3, 3] = False  # its partner was lost
    known[4, 2:4] = False
    f[5, 2] = f[5, 0].conj() + 1e-9 * size  # two pairs with almost the same projection
    f[5, 3] = f[5, 2].conj()
    assert conjugate_closed(f, real, known).tolist() == [True, True, False, False, True, True]
