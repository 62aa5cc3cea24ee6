"""Every result class is a tree of arrays for JAX and torch."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.arguments.result import WORDS, Result, divided, put_together, taken_apart

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")
pytree = pytest.importorskip("torch.utils._pytree")
pytest.importorskip("sixvec.interop.jax")
pytest.importorskip("sixvec.interop.torch")

NOT_RESULTS = {
    "AppliedForces", "Bounds", "Branch", "CartesianPath", "Cells", "Choice", "Circles", "Clearance", "CloudSearch",
    "Collinear", "CollisionPairs", "CollisionShape", "Comparison", "Computed", "Cover", "Depth", "DistinctSolutions",
    "Fork", "Gaps", "Geometry", "Grid", "Join", "KeyframeState", "LargeTree", "Levers", "LinkBlocks", "Loop",
    "Motions", "Nearest", "NormalForm", "Obstacle", "Part", "Passes", "PassesOfOne", "Path", "Paths", "Place",
    "PlacedRobot", "Region", "RoundKernels", "Rows", "Search", "Separation", "SerialChain", "Similar", "Solids",
    "SpatialOperators", "SphereKernels", "StartSystem", "Torques", "VertexTable", "Ways", "Wraps",
}  # fmt: skip
"""Designs, and intermediate values that no public function returns."""

NUMBERS = {
    "Any", "Array", "Array | None", "CurvePath", "Identification", "BaseParameters", "Mask", "Metric", "Plan",
    "Solution", "Support", "Verdicts", "dict[str, float]", "float", "int", "tuple[Any, ...]", "tuple[Array, ...]",
    "tuple[Array, Array]", "tuple[float, ...]", "tuple[int, ...]",
}  # fmt: skip
"""Annotations of parts that hold numbers, arrays and answers, besides NDArray."""


@cache
def classes() -> tuple[Any, ...]:
    found: dict[type, None] = {}
    for module in pkgutil.walk_packages(sv.__path__, "sixvec."):
        if module.name.startswith("sixvec.formats") or module.name.endswith("__main__"):
            continue
        for x in vars(importlib.import_module(module.name)).values():
            if isinstance(x, type) and is_dataclass(x) and x.__module__ == module.name:
                found[x] = None
    return tuple(found)


def results() -> Iterator[Any]:
    for cls in classes():
        if cls.__eq__ is object.__eq__ and cls.__name__ not in NOT_RESULTS and cls.__name__[0] != "_":
            yield cls


def test_every_result_is_an_answer() -> None:
    """Dataclasses that are not compared hold arrays: they are results, or listed here."""
    assert [cls.__name__ for cls in results() if not issubclass(cls, Result)] == []
    assert len([*results()]) > 60


def test_every_part_is_known_to_hold_numbers_or_words() -> None:
    for cls in classes():
        if issubclass(cls, Result):
            kinds = {str(f.type) for f in fields(cls)}
            assert all(k in NUMBERS | WORDS or k.startswith("NDArray") for k in kinds), (cls, kinds)


def test_every_answer_is_a_tree_in_both_libraries() -> None:
    for cls in classes():
        if not issubclass(cls, Result):
            continue
        numbers, words = divided(cls)
        made = put_together(cls, [np.full(3, k) for k in range(len(numbers))], [f"w{k}" for k in range(len(words))])
        leaves, tree = jax.tree_util.tree_flatten(made)
        assert len(leaves) == len(numbers), cls
        again = jax.tree_util.tree_unflatten(tree, [x + 1 for x in leaves])
        assert type(again) is cls and all(np.array_equal(getattr(again, n), np.full(3, k + 1)) for k, n in
                                          enumerate(numbers))  # fmt: skip
        assert [getattr(again, n) for n in words] == [f"w{k}" for k in range(len(words))]
        assert hash(tree) == hash(jax.tree_util.tree_structure(again)) and tree == jax.tree_util.tree_structure(again)
        doubled = pytree.tree_map(lambda x: 2 * x, made)
        assert type(doubled) is cls and all(np.array_equal(2 * a, b) for a, b in zip(leaves, taken_apart(doubled)[0],
                                                                                     strict=True))  # fmt: skip
        assert repr(jax.tree_util.tree_unflatten(tree, [object()] * len(leaves))), "of placeholders"


def test_classes_defined_later_are_trees_too() -> None:
    @dataclass(frozen=True, eq=False, repr=False)
    class Later(Result):
        q: Any
        names: tuple[str, ...]

    made = jax.tree.map(lambda x: x + 1.0, Later(np.zeros(2), ("a", "b")))
    assert made.names == ("a", "b") and made.q.tolist() == [1.0, 1.0]
    assert pytree.tree_leaves(made)[0] is made.q


def test_inverse_kinematics_through_transformations_of_jax() -> None:
    arm = sv.load("puma560")
    frame = arm.frame_names[-1]
    X = arm.pose(arm.random(0, 3), frame)
    with jax.enable_x64(True):
        poses = jax.numpy.array(X)
        answer = jax.jit(lambda p: arm.ik(p, frame))(poses)
        assert type(answer).__name__ == "Solution" and answer.solved.all() and answer.names == arm.joint_names
        assert np.allclose(arm.pose(np.asarray(answer.q), frame), X, atol=1e-9)
        mapped = jax.vmap(lambda p: arm.ik(p, frame))(poses)
        assert np.allclose(mapped.q, answer.q) and repr(mapped)
        shown: list[str] = []
        jax.jit(lambda p: shown.append(str(arm.ik(p, frame))))(poses)
        assert "q (3, 6)" in shown[0]
        lengths = jax.jit(lambda answer: (answer.q**2).sum(-1))(arm.ik(X, frame))
        assert lengths.shape == (3,), "answers of NumPy are arguments of jitted functions"


def test_results_through_transformations_of_torch() -> None:
    arm = sv.load("double_pendulum")
    path = torch.func.vmap(lambda q: arm.rollout(q, [0.0, 0.0], [[0.0, 0.0]] * 2, 0.1))(torch.zeros(3, 2).double())
    assert type(path).__name__ == "Trajectory" and path.q.shape == (3, 2, 2)
    assert pytree.tree_map(torch.sum, path).q.shape == ()


def test_other_mistakes_of_descriptions_are_not_hidden() -> None:
    @dataclass(frozen=True, eq=False, repr=False)
    class Wrong(Result):
        q: Any

        def __repr__(self) -> str:
            raise TypeError("mistake")

    with pytest.raises(TypeError, match="mistake"):
        repr(Wrong(np.zeros(2)))
    assert repr(Wrong(object())) == "<Wrong: >"


def test_results_are_trees_as_soon_as_the_module_is_imported() -> None:
    code = """
import jax, sixvec.interop.jax, sixvec as sv
answer = sv.load("planar_2r").assemble([0.1, 0.2])
assert len(jax.tree.leaves(answer)) == 3
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
