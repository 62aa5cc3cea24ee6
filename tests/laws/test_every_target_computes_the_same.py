"""One program, four ways to run it: interpreter, scalar and SIMD machine code, compiled C; and float32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from random_states import base_motion, random_states
from sixvec.algorithms import REGISTRY
from sixvec.kernels.kernel import Kernel
from subjects import tree
from targets import TARGETS, Arrays, by_batch, by_c, by_interpreter, by_single_calls
from tolerances import ROUNDING, SINGLE, SINGLE_SOLVED_TWICE, assert_close

LARGE = {"inverse_dynamics_derivatives", "forward_dynamics_derivatives", "christoffel_symbols"}
SOLVED_TWICE = {"dynamically_consistent_inverse", "dynamically_consistent_null_space"}
every_algorithm = pytest.mark.parametrize("name", sorted(REGISTRY))


@pytest.mark.every(8)
@every_algorithm
def test_machine_code_agrees_with_the_interpreter(name: str) -> None:
    kernel, arrays = case(name)
    for found, expected in zip(by_batch(kernel, arrays), by_interpreter(kernel, arrays), strict=True):
        assert_close(found, expected, ROUNDING)


@pytest.mark.every(8)
@every_algorithm
def test_a_sample_does_not_know_its_batch(name: str) -> None:
    """Alone, in a batch or at another place in it: the same bits."""
    kernel, arrays = case(name)
    for alone, together in zip(by_single_calls(kernel, arrays), by_batch(kernel, arrays), strict=True):
        np.testing.assert_array_equal(alone, together)
    later = by_batch(kernel, [np.concatenate([x[3:], x[:3]]) for x in arrays])
    for here, there in zip(by_batch(kernel, arrays), later, strict=True):
        np.testing.assert_array_equal(there, np.concatenate([here[3:], here[:3]]))


@pytest.mark.every(8)
@every_algorithm
def test_compiled_c_computes_the_same_bits(name: str) -> None:
    kernel, arrays = case(name, "tiny" if name in LARGE else "small")
    for found, expected in zip(by_c(kernel, arrays), by_single_calls(kernel, arrays), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.every(8)
@every_algorithm
def test_single_precision_is_the_same_to_four_digits(name: str) -> None:
    kernel, arrays = case(name, "small")
    rounded = [x.astype(np.float32) for x in arrays]
    for target in (by_batch, by_single_calls):
        exact = by_batch(kernel, [x.astype(np.float64) for x in rounded])
        for found, expected in zip(target(kernel, rounded), exact, strict=True):
            assert found.dtype == np.float32
            assert_close(found, expected, SINGLE_SOLVED_TWICE if name in SOLVED_TWICE else SINGLE)


def test_every_target_is_among_these() -> None:
    assert set(TARGETS) == {"interpreter", "scalar", "simd", "c"}


def case(name: str, which: str = "") -> tuple[Kernel, Arrays]:
    """An algorithm on a tree with every joint type (a smaller one for the largest programs), and states for it."""
    robot = tree(which or ("small" if name in LARGE else "floating"))
    algorithm = REGISTRY[name]
    here, there = random_states(robot), random_states(robot, seed=1)
    given: dict[str, Any] = here._asdict() | {"q0": here.q, "q1": there.q} | base_motion(len(here.q))
    options = {"frame": "tool1"} if "frame" in algorithm.options else {}
    return robot.kernel(name, **options), [given[x] for x in algorithm.arrays]
