"""Odd-even reduction solves block-tridiagonal systems in a number of levels that grows as the logarithm."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from chains import random_chain, random_state
from scipy.linalg import solveh_banded

from sixvec.large_trees.constraint_force import (
    ArrayChain,
    forward_dynamics,
    prefix_levels,
    prefix_products,
    reduction,
    reduction_levels,
    suffix_sums,
)
from tolerances import SOLVED, assert_close

Array = Any


def system(n: int, k: int) -> tuple[Array, Array]:
    """Blocks of B Bᵀ + 1 with B block-bidiagonal: positive definite, and not diagonally dominant."""
    rng = np.random.default_rng(n + k)
    L, E = rng.normal(size=(n, k, k)), rng.normal(size=(n, k, k))
    D = L @ L.transpose(0, 2, 1) + np.eye(k)
    D[1:] += E[1:] @ E[1:].transpose(0, 2, 1)
    return D, L[:-1] @ E[1:].transpose(0, 2, 1)


def dense(D: Array, U: Array) -> Array:
    n, k, _ = D.shape
    A = np.zeros((n, k, n, k))
    for i in range(n):
        A[i, :, i] = D[i]
    for i in range(n - 1):
        A[i, :, i + 1], A[i + 1, :, i] = U[i], U[i].T
    return A.reshape(n * k, n * k)


@pytest.mark.covers("CFA-04")
@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("n", [*range(1, 18), 31, 32, 33])
def test_solution_of_every_length(n: int, k: int) -> None:
    D, U = system(n, k)
    r = np.random.default_rng(0).normal(size=(n, k, 2))
    A = reduction(np, D, U)
    assert len(A.levels) == reduction_levels(n) == int(np.ceil(np.log2(n + 1)))
    expected = np.linalg.solve(dense(D, U), r.reshape(n * k, 2)).reshape(r.shape)
    assert_close(A.solve(r), expected, SOLVED, batched=False)
    assert_close(A.times(expected), r, SOLVED, batched=False)


@pytest.mark.covers("CFA-04")
def test_long_systems_against_a_sequential_banded_solver() -> None:
    n, k = 2**12, 5
    D, U = system(n, k)
    r = np.random.default_rng(0).normal(size=(n, k, 1))
    band = np.zeros((2 * k, n * k))
    for i in range(k):
        for j in range(k):
            if j >= i:
                band[j - i, i::k] = D[:, j, i]  # lower form: band[d, column] = A[column + d, column]
            band[k + j - i, i : (n - 1) * k : k] = U[:, i, j]
    expected = solveh_banded(band, r.ravel(), lower=True).reshape(r.shape)
    assert_close(reduction(np, D, U).solve(r, refinements=1), expected, SOLVED, batched=False)


@pytest.mark.covers("CFA-04")
def test_refinement_reduces_the_residual_of_a_perturbed_factorisation() -> None:
    D, U = system(40, 3)
    r = np.ones((40, 3, 1))
    A = reduction(np, D, U)
    rough = type(A)(np, D, U, reduction(np, D * (1.0 + 1e-6), U).levels)
    gaps = [np.abs(A.times(rough.solve(r, refinements=k)) - r).max() for k in range(3)]
    assert gaps[1] < 1e-3 * gaps[0] and gaps[2] < 1e-3 * gaps[1]


@pytest.mark.covers("CFA-04")
@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 20])
def test_prefixes(n: int) -> None:
    T = np.random.default_rng(n).normal(size=(n, 3, 3))
    product = np.eye(3)
    for i, found in enumerate(prefix_products(np, T)):
        product = product @ T[i]
        assert_close(found, product, SOLVED, batched=False)
    assert_close(suffix_sums(np, T[:, 0]), np.cumsum(T[::-1, 0], axis=0)[::-1], SOLVED, batched=False)


class CountingNamespace:
    """NumPy, with a count of calls: each is one parallel step over all bodies."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.linalg = _Counted(np.linalg, self.calls)

    def __getattr__(self, name: str) -> Any:
        return getattr(_Counted(np, self.calls), name)


class _Counted:
    def __init__(self, module: Any, calls: Counter[str]) -> None:
        self.module, self.calls = module, calls

    def __getattr__(self, name: str) -> Any:
        self.calls[name] += 1
        return getattr(self.module, name)


def steps(n: int, refinements: int) -> Counter[str]:
    chain = ArrayChain.chain(n, random_chain(1, 1, ["revolute"]).bodies)
    xp, state = CountingNamespace(), np.full(n, 0.1)
    forward_dynamics(chain, state, state, state, refinements=refinements, xp=xp)
    return xp.calls


@pytest.mark.covers("CFA-04")
@pytest.mark.parametrize("refinements", [0, 2])
def test_array_steps_grow_by_a_constant_for_each_doubling(refinements: int) -> None:
    """Depth O(log N): twice the bodies cost as many more array operations every time; the factors are made once."""
    sizes = [2**k for k in range(3, 11)]
    counts = [steps(n, refinements) for n in sizes]
    totals = [sum(c.values()) for c in counts]
    assert len(set(np.diff(totals))) == 1
    assert [c["inv"] for c in counts] == [reduction_levels(n) for n in sizes]
    assert [prefix_levels(n) for n in sizes] == list(range(3, 11))


@pytest.mark.covers("CFA-03", "CFA-04")
def test_one_refinement_changes_only_roundings() -> None:
    model = random_chain(2, 200, ["revolute", "universal"])
    chain, state = ArrayChain.from_model(model), random_state(model, 1, speed=0.1)
    once = forward_dynamics(chain, *state, refinements=1)
    assert_close(forward_dynamics(chain, *state), once, SOLVED, batched=False)
