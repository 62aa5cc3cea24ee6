"""Counting freedoms and measuring them: where the two agree, and where geometry beats the count."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec import Robot
from sixvec.analysis import chebyshev, kutzbach, mobility
from sixvec.analysis.loops import assembled
from sixvec.errors import ArgumentError
from sixvec.model import Body, Closure, Frame, Model
from sixvec.model.closure import Gear
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, Vec3
from subjects import tree

Z = Revolute(Vec3(0.0, 0.0, 1.0))


@pytest.mark.covers("CHAIN-03")
def test_published_counts() -> None:
    """6R arm: 6; Stewart-Gough platform with 32 links and 36 simple joints: 6; four-bar: 1 (Bruyninckx 5.2)."""
    assert kutzbach(7, [1] * 6) == 6
    assert kutzbach(32, [1] * 36) == 6
    assert kutzbach(4, [1] * 4, dimension=3) == 1 == chebyshev(3, 2, 2)
    assert kutzbach(4, [1] * 4) == -2
    assert kutzbach(1, []) == 0
    with pytest.raises(ArgumentError, match="ground"):
        kutzbach(0, [])
    with pytest.raises(ArgumentError, match="dimension"):
        kutzbach(4, [1] * 4, dimension=2)


@pytest.mark.parametrize("name", ["tree", "floating", "forest"])
@pytest.mark.covers("CHAIN-03")
def test_trees_move_in_all_their_joints(name: str) -> None:
    robot = tree(name)
    found = mobility(robot, robot.random(0))
    assert found.by_rank == found.count == found.spatial == robot.nv and found.agrees


@pytest.mark.covers("CHAIN-03")
def test_a_four_bar_moves_although_the_spatial_count_forbids_it() -> None:
    bars = sixvec.load("four_bar")
    found = mobility(bars, assembled(bars, [0.7, 0.0, 1.0]))
    assert (found.spatial, found.planar, found.by_rank) == (-2, 1, 1)
    assert found.agrees and found.redundant_constraints == 3
    assert "one plane" in str(found) and "undetermined" in str(found)


@pytest.mark.covers("CHAIN-03")
def test_a_third_parallel_bar_is_overconstrained() -> None:
    """Two equal parallelograms on one crank: the planar count says a structure, and it moves."""
    found = mobility(parallelograms(middle=0.8), [0.9, -0.9, 0.9, 0.9])
    assert (found.planar, found.by_rank) == (0, 1)
    assert not found.agrees and "special geometry" in str(found)


@pytest.mark.covers("CHAIN-03")
def test_a_bar_of_another_length_stops_it() -> None:
    """The same parts, the middle bar slanted, at a position where the loops are closed: now the count is right."""
    slanted = parallelograms(middle=0.8, foot=0.5)
    q = np.array([0.9, -0.9, 0.9, 0.9])
    tip = np.array([np.cos(0.9) + 0.8 - 0.5, np.sin(0.9)])
    length, q[3] = np.hypot(*tip), np.arctan2(tip[1], tip[0])
    slanted = parallelograms(middle=0.8, foot=0.5, length=length)
    assert np.abs(slanted.closure_error(q)).max() < 1e-12
    found = mobility(slanted, q)
    assert (found.planar, found.by_rank) == (0, 0) and found.agrees


@pytest.mark.covers("CHAIN-03")
def test_a_flat_parallelogram_has_one_more_freedom_for_an_instant() -> None:
    """All bars in one line: here it can become a parallelogram or an antiparallelogram."""
    bars = parallelograms(middle=None)
    assert mobility(bars, [0.9, -0.9, 0.9]).by_rank == 1
    found = mobility(bars, [0.0, 0.0, 0.0])
    assert (found.planar, found.by_rank) == (1, 2) and not found.agrees
    assert "singular position" in str(found)


@pytest.mark.covers("CHAIN-03")
def test_a_gear_takes_one_freedom() -> None:
    bodies = (Body("a", None, Z), Body("b", None, Z, Pose.translation(Vec3(1.0, 0.0, 0.0))))
    pair = Robot(Model("pair", bodies, closures=(Gear("mesh", "a", "b", -2.0),)))
    found = mobility(pair, [0.0, 0.0])
    assert found.by_rank == found.count == 1


def test_mobility_is_for_one_position() -> None:
    bars = sixvec.load("four_bar")
    with pytest.raises(ArgumentError, match="one position"):
        mobility(bars, np.zeros((2, 3)))


def parallelograms(middle: float | None, foot: float | None = None, length: float = 1.0) -> Robot:
    """A crank and a rocker of length 1, two apart, joined by a coupler; and a bar from the ground to its middle."""

    def at(x: float) -> Pose:
        return Pose.translation(Vec3(x, 0.0, 0.0))

    bodies = [Body("crank", None, Z), Body("coupler", "crank", Z, at(1.0)), Body("rocker", None, Z, at(2.0))]
    frames = [Frame("coupler_end", "coupler", at(2.0)), Frame("rocker_end", "rocker", at(1.0))]
    closures = [Closure("pin", "coupler_end", "rocker_end", Z)]
    if middle is not None:
        bodies.append(Body("bar", None, Z, at(middle if foot is None else foot)))
        frames += [Frame("coupler_middle", "coupler", at(middle)), Frame("bar_end", "bar", at(length))]
        closures.append(Closure("middle_pin", "coupler_middle", "bar_end", Z))
    own = [Frame(b.name, b.name) for b in bodies]
    return Robot(Model("bars", tuple(bodies), (*own, *frames), closures=tuple(closures)))
