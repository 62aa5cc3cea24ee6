"""Any order with parents before children describes the same robot (Featherstone §Connectivity)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from matrices import times
from naming import named
from random_states import random_states
from random_trees import JOINTS, random_inertia, random_pose
from sixvec import Model, Robot
from sixvec.errors import ModelError
from sixvec.model import WORLD, Body
from subjects import tree
from tolerances import IDENTITY, SOLVED, assert_close

FIGURE_2 = {1: 0, 2: 1, 3: 2, 4: 1, 5: 2, 6: 4}
"""λ of the left tree of Featherstone's Figure 2; the text gives μ(2), κ(3), ν(4) and μ(5), which this tree has."""

RENUMBERED = {1: 1, 2: 3, 3: 5, 4: 2, 5: 6, 6: 4}
"""Another number for each body of that tree, still larger than its parent's."""


@pytest.mark.covers("MODEL-08")
def test_connectivity_sets_are_those_of_the_book() -> None:
    model = figure_2()
    assert numbers(model.children("2")) == {3, 5}  # μ(2)
    assert numbers(model.path("3")) == {1, 2, 3}  # κ(3)
    assert numbers(model.subtree("4")) == {4, 6}  # ν(4)
    assert numbers(model.children("5")) == set()  # μ(5)


@pytest.mark.covers("MODEL-08")
def test_connectivity_sets_belong_together() -> None:
    """j ∈ κ(i) if and only if i ∈ ν(j); μ(i) are the bodies whose parent is i."""
    for name in ("tree", "floating", "forest"):
        model = tree(name).model
        names = [b.name for b in model.bodies]
        above = {(i, b.name) for i in names for b in model.path(i)}
        below = {(b.name, j) for j in names for b in model.subtree(j)}
        assert above == below
        for i in (WORLD, *names):
            assert [b.name for b in model.children(i)] == [b.name for b in model.bodies if b.parent == i]


@pytest.mark.covers("MODEL-07")
def test_both_numberings_of_the_book_give_the_same_dynamics() -> None:
    model = figure_2()
    order = sorted(FIGURE_2, key=RENUMBERED.__getitem__)
    check_same_dynamics(Robot(model), Robot(reordered(model, [str(i) for i in order])))


@pytest.mark.covers("MODEL-07", "DYN-04")
def test_any_numbering_gives_the_same_dynamics() -> None:
    model = tree("tree").model
    check_same_dynamics(tree("tree"), Robot(reordered(model, random_order(model, np.random.default_rng(0)))))


@pytest.mark.covers("MODEL-07")
def test_a_child_before_its_parent_raises_and_is_named() -> None:
    bodies = figure_2().bodies
    with pytest.raises(ModelError, match=named("1", "2")):
        Model("upside down", bodies[1:])


def check_same_dynamics(first: Robot, second: Robot) -> None:
    q, v, a, tau = random_states(first)
    qs, vs = (indices(first.model, second.model, kind) for kind in ("q_slices", "v_slices"))
    Q, V, A, F = q[:, qs], v[:, vs], a[:, vs], tau[:, vs]
    assert_close(second.inverse_dynamics(Q, V, A), first.inverse_dynamics(q, v, a)[:, vs], IDENTITY)
    assert_close(second.forward_dynamics(Q, V, F), first.forward_dynamics(q, v, tau)[:, vs], SOLVED)
    assert_close(second.mass_matrix(Q), first.mass_matrix(q)[:, vs][:, :, vs], IDENTITY)
    assert_close(times(second.mass_matrix_inverse(Q), F), times(first.mass_matrix_inverse(q), tau)[:, vs], SOLVED)


def figure_2() -> Model:
    rng, kinds = np.random.default_rng(2), [k for k in JOINTS if k not in ("fixed", "free")]
    return Model(
        "figure 2",
        tuple(
            Body(str(i), str(parent) if parent else WORLD, JOINTS[kind](rng), random_pose(rng), random_inertia(rng))
            for (i, parent), kind in zip(FIGURE_2.items(), kinds, strict=False)
        ),
    )


def numbers(bodies: tuple[Body, ...]) -> set[int]:
    return {int(b.name) for b in bodies}


def reordered(model: Model, names: list[str]) -> Model:
    return replace(model, bodies=tuple(model.by_name[name] for name in names))


def random_order(model: Model, rng: np.random.Generator) -> list[str]:
    """A random choice, again and again, among the bodies whose parents are placed."""
    placed: list[str] = []
    while len(placed) < len(model.bodies):
        ready = [b.name for b in model.bodies if b.name not in placed and b.parent in (WORLD, *placed)]
        placed.append(ready[rng.integers(len(ready))])
    return placed


def indices(first: Model, second: Model, kind: str) -> np.ndarray:
    """Where each coordinate of the second model stands in the first."""
    slices = getattr(first, kind)
    return np.concatenate([np.arange(slices[b.name].start, slices[b.name].stop) for b in second.bodies])
