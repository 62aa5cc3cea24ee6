"""Edits of mechanisms with loops: what was closed stays closed, whatever is renamed, mirrored, attached or cut out."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.constraints import assembled
from sixvec.errors import FrameNotFound, ModelError
from sixvec.model import Body, Closure, Frame, Gear, Model
from sixvec.model.edits import attach, mirror, rename, subchain
from sixvec.model.joints import Revolute, Spherical
from sixvec.spatial import Vec3


def _closed_position(robot: Robot) -> np.ndarray:
    q = assembled(robot, robot.random(0))
    assert np.abs(robot.closure_error(q)).max() < 1e-9
    return q


@pytest.fixture(scope="module")
def linkage() -> Robot:
    return sixvec.load("four_bar")


def test_a_mirror_image_closes_where_the_original_does(linkage: Robot) -> None:
    q = _closed_position(linkage)
    for normal in (Vec3(1.0, 0.0, 0.0), Vec3(0.3, -0.5, 0.8)):
        image = Robot(mirror(linkage.model, normal))
        assert np.abs(image.closure_error(q)).max() < 1e-9


def test_renamed_closures_still_find_their_frames(linkage: Robot) -> None:
    q = _closed_position(linkage)
    closure = linkage.model.closures[0]
    other = Robot(rename(linkage.model, {closure.name: "pin", closure.first: "one_end"}))
    assert other.model.closures[0].name == "pin" and other.model.closures[0].first == "one_end"
    assert np.array_equal(other.closure_error(q), linkage.closure_error(q))


def test_an_attached_mechanism_brings_its_loops(linkage: Robot) -> None:
    q = _closed_position(linkage)
    pair = Robot(attach(linkage.model, linkage.model, linkage.frame_names[0], prefix="second_"))
    assert len(pair.model.closures) == 2
    assert np.abs(pair.closure_error(np.concatenate([q, q]))).max() < 1e-9


def test_a_chain_cut_out_of_a_loop_is_open(linkage: Robot) -> None:
    path = linkage.model.path(linkage.model.bodies[-1].name)
    assert subchain(linkage.model, path[0].name, path[-1].name).closures == ()


def test_closures_are_checked() -> None:
    bodies = (Body("a"), Body("b", "a", Revolute()), Body("c", "a", Spherical()))
    with pytest.raises(FrameNotFound, match=named("d")):
        Model("m", bodies, closures=(Closure("pin", "b", "d"),))
    with pytest.raises(ModelError, match="closures"):
        Model("m", bodies, closures=(Closure("pin", "b", "c"), Gear("pin", "b", "b")))
    with pytest.raises(ModelError, match=named("pair", "c")):
        Model("m", bodies, closures=(Gear("pair", "b", "c"),))
    with pytest.raises(ModelError, match=named("pair", "ratio", "b")):
        Model("m", bodies, closures=(Gear("pair", "b", "b", ratio=float("nan")),))
    with pytest.raises(ModelError, match=named("e", "pair")):
        Model("m", bodies, closures=(Gear("pair", "b", "e"),))


def test_a_chain_keeps_the_loops_and_gears_inside() -> None:
    """Those between its moving bodies; the first one is fixed, so a gear to it goes."""
    names = ["a", "b", "c", "d", "e"]
    bodies = tuple(Body(n, p, Revolute(), joint_name=f"j{n}") for n, p in zip(names, [None, *names], strict=False))
    closures = (
        Closure("inside", "b", "d", Spherical()),
        Closure("leaves", "b", "e", Spherical()),
        Closure("comes", "a", "d", Spherical()),
        Gear("pair", "c", "d"),
        Gear("to the first", "b", "c"),
        Gear("out", "d", "e"),
    )
    frames = tuple(Frame(n, n) for n in names)
    model = Model("chain", bodies, frames, closures=closures)
    assert [c.name for c in subchain(model, "b", "d").closures] == ["inside", "pair"]
