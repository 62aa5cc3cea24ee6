"""Trees and arrays that cannot be: every error names the body."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rod_trees import LINKS, tree

from naming import named
from sixvec import load
from sixvec.errors import ArgumentError, DtypeError, FrameNotFound, ModelError, ShapeError
from sixvec.large_trees import LargeTree, forward_dynamics, inverse_dynamics, mass_matrix_product, mass_matrix_solve
from sixvec.model import Body, Model
from sixvec.model.body import Mimic
from sixvec.model.joints import Fixed, Revolute
from sixvec.spatial import RigidInertia


def changed(name: str, row: int, value: float) -> dict[str, np.ndarray]:
    array = np.array(getattr(tree("chain", 5), name))
    array[row] = value
    return {name: array}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed("parents", 3, 3), "parents"),
        (changed("parents", 1, -2), "parents"),
        (changed("kinds", 2, 7), "kinds"),
        (changed("inertias", 4, np.nan), "inertias"),
        (changed("pitches", 4, np.inf), "pitches"),
        (changed("placements", 1, 1.0), "rotation"),
        (changed("placements", 1, np.nan), "placements"),
        (changed("q_first", 2, 1), named("body 2", "q")),
        (changed("v_first", 0, -1), named("body 0", "v")),
        (changed("armature", 0, np.nan), "armature"),
        (changed("gravity", 0, np.nan), "gravity"),
    ],
)
def test_impossible_trees(change: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        replace(tree("chain", 5), **change)


def test_a_mirror_is_not_a_placement() -> None:
    mirror = np.array([1.0, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0])
    with pytest.raises(ModelError, match="rotation"):
        replace(tree("chain", 5), placements=np.tile(mirror, (5, 1)))


def test_bodies_are_called_by_their_names() -> None:
    with pytest.raises(ModelError, match=named("d")):
        replace(tree("chain", 5), names=tuple("abcde"), **changed("inertias", 3, np.inf))


@pytest.mark.parametrize(
    ("name", "shape"), [("placements", (4, 12)), ("inertias", (5, 6)), ("armature", (3,)), ("names", 2)]
)
def test_arrays_of_the_wrong_shape(name: str, shape: object) -> None:
    value = ("a", "b") if name == "names" else np.zeros(shape)  # type: ignore[call-overload]
    with pytest.raises(ShapeError, match=name):
        replace(tree("chain", 5), **{name: value})


def test_nothing_is_not_a_tree() -> None:
    with pytest.raises(ArgumentError, match=named("link", "body")):
        LargeTree.chain(0, LINKS)
    with pytest.raises(ModelError, match="rock"):
        LargeTree.from_model(Model("rock", (Body("rock"),)))


def test_links_that_cannot_be_copied() -> None:
    with pytest.raises(ArgumentError, match="plate"):
        LargeTree.chain(3, [*LINKS, Body("plate", joint=Fixed())])
    with pytest.raises(ArgumentError, match="pick"):
        LargeTree.from_links(LINKS, [0, 2], [-1, 0])
    with pytest.raises(ModelError, match=named("body 1")):
        LargeTree.from_links(LINKS, [0, 1], [-1, 1])


def test_models_that_are_no_free_tree() -> None:
    followed = Model("pair", (Body("a", joint=Revolute()), Body("b", joint=Revolute(), mimic=Mimic("a"))))
    with pytest.raises(ModelError, match=named("b")):
        LargeTree.from_model(followed)
    loop = load("four_bar").model
    assert loop.closures
    with pytest.raises(ModelError, match=named("LargeTree.from_model", "four_bar", "coupler_pin")):
        LargeTree.from_model(loop)


def test_arrays_of_a_tree_are_locked_copies() -> None:
    parents = np.array([-1, 0])
    large = LargeTree.from_links(LINKS, [0, 1], parents)
    with pytest.raises(ValueError, match="read-only"):
        large.inertias[0] = 0.0
    parents[1] = 5
    assert large.parents.tolist() == [-1, 0]


@pytest.mark.parametrize("call", [inverse_dynamics, forward_dynamics])
def test_states_that_do_not_fit(call: object) -> None:
    large, right = tree("chain", 5), np.zeros(5)
    with pytest.raises(ShapeError, match=named("v")):
        call(large, right, np.zeros(4), right)  # type: ignore[operator]
    with pytest.raises(DtypeError, match=named("q")):
        call(large, right * 1j, right, right)  # type: ignore[operator]
    with pytest.raises(ShapeError, match=named("q", "v")):
        call(large, np.zeros((2, 5)), np.zeros((3, 5)), right)  # type: ignore[operator]
    with pytest.raises(ShapeError, match="external"):
        call(large, right, right, right, np.zeros((4, 6)))  # type: ignore[operator]


def test_a_joint_that_moves_no_mass() -> None:
    bodies = [
        Body("arm", joint=Revolute(), inertia=LINKS[0].inertia),
        Body("ghost", "arm", Revolute(), LINKS[0].placement),
    ]
    ghost = LargeTree.from_model(Model("arm", tuple(bodies)))
    assert mass_matrix_product(ghost, [0.0, 0.0], [1.0, 1.0])[1] == 0.0
    for call in (
        lambda: forward_dynamics(ghost, [0, 0], [0, 0], [1, 1]),
        lambda: mass_matrix_solve(ghost, [0, 0], [1, 1]),
    ):
        with pytest.raises(ModelError, match="ghost"):
            call()
    assert ghost.inertias[1].tolist() == [*RigidInertia.zero()]


def test_not_a_number_in_gives_not_a_number_out() -> None:
    large, right = tree("chain", 3), np.zeros(3)
    assert np.isnan(forward_dynamics(large, right * np.nan, right, right)).all()


def test_unknown_frames() -> None:
    panda = LargeTree.from_model(load("panda").model)
    with pytest.raises(FrameNotFound, match="panda_link9"):
        panda.wrenches({"panda_link9": [0.0] * 6})


@pytest.mark.parametrize("function", [inverse_dynamics, forward_dynamics, mass_matrix_product, mass_matrix_solve])
@pytest.mark.parametrize("batch", [(), (3,)])
def test_single_precision_stays_single(function: Any, batch: tuple[int, ...]) -> None:
    """float64 unless every array is float32, as everywhere."""
    panda = LargeTree.from_model(load("panda").model)
    count = 2 if function in (mass_matrix_product, mass_matrix_solve) else 3
    state = np.random.default_rng(0).normal(size=(count, *batch, 7))
    exact, single = function(panda, *state), function(panda, *state.astype(np.float32))
    assert exact.dtype == np.float64 and single.dtype == np.float32
    assert np.allclose(single, exact, rtol=1e-3, atol=1e-3 * np.abs(exact).max())
    assert function(panda, *state[:-1].astype(np.float32), state[-1]).dtype == np.float64
    if count == 3:
        push = np.zeros((7, 6), np.float32)
        assert function(panda, *state.astype(np.float32), push).dtype == np.float32
