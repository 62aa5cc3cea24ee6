"""Options that are sequences: tuples, lists and arrays mean the same; masks raise an error that names the option."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import ArgumentError


@pytest.mark.parametrize("held", [(0, 3), [0, 3], np.array([0, 3]), (np.int64(0), np.int32(3))])
def test_arrays_and_lists_find_the_kernel_of_the_tuple(held: Any) -> None:
    robot = sixvec.load("panda")
    kernel = robot.kernel("hybrid_dynamics", prescribed=(0, 3))
    assert robot.kernel("hybrid_dynamics", prescribed=held) is kernel


@pytest.mark.parametrize("mask", [np.array([True] + 6 * [False]), [True] + 6 * [False]])
def test_masks_raise(mask: Any) -> None:
    robot = sixvec.load("panda")
    zero = np.zeros(7)
    with pytest.raises(ArgumentError, match=named("prescribed", "np.flatnonzero")):
        robot.hybrid_dynamics(zero, zero, zero, zero, prescribed=mask)
