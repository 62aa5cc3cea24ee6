"""The graph of a robot: sets, matrices and the identities between them, on random trees."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from random_trees import random_tree
from sixvec.errors import ModelError
from sixvec.model import WORLD, Body, Closure, Frame, Gear, Model
from sixvec.model.joints import Revolute, Spherical
from sixvec.model.topology import (
    adjacency,
    closing_cuts,
    edges,
    incidence,
    independent_loops,
    kappa,
    mu,
    nu,
    path_between,
    topology,
    vertices,
)
from sixvec.robots import BUILT_IN

TREES = [random_tree(seed, bodies=12, floating=seed % 2 == 0) for seed in range(10)]


def chain(*parents: str | None, fixed: tuple[int, ...] = ()) -> Model:
    """Bodies 0, 1, … on these parents, with hinges but for those named."""
    joints = [{} if i in fixed else {"joint": Revolute()} for i in range(len(parents))]
    return Model("m", tuple(Body(str(i), p, **joints[i]) for i, p in enumerate(parents)))  # type: ignore[arg-type]


@pytest.mark.covers("MODEL-04")
@pytest.mark.parametrize(
    ("model", "cuts", "kind"),
    [
        (chain(None, "0", "1"), [], "serial"),
        (chain(None, "0", "0"), [], "tree"),
        (chain(None, None), [], "tree"),
        (chain(None, "0", "1", "1", fixed=(2, 3)), [], "serial"),
        (chain(None, "0", "0", "1", "2", fixed=(1, 2)), [], "tree"),
        (chain(None, "0", "1"), [("2", None)], "graph"),
        (chain(None, "0", "0"), [("1", "2")], "graph"),
        (chain(None, fixed=(0,)), [], "serial"),
    ],
)
def test_classification(model: Model, cuts: list[tuple[str | None, str | None]], kind: str) -> None:
    assert topology(model, cuts) == kind


@pytest.mark.covers("MODEL-08")
@pytest.mark.parametrize("model", TREES, ids=lambda m: m.name)
def test_sets_say_the_same_thing_in_three_ways(model: Model) -> None:
    names = [b.name for b in model.bodies]
    for i in names:
        # i moves j exactly if j is carried by i; children are what is carried by the joint alone.
        assert nu(model, i) == {j for j in names if i in kappa(model, j)}
        assert nu(model, i) == {i}.union(*(nu(model, c) for c in mu(model, i)))
        assert mu(model, i) == {b.name for b in model.bodies if b.parent == i}
        parent = model.by_name[i].parent
        assert kappa(model, i) == {i} | (kappa(model, parent) if parent is not WORLD else set())
    assert mu(model, WORLD) == {b.name for b in model.bodies if b.parent is WORLD}


@pytest.mark.covers("MODEL-07")
@pytest.mark.parametrize("model", TREES, ids=lambda m: m.name)
def test_parents_have_smaller_numbers(model: Model) -> None:
    number = {name: i for i, name in enumerate(vertices(model))}
    assert all(0 <= number[start] < number[end] for start, end in edges(model))
    children = [b for b in model.bodies if b.parent is not WORLD]
    early = next(i for i, b in enumerate(model.bodies) if b is children[0])
    with pytest.raises(ModelError, match="parents come first"):
        Model("m", (model.bodies[early], *model.bodies[:early], *model.bodies[early + 1 :]))


@pytest.mark.covers("CHAIN-07")
@pytest.mark.parametrize("model", TREES, ids=lambda m: m.name)
def test_there_is_one_path_between_two_bodies(model: Model) -> None:
    names = [b.name for b in model.bodies]
    rng = np.random.default_rng(0)
    neighbours = {frozenset(e) for e in edges(model)}
    for _ in range(30):
        i, j = (str(n) for n in rng.choice(names, 2))
        path = path_between(model, i, j)
        assert path == tuple(reversed(path_between(model, j, i)))
        assert len(set(path)) == len(path) and path[0] == i and path[-1] == j
        gaps = [(a, b) for a, b in pairwise(path) if frozenset((a, b)) not in neighbours]
        # Only bodies on different roots are not connected by joints between bodies: they meet in the world.
        assert len(gaps) == (model.path(i)[0] != model.path(j)[0])
        assert all(model.by_name[a].parent is WORLD and model.by_name[b].parent is WORLD for a, b in gaps)


@pytest.mark.covers("CHAIN-09")
@pytest.mark.parametrize("model", TREES, ids=lambda m: m.name)
def test_matrices_of_the_graph(model: Model) -> None:
    rng = np.random.default_rng(1)
    for count in (0, 1, 4):
        # Any two different vertices may be joined by a loop joint, also twice.
        pairs = [rng.choice(len(vertices(model)), 2, replace=False) for _ in range(count)]
        cuts = [(vertices(model)[a], vertices(model)[b]) for a, b in pairs]
        B, A = incidence(model, cuts), adjacency(model, cuts)
        assert B.shape == (len(model.bodies) + 1, len(model.bodies) + count)
        assert not B.sum(axis=0).any() and (np.abs(B).sum(axis=0) == 2).all()
        assert (A == A.T).all() and not A.diagonal().any()
        np.testing.assert_array_equal(B @ B.T, np.diag(A.sum(axis=0)) - A)
        # A connected graph has as many independent loops as its incidence matrix has null directions.
        assert independent_loops(model, cuts) == B.shape[1] - np.linalg.matrix_rank(B) == count
        assert topology(model, cuts) == ("graph" if count else topology(model))


@pytest.mark.covers("CHAIN-09")
def test_the_stewart_platform_has_five_loops() -> None:
    """Bruyninckx 5.3.7: six legs of six joints each, 36 joints between 32 bodies; five legs are cut at the platform."""
    legs, links = 6, 5
    parents: list[str | None] = []
    for _ in range(legs):
        first = len(parents)
        parents += [None, *(str(first + i) for i in range(links - 1))]
    platform = str(len(parents))
    model = chain(*parents, str(links - 1))
    cuts = [(str(leg * links + links - 1), platform) for leg in range(1, legs)]
    assert (len(edges(model, cuts)), len(vertices(model))) == (36, 32)
    assert independent_loops(model, cuts) == 5 and topology(model, cuts) == "graph"


@pytest.mark.covers("MODEL-04")
def test_closures_are_the_cuts_unless_told_otherwise() -> None:
    model = BUILT_IN["four_bar"]()
    assert topology(model) == "graph" and independent_loops(model) == 1
    assert edges(model)[-1] == ("coupler", "rocker") == closing_cuts(model)[0]
    np.testing.assert_array_equal(incidence(model), incidence(model, [("coupler", "rocker")]))
    np.testing.assert_array_equal(adjacency(model), adjacency(model, [("coupler", "rocker")]))
    assert topology(model, []) == "tree"
    geared = replace(model, closures=(*model.closures, Gear("g", "crank", "rocker")))
    assert independent_loops(geared) == 2 and closing_cuts(geared)[1] == ("crank", "rocker")


@pytest.mark.covers("MODEL-04")
def test_topology_changes_as_feet_touch_the_ground() -> None:
    dog = BUILT_IN["solo12"]()
    ground = tuple(Frame(f"ground_{leg}", WORLD) for leg in ("FL", "HR"))
    standing = replace(
        dog,
        frames=(*dog.frames, *ground),
        closures=tuple(Closure(f.name, f.name, f"{f.name[-2:]}_FOOT", Spherical()) for f in ground),
    )
    # The base is connected with the ground by its free joint: each foot on the ground makes a loop.
    assert (topology(dog), topology(standing), independent_loops(standing)) == ("tree", "graph", 2)
    assert topology(replace(standing, closures=())) == "tree"


def test_unknown_bodies_are_named() -> None:
    model = chain(None, "0")
    for ask in (lambda: kappa(model, "9"), lambda: nu(model, "9"), lambda: mu(model, "9")):
        with pytest.raises(ModelError, match='no body "9"'):
            ask()
    with pytest.raises(ModelError, match='no body "9"'):
        incidence(model, [("0", "9")])
