"""Chains as arrays: how they are made, what they refuse, and wrenches at named frames."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from chains import random_chain, random_state

from naming import named
from random_trees import random_inertia, random_pose
from sixvec import Robot, load
from sixvec.errors import ArgumentError, FrameNotFound, ModelError, ShapeError
from sixvec.large_trees.constraint_force import ArrayChain, forward_dynamics
from sixvec.large_trees.constraint_force.tree_levels import side_levels, tree_levels
from sixvec.model import WORLD, Body, Frame, Mimic, Model
from sixvec.model.edits import Rotor, with_rotor
from sixvec.model.joints import Fixed, Revolute
from tolerances import IDENTITY, SOLVED, assert_close

LINK = random_chain(1, 1, ["revolute"]).bodies[0]


@pytest.mark.covers("CFA-03")
def test_wrenches_at_frames_of_bodies_that_were_joined() -> None:
    rng = np.random.default_rng(2)
    solid, poses = random_inertia(rng), [random_pose(rng) for _ in range(6)]
    bodies = (
        Body("base", WORLD, Fixed(), poses[0]),
        Body("hub", "base", Revolute(), poses[1], solid),
        Body("mount", "hub", Fixed(), poses[2]),
        Body("arm", "mount", Revolute(), poses[3], solid),
    )
    names = ("hub", "mount", "arm", "base")
    model = Model("m", bodies, (*(Frame(n, n) for n in names), Frame("tool", "mount", poses[4]), Frame("floor", WORLD)))
    chain = ArrayChain.from_model(model)
    assert chain.names == ("hub", "arm")
    q, v, tau = random_state(model, 1)
    external = {f.name: rng.normal(size=6).tolist() for f in model.frames}
    expected = Robot(model).evaluate("forward_dynamics", q.tolist(), v.tolist(), tau.tolist(), external=external)
    found = forward_dynamics(chain, q, v, tau, external=external)
    assert np.array_equal(found, forward_dynamics(chain, q, v, tau, external=chain.wrenches(external)))
    assert_close(found, expected, SOLVED, batched=False)


def test_wrong_wrenches_are_named() -> None:
    chain = ArrayChain.from_model(load("panda"))
    with pytest.raises(FrameNotFound, match=named("panda_link77", "panda_link7")):
        chain.wrenches({"panda_link77": [0.0] * 6})
    with pytest.raises(ShapeError, match="panda_link7"):
        chain.wrenches({"panda_link7": [0.0] * 3})
    with pytest.raises(FrameNotFound, match="link"):
        ArrayChain.chain(4, [LINK]).wrenches({"link": [0.0] * 6})


def test_wrenches_and_gravity_stay_with_the_chain() -> None:
    single = ArrayChain.from_model(load("panda")).on(lambda x: x.astype(np.float32) if x.dtype == np.float64 else x)
    assert single.frames == ArrayChain.from_model(load("panda")).frames
    assert single.wrenches({"panda_link8": np.ones(6)}).dtype == np.float32
    for gravity in ((0.0, 0.0, -1.0), np.array([0.0, 0.0, -1.0])):
        assert single.with_gravity(gravity).base_acceleration.dtype == np.float32


def test_gravity() -> None:
    model = random_chain(3, 4)
    state, moon = random_state(model, 1), (0.1, 0.2, -1.62)
    chain = ArrayChain.from_model(model).with_gravity(moon)
    other = ArrayChain.from_model(replace(model, gravity=type(model.gravity)(*moon)))
    assert_close(forward_dynamics(chain, *state), forward_dynamics(other, *state), IDENTITY)
    for given in (moon, np.array(moon)):
        assert ArrayChain.chain(3, [LINK], gravity=given).base_acceleration[3:].tolist() == [-0.1, -0.2, 1.62]
    for wrong in ([0.0, 0.0], 9.81):
        with pytest.raises(ShapeError, match="gravity"):
            chain.with_gravity(wrong)  # type: ignore[arg-type]


def test_uniform_chains_reject_what_they_cannot_be() -> None:
    with pytest.raises(ArgumentError, match="count"):
        ArrayChain.chain(2.5, [LINK])  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=named(LINK.name, "lead", "robot.forward_dynamics")):
        ArrayChain.chain(3, [replace(LINK, mimic=Mimic("lead"))])
    assert ArrayChain.chain(np.int64(3), [LINK]).nv == 3


def test_bodies_that_follow_name_their_leader_and_the_way_out() -> None:
    arm = load("planar_2r").model
    geared = with_rotor(arm, arm.moving[1].name, Rotor(inertia=1e-4, ratio=100.0))
    follower, leader = geared.bodies[-1].name, arm.moving[1].name
    with pytest.raises(ModelError, match=named(follower, leader, "robot.forward_dynamics")):
        ArrayChain.from_model(geared)


def test_a_chain_is_short_to_look_at() -> None:
    assert repr(ArrayChain.chain(1000, [LINK])) == "ArrayChain(1000 bodies, nq=1000, nv=1000)"
    robot = ArrayChain.from_model(load("solo12"))
    beside = len(robot.inertia) - robot.length
    assert f"({beside} on side branches)" in repr(robot) and len(repr(robot)) < 100


class Seen:
    """A body of which every look at its parent is counted."""

    def __init__(self, looks: Counter[str], name: str, parent: str | None) -> None:
        self.name, self._looks, self._parent = name, looks, parent

    @property
    def parent(self) -> str | None:
        self._looks["parent"] += 1
        return self._parent


@pytest.mark.covers("CFA-06")
def test_levels_are_made_in_time_proportional_to_bodies() -> None:
    counts = []
    for n in (100, 200, 400):
        looks: Counter[str] = Counter()
        spine = [Seen(looks, f"s{i}", f"s{i - 1}" if i else WORLD) for i in range(n)]
        teeth = [Seen(looks, f"t{i}", f"s{i}") for i in range(n)]
        (level,) = side_levels([spine, teeth])  # type: ignore[list-item]
        assert np.array_equal(level.children[:, 0], np.arange(n)) and np.array_equal(level.parent, 1 + np.arange(n))
        counts.append(looks["parent"])
    assert counts[2] == 2 * counts[1] == 4 * counts[0]


def test_levels_of_a_tree_by_hand() -> None:
    """The longest path a-b-c-d-j; e and f on b, g on the world; h and i on e."""
    parents = {"a": WORLD, "g": WORLD, "b": "a", "e": "b", "c": "b", "f": "b", "h": "e", "d": "c", "i": "e", "j": "d"}
    levels = tree_levels([replace(LINK, name=name, parent=parent) for name, parent in parents.items()])
    assert ["".join(b.name for b in level) for level in levels] == ["abcdj", "gef", "hi"]
    near, far = side_levels(levels)
    assert (near.start, near.stop, far.start, far.stop) == (5, 8, 8, 10)
    assert near.parent.tolist() == [0, 2, 2] and far.parent.tolist() == [7, 7]
    assert near.children.tolist() == [[3, 3], [1, 2], [3, 3], [3, 3], [3, 3]]
    assert far.children.tolist() == [[2, 2], [0, 1], [2, 2]]
    assert side_levels(levels[:1]) == ()
