"""External wrenches on links: in the links' own axes, whatever form the rows of the tree have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from rod_trees import LINKS, ROD, tree

from naming import named
from random_states import random_states
from random_trees import random_axes, random_axis, random_inertia, random_pose, random_tree
from sixvec import Robot, load
from sixvec.errors import ArgumentError, FrameNotFound, ModelError, ShapeError
from sixvec.large_trees import LargeTree, constraint_force, forward_dynamics, inverse_dynamics
from sixvec.large_trees.constraint_force import ArrayChain
from sixvec.model import Body, Frame, Model
from sixvec.model.body import Mimic
from sixvec.model.joints import Cylindrical, Free, Helical, Joint, Planar, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Pose, Vec3
from tolerances import IDENTITY, SOLVED, assert_close

AXES = {"x": Vec3(1.0, 0.0, 0.0), "y": Vec3(0.0, 1.0, 0.0), "z": Vec3(0.0, 0.0, 1.0), "-z": Vec3(0.0, 0.0, -1.0)}
ABOUT: dict[str, Callable[[Vec3], Joint]] = {
    "revolute": Revolute,
    "prismatic": Prismatic,
    "helical": lambda axis: Helical(axis, 0.3),
    "cylindrical": Cylindrical,
    "planar": Planar,
}
JOINTS: dict[str, Joint] = {f"{kind} {name}": make(axis) for kind, make in ABOUT.items() for name, axis in AXES.items()}
JOINTS |= {
    "revolute askew": Revolute(random_axis(np.random.default_rng(1))),
    "universal": Universal(),
    "universal askew": Universal(*random_axes(np.random.default_rng(5))),
    "spherical": Spherical(),
    "free": Free(),
}
COUNT = 4


def link(joint: Joint) -> Body:
    rng = np.random.default_rng(3)
    return Body("link", joint=joint, placement=random_pose(rng), inertia=random_inertia(rng))


def written_out(links: list[Body], parents: list[int]) -> Robot:
    bodies = [
        replace(b, name=f"b{i}", parent=f"b{p}" if p >= 0 else None) for i, (b, p) in enumerate(zip(links, parents))
    ]
    return Robot(Model("written out", tuple(bodies)))


@pytest.mark.every(6)
@pytest.mark.parametrize("joint", JOINTS.values(), ids=list(JOINTS))
def test_rows_are_links_in_their_own_axes(joint: Joint) -> None:
    one = link(joint)
    robot, rng = written_out([one] * COUNT, list(range(-1, COUNT - 1))), np.random.default_rng(0)
    q, v, a, tau = random_states(robot, 1)
    q, v, a, tau = q[0], v[0], a[0], tau[0]
    external = rng.normal(size=(COUNT, 6))
    wrenches = {f"b{i}": w for i, w in enumerate(external)}
    for large in (LargeTree.chain(COUNT, [one]), LargeTree.from_model(robot)):
        assert_close(
            inverse_dynamics(large, q, v, a, external),
            robot.inverse_dynamics(q, v, a, external=wrenches),
            IDENTITY,
            batched=False,
        )
        found = forward_dynamics(large, q, v, tau, external)
        assert_close(found, robot.forward_dynamics(q, v, tau, external=wrenches), SOLVED, batched=False)
    chain = ArrayChain.chain(COUNT, [one])
    assert_close(
        found,
        constraint_force.forward_dynamics(chain, q, v, tau, external=external, refinements=2),
        1e-6,
        batched=False,
    )


def test_links_of_every_kind_on_a_branched_tree() -> None:
    links = [link(j) for j in JOINTS.values()][::2]
    rng = np.random.default_rng(7)
    parents = [-1] + [int(rng.integers(-1, i)) for i in range(1, len(links))]
    robot = written_out(links, parents)
    large = LargeTree.from_links(links, np.arange(len(links)), parents)
    assert len(large) > len(links) == len(large.link_rows)
    q, v, a, _ = random_states(robot, 3)
    external = rng.normal(size=(3, len(links), 6))
    wrenches = {f"b{i}": external[:, i] for i in range(len(links))}
    assert_close(
        inverse_dynamics(large, q, v, a, external), robot.inverse_dynamics(q, v, a, external=wrenches), IDENTITY
    )


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_a_model_are_its_moving_links(seed: int) -> None:
    """Fixed bodies among them: what is welded to a link has no row of its own."""
    model = random_tree(seed, bodies=12, floating=seed == 1)
    robot, large = Robot(model), LargeTree.from_model(model)
    assert large.link_names == tuple(b.name for b in model.bodies if b.joint.nv)
    q, v, _, tau = random_states(robot, 2)
    external = np.random.default_rng(seed).normal(size=(len(large.link_names), 6))
    wrenches = dict(zip(large.link_names, external, strict=True))
    expected = robot.forward_dynamics(q, v, tau, external=wrenches)
    assert_close(forward_dynamics(large, q, v, tau, external), expected, SOLVED)
    assert_close(large.wrenches(wrenches), external, IDENTITY, batched=False)


def test_an_array_of_ones_own_may_place_its_links() -> None:
    plain = tree("chain", 3)
    turned = replace(plain, link_rows=[2], link_placements=[[0, -1, 0, 1, 0, 0, 0, 0, 1, 0.0, 0.0, 2.0]])
    q = np.full(3, 0.3)
    on_rows = np.zeros((3, 6))
    on_rows[2] = [-2.0, 0.0, 0.0, 0.0, 1.0, 0.0]  # x of the link is y of the row, two metres up
    expected = inverse_dynamics(plain_rows(plain), q, q, q, on_rows)
    assert_close(inverse_dynamics(turned, q, q, q, [[0, 0, 0, 1.0, 0, 0]]), expected, IDENTITY, batched=False)


def plain_rows(large: LargeTree) -> LargeTree:
    """The same rows, each its own link."""
    return replace(large, link_rows=[], link_placements=np.zeros((0, 12)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"link_rows": [0, 1, 1]}, "link_rows"),
        ({"link_rows": [0, 1, 3]}, "link_rows"),
        ({"link_placements": np.ones((3, 12))}, "link_placement"),
        ({"frames": (Frame("tool", "hand", Pose.identity()),)}, named("tool", "hand")),
        ({"inertias": -np.ones((3, 10))}, "mass"),
    ],
)
def test_links_that_cannot_be(change: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        replace(tree("chain", 3), **change)  # type: ignore[arg-type]


def test_wrenches_that_do_not_fit() -> None:
    panda = LargeTree.from_model(load("panda").model)
    with pytest.raises(ShapeError, match="panda_link8"):
        panda.wrenches({"panda_link8": [0.0] * 5})
    with pytest.raises(FrameNotFound, match="tool"):
        tree("chain", 3).wrenches({"tool": [0.0] * 6})
    two_rows_a_link, rest = LargeTree.chain(2, [Body("link", joint=Universal(), inertia=ROD)]), np.zeros(4)
    with pytest.raises(ShapeError, match=named("inverse_dynamics", "external")):
        inverse_dynamics(two_rows_a_link, rest, rest, rest, np.zeros((4, 6)))


def test_what_is_not_a_chain_says_why() -> None:
    with pytest.raises(ArgumentError, match=named("about_y", "other", "mimic")):
        LargeTree.chain(3, [replace(LINKS[0], name="about_y", mimic=Mimic("other"))])
    with pytest.raises(ArgumentError, match="count"):
        LargeTree.chain(2.5, LINKS)  # type: ignore[arg-type]
    assert len(LargeTree.chain(np.int64(3), LINKS)) == 3  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=named("LargeTree.from_model", "panda")):
        LargeTree.from_model("panda")  # type: ignore[arg-type]


def test_wrenches_at_frames_have_batch_axes() -> None:
    """As for kernels: a dictionary from frame to (..., 6), for trees and for chains."""
    robot, rng = load("panda"), np.random.default_rng(4)
    q, v, a, tau = random_states(robot, 3)
    external = {"panda_link8": rng.normal(size=(3, 6)), "panda_link4": rng.normal(size=6)}
    tree, chain = LargeTree.from_model(robot), ArrayChain.from_model(robot)
    expected = robot.inverse_dynamics(q, v, a, external=external)
    assert_close(inverse_dynamics(tree, q, v, a, external), expected, IDENTITY)
    expected = robot.forward_dynamics(q, v, tau, external=external)
    assert_close(forward_dynamics(tree, q, v, tau, external), expected, SOLVED)
    assert_close(constraint_force.forward_dynamics(chain, q, v, tau, external=external), expected, SOLVED)
