"""Cutting loops leaves a tree of all bodies and as many cuts as there are independent loops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from naming import named
from sixvec.errors import ModelError
from sixvec.model import Body, Model
from sixvec.model.joints import Revolute
from sixvec.model.loop_cutting import Connection, spanning_tree
from sixvec.model.topology import independent_loops


def random_mechanism(seed: int) -> list[Connection]:
    """Twelve bodies, connected somehow, with up to eight joints too many, in any order and direction."""
    rng = np.random.default_rng(seed)
    names: list[str | None] = [None, *(f"b{i}" for i in range(12))]
    joints: list[Connection] = [(names[rng.integers(i)], names[i]) for i in range(1, len(names))]
    for _ in range(rng.integers(9)):
        a, b = rng.choice(len(names), 2, replace=False)
        joints.append((names[a], names[b]))
    turned = [(b, a) if rng.integers(2) else (a, b) for a, b in joints]
    return [turned[i] for i in rng.permutation(len(turned))]


@pytest.mark.covers("CHAIN-09")
@pytest.mark.parametrize("seed", range(30))
def test_a_cut_mechanism_is_a_tree(seed: int) -> None:
    joints = random_mechanism(seed)
    for avoided in ([], [*range(0, len(joints), 2)]):
        found = spanning_tree(joints, avoided)
        tree, cuts, parents = found.tree, found.cuts, found.parents
        assert sorted((*tree, *cuts)) == [*range(len(joints))]
        assert {frozenset(joints[i]) for i in tree} == {frozenset(pair) for pair in parents.items()}
        # The numbering is one that a model accepts: every body once, parents first.
        model = Model("m", tuple(Body(name, parent, Revolute()) for name, parent in parents.items()))
        assert len(model.bodies) == 12
        assert len(cuts) == independent_loops(model, [joints[i] for i in cuts]) == len(joints) - 12


@pytest.mark.covers("CHAIN-09")
def test_joints_to_be_cut_are_cut_where_possible() -> None:
    triangle: list[Connection] = [(None, "a"), ("a", "b"), ("b", None)]
    for i in range(3):
        assert spanning_tree(triangle, [i]).cuts == (i,)
    # The only joint to a body stays, whatever is preferred.
    assert spanning_tree([*triangle, ("b", "tool")], [3, 1]).cuts == (1,)


def test_short_branches_are_preferred() -> None:
    names = [f"b{i}" for i in range(9)]
    ring: list[Connection] = [(None, names[0]), *pairwise(names), (names[-1], None)]
    assert spanning_tree(ring).cuts == (5,)


def test_bodies_that_hang_nowhere_are_named() -> None:
    with pytest.raises(ModelError, match=named("y")):
        spanning_tree([(None, "a"), ("x", "y")])
