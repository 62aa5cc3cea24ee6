"""Arrays that a tree keeps from call to call: nothing of one call is seen in the next, nor in another thread."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pytest

import sixvec
from sixvec.errors import ModelError
from sixvec.large_trees import (
    LargeTree,
    forward_dynamics,
    inverse_dynamics,
    mass_matrix_product,
    mass_matrix_solve,
    passes,
)
from sixvec.model import Body, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import RigidInertia, Sym3, Vec3

MOST_CALLS = 80
"""Python calls for a call on a small tree: it used to be 900 while every sweep was checked anew, 40 are usual."""


def calls_of(tree: LargeTree, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    q = tree.neutral()
    v, x, wrench = rng.normal(size=tree.nv), rng.normal(size=tree.nv), rng.normal(size=(len(tree), 6))
    return [
        inverse_dynamics(tree, q, v, x, wrench),
        mass_matrix_product(tree, q, x),
        forward_dynamics(tree, q, v, x),
        mass_matrix_solve(tree, q, x),
        forward_dynamics(tree, q, v, x, wrench),
        inverse_dynamics(tree, q, v, x),
    ]


def solo() -> LargeTree:
    return LargeTree.from_model(sixvec.load("solo12").model)


def test_calls_leave_no_trace() -> None:
    tree = solo()
    first = calls_of(tree, 0)
    bad = np.full(tree.nv, np.nan)
    forward_dynamics(tree, tree.neutral(), bad, bad, np.full((len(tree), 6), np.inf))
    for again in (tree, solo()):
        assert all(np.array_equal(x, y) for x, y in zip(calls_of(again, 0), first, strict=True))


def test_results_stay_when_the_next_call_comes() -> None:
    tree = solo()
    kept = calls_of(tree, 0)
    copies = [x.copy() for x in kept]
    calls_of(tree, 1)
    assert all(np.array_equal(x, y) for x, y in zip(kept, copies, strict=True))


@pytest.mark.parametrize("kept", [True, False])
def test_small_and_large_trees_give_the_same(kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = calls_of(solo(), 2)
    monkeypatch.setattr(passes, "MOST_BODIES_KEPT", 1000 if kept else 0)
    tree = solo()
    for _ in range(2):
        assert all(np.array_equal(x, y) for x, y in zip(calls_of(tree, 2), expected, strict=True))
    assert bool(tree.passes._idle) == kept


def test_a_tree_serves_many_threads() -> None:
    tree, wrong = solo(), []
    expected = [calls_of(tree, seed) for seed in range(4)]

    def work(seed: int) -> None:
        for _ in range(100):
            found = calls_of(tree, seed)
            if not all(np.array_equal(x, y) for x, y in zip(found, expected[seed], strict=True)):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert 1 <= len(tree.passes._idle) <= 4


def test_a_rejected_call_does_not_spoil_the_next() -> None:
    ball = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(0.1, 0.1, 0.1))
    arm = Model("arm", (Body("link", None, Revolute(), inertia=ball), Body("tip", "link", Revolute())))
    tree = LargeTree.from_model(arm)
    rest = np.zeros(2)
    for _ in range(2):
        with pytest.raises(ModelError, match="tip"):
            forward_dynamics(tree, rest, rest, rest)
        assert np.allclose(inverse_dynamics(tree, rest, rest, [1.0, 0.0]), [0.1, 0.0])


def test_a_call_on_a_small_tree_is_not_python() -> None:
    tree = solo()
    q, v = tree.neutral(), np.ones(tree.nv)
    forward_dynamics(tree, q, v, v)
    seen = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal seen
        seen += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        forward_dynamics(tree, q, v, v)
    finally:
        sys.setprofile(before)
    assert 0 < seen < MOST_CALLS
