"""Counting freedoms and measuring them: where the two agree, and where geometry beats the count."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.analysis import chebyshev, kutzbach, mobility
from sixvec.analysis.finite_motion import _units, finite_freedoms
from sixvec.analysis.mobility import MobilityCount, _world_twists, count, is_planar
from sixvec.constraints.loops import assembled
from sixvec.errors import ArgumentError, ShapeError
from sixvec.model import Body, Closure, Frame, Mimic, Model
from sixvec.model.closure import Gear
from sixvec.model.joints import Fixed, Joint, Planar, Prismatic, Revolute, Spherical
from sixvec.spatial import Pose, Rotation, Vec3
from subjects import tree

Z = Revolute(Vec3(0.0, 0.0, 1.0))


@pytest.mark.covers("CHAIN-03", "Bruyninckx (5.3)-(5.4)")
def test_published_counts() -> None:
    """6R arm: 6; Stewart-Gough platform with 32 links and 36 simple joints: 6; four-bar: 1 (Bruyninckx §5.2)."""
    assert kutzbach(7, [1] * 6) == 6
    assert kutzbach(32, [1] * 36) == 6
    assert kutzbach(4, [1] * 4, dimension=3) == 1 == chebyshev(3, 2, 2)
    assert kutzbach(4, [1] * 4) == -2
    assert kutzbach(1, []) == 0
    with pytest.raises(ArgumentError, match="kutzbach"):
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


def bennett(a: float, alpha: float, b: float, beta: float) -> Robot:
    """Four revolute joints in space, links of length a, b, a, b and twist α, β, α, β: mobile if a/sin α = b/sin β."""

    def link(length: float, twist: float) -> Pose:
        return Pose(Rotation.about_x(twist), Vec3(length, 0.0, 0.0))

    bodies = (Body("one", None, Z), Body("two", "one", Z, link(a, alpha)), Body("three", "two", Z, link(b, beta)))
    frames = (
        *(Frame(x.name, x.name) for x in bodies), Frame("end", "three", link(a, alpha)),
        Frame("ground", None, link(b, beta).inv()),
    )  # fmt: skip
    return Robot(Model("bennett", bodies, frames, closures=(Closure("pin", "end", "ground", Z),)))


ALPHA, BETA, FIRST = 0.7, 1.3, 0.8
SECOND = 2.0 * np.arctan(np.sin((ALPHA + BETA) / 2) / np.sin((BETA - ALPHA) / 2) / np.tan(FIRST / 2))
CLOSED_BENNETT = np.array([FIRST, SECOND, -FIRST])
"""tan(θ₁/2) tan(θ₂/2) = sin((α + β)/2)/sin((β - α)/2)."""


@pytest.mark.parametrize("decimals", [15, 6, 5])
@pytest.mark.covers("CHAIN-03")
def test_a_bennett_linkage_moves_as_drawn_too(decimals: int) -> None:
    """Dimensions rounded to six decimals make it a structure on paper; no workshop can tell."""
    exact = (1.0, ALPHA, np.sin(BETA) / np.sin(ALPHA), BETA)
    linkage = bennett(*(round(x, decimals) for x in exact))
    found = mobility(linkage, CLOSED_BENNETT)
    assert found.is_assembled and (found.spatial, found.by_rank, found.finite) == (-2, 1, 1)
    assert not found.is_shaky and "special geometry" in str(found)
    strict = mobility(linkage, CLOSED_BENNETT, tolerance=1e-9)
    assert (strict.by_rank, strict.finite) == ((1, 1) if decimals == 15 else (0, None))


@pytest.mark.covers("CHAIN-03")
def test_other_dimensions_stop_a_bennett_linkage() -> None:
    """A link of another length, assembled as well as it goes: no tolerance of drawings makes that move."""
    wrong = bennett(1.0, ALPHA, 1.1 * np.sin(BETA) / np.sin(ALPHA), BETA)
    found = mobility(wrong, CLOSED_BENNETT)
    assert not found.is_assembled and found.finite is None


@pytest.mark.covers("CHAIN-03")
def test_a_stretched_dyad_is_shaky() -> None:
    """Two bars in one line between two pivots: the pin between them gives way to first order, and no further."""

    def at(x: float) -> Pose:
        return Pose.translation(Vec3(x, 0.0, 0.0))

    bodies = (Body("left", None, Z), Body("right", "left", Z, at(1.0)))
    frames = (
        Frame("left", "left"),
        Frame("right", "right"),
        Frame("end", "right", at(1.5)),
        Frame("pivot", None, at(2.5)),
    )
    dyad = Robot(Model("dyad", bodies, frames, closures=(Closure("pin", "end", "pivot", Z),)))
    found = mobility(dyad, [0.0, 0.0])
    assert (found.planar, found.by_rank, found.finite) == (0, 1, 0)
    assert found.is_shaky and not found.agrees and "only to first order" in str(found)


@pytest.mark.covers("CHAIN-03")
def test_freedoms_of_branches_are_not_added() -> None:
    """A flat parallelogram can leave its line on two branches, with one freedom on each."""
    found = mobility(parallelograms(middle=None), [0.0, 0.0, 0.0])
    assert (found.by_rank, found.finite) == (2, 1) and found.is_shaky
    assert mobility(parallelograms(middle=0.8), [0.9, -0.9, 0.9, 0.9]).finite == 1


def test_the_tolerance_is_checked() -> None:
    with pytest.raises(ArgumentError, match="tolerance"):
        mobility(sixvec.load("four_bar"), np.zeros(3), tolerance=0.0)


def test_mobility_is_for_one_position() -> None:
    bars = sixvec.load("four_bar")
    with pytest.raises(ShapeError, match=named("mobility", "q")):
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


def slanted(joints: list[Joint], closing: Joint | None = None, twist: Rotation | None = None) -> Robot:
    """A chain of joints whose own plane is xy, in a plane of the world that is none of its axes'."""
    tilt = Pose(Rotation.about_x(0.7) @ Rotation.about_y(-0.4), Vec3(0.3, -0.2, 0.5))
    names = [f"b{k}" for k in range(len(joints))]
    places = [tilt, *(Pose(Rotation.about_z(0.3 * k), Vec3(0.4, 0.1 * k, 0.0)) for k in range(1, len(joints)))]
    bodies = tuple(Body(n, p, j, X) for n, p, j, X in zip(names, [None, *names[:-1]], joints, places, strict=True))
    frames = [Frame(n, n) for n in names]
    closures = []
    if closing is not None:
        robot = Robot(Model("open", bodies, tuple(frames)))
        there = Pose.from_matrix(robot.pose(robot.neutral(), names[-1]).tolist())
        frames += [Frame("end", names[-1], Pose(twist or Rotation.identity(), Vec3(0.0, 0.0, 0.0)))]
        frames += [Frame("ground", None, there @ frames[-1].placement)]
        closures = [Closure("close", "end", "ground", closing)]
    return Robot(Model("slanted", bodies, tuple(frames), closures=tuple(closures)))


IN_PLANE = [Revolute(Vec3(0.0, 0.0, 1.0)), Prismatic(Vec3(0.6, 0.8, 0.0)), Revolute(Vec3(0.0, 0.0, -1.0))]


@pytest.mark.covers("CHAIN-03")
@pytest.mark.parametrize(
    ("closing", "flat"),
    [(Fixed(), True), (Z, True), (Prismatic(Vec3(0.0, 1.0, 0.0)), True), (Planar(), True),
     (Prismatic(Vec3(0.0, 0.6, 0.8)), False), (Revolute(Vec3(1.0, 0.0, 0.0)), False), (Spherical(), False)],
    ids=lambda x: str(x)[:24],
)  # fmt: skip
def test_all_joints_of_a_planar_mechanism_move_in_its_plane(closing: Joint, flat: bool) -> None:
    robot = slanted(IN_PLANE, closing)
    q = robot.neutral()
    assert is_planar(robot, q) == flat
    assert count(robot.model, 3) == 3 - (3 - closing.nv) and count(robot.model, 6) == 3 - (6 - closing.nv)
    if closing.nv == 3:
        found = mobility(robot, q)
        assert found.is_assembled and found.spatial == 0 and found.planar == (3 if flat else None)


@pytest.mark.covers("CHAIN-03")
def test_closures_are_looked_at_in_the_axes_of_their_frames() -> None:
    aside = Rotation.about_x(np.pi / 2)
    assert is_planar(slanted(IN_PLANE, Revolute(Vec3(0.0, 1.0, 0.0)), aside), np.zeros(3))
    assert not is_planar(slanted(IN_PLANE, Z, aside), np.zeros(3))


@pytest.mark.covers("CHAIN-03")
def test_slides_alone_are_planar_if_two_directions_span_them() -> None:
    x, y, z = (Prismatic(Vec3(*row)) for row in np.eye(3).tolist())
    assert is_planar(slanted([x, y, Prismatic(Vec3(0.6, -0.8, 0.0))]), np.zeros(3))
    assert not is_planar(slanted([x, y, z]), np.zeros(3))
    assert not is_planar(slanted([*IN_PLANE, z]), np.zeros(4))
    assert not is_planar(slanted([*IN_PLANE, Revolute(Vec3(0.0, 1e-3, 1.0))]), np.zeros(4))


@pytest.mark.covers("CHAIN-03")
def test_each_joint_that_follows_takes_one_freedom_of_the_count() -> None:
    bodies = (Body("a", None, Z), Body("b", "a", Z, mimic=Mimic("a", 2.0, 0.0)), Body("c", "b", Spherical()))
    assert count(Model("m", bodies), 6) == 4
    geared = Model("m", (*bodies, Body("d", None, Z)), closures=(Gear("g", "a", "d", 1.0),))
    assert count(geared, 6) == 4


@pytest.mark.parametrize("counts", [(-1, 0, 0), (0, -1, 0), (0, 0, -1)])
def test_negative_counts_raise(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ArgumentError, match="counts"):
        chebyshev(*counts)
    with pytest.raises(ArgumentError, match="kutzbach"):
        kutzbach(4, [1, *counts])
    assert chebyshev(0, 0, 0) == 0 and kutzbach(3, [0, 0]) == 0 and chebyshev(5, 4, 3) == 1


def test_what_a_count_says() -> None:
    """All the sentences, for counts that agree, fall short, exceed, are shaky or open."""
    same = MobilityCount("m", 3, None, 3, 3, 0)
    assert str(same) == "m: 3 freedoms by rank, 3 by the spatial count" and same.agrees and same.is_assembled
    fewer = MobilityCount("m", 3, None, 1, 1, 0)
    assert str(fewer) == (
        "m: 1 freedom by rank, 3 by the spatial count\n"
        "  2 fewer than counted: some joints cannot move within their loops"
    )
    more = MobilityCount("m", -2, 1, 3, None, 4)
    assert str(more) == (
        "m: 3 freedoms by rank, 1 by the planar count\n"
        "  the spatial count, -2, ignores that all motion is in one plane\n"
        "  2 more than counted: special geometry (an overconstrained mechanism)\n"
        "  4 constraints repeat others: their forces are undetermined"
    )
    shaky = MobilityCount("m", 1, 1, 3, 1, 0)
    assert str(shaky) == (
        "m: 3 freedoms by rank, 1 by the planar count\n  1 of them lead anywhere, 2 only to first order: a singular "
        "position, where branches meet or the mechanism is shaky"
    )
    assert shaky.is_shaky and not shaky.agrees and not more.is_shaky
    opened = MobilityCount("m", 1, 1, 2, None, 5, 0.25, 0.1)
    assert not opened.is_assembled and str(opened).startswith(
        "m: 2 freedoms by rank, 1 by the planar count\n  the loops"
    )
    assert "open by 0.25 at" in str(opened) and "repeat" not in str(opened) and len(str(opened).splitlines()) == 2
    assert MobilityCount("m", 1, 1, 1, None, 0, 0.1, 0.1).is_assembled


def test_steps_along_slides_are_measured_by_the_size_of_the_mechanism() -> None:
    """The farthest body is at 5 m from the first: 1 for turns, 5 for slides."""
    bodies = (
        Body("a", None, Z), Body("b", "a", Prismatic(Vec3(1.0, 0.0, 0.0)), Pose.translation(Vec3(3.0, 4.0, 0.0))),
        Body("c", "b", Planar()),
    )  # fmt: skip
    robot = Robot(Model("sizes", bodies))
    assert _units(robot, np.array(robot.neutral(), float)) == pytest.approx([1.0, 5.0, 5.0, 5.0, 1.0])
    alone = Robot(Model("alone", (Body("a", None, Prismatic()),)))
    assert _units(alone, np.zeros(1)).tolist() == [1.0]
    assert finite_freedoms(robot, np.array(robot.neutral(), float), 1e-5) == 5  # a tree


class Equations:
    """A mechanism that is nothing but its equations of closure, with their derivatives."""

    def __init__(self, n: int, error: Callable[[np.ndarray], list[float]], slope: Callable[[np.ndarray], Any]) -> None:
        self.nv, self.error, self.slope = n, error, slope
        self.model = SimpleNamespace(closures=("loop",), moving=())

    def integrate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.asarray(q + v)

    def difference(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.asarray(b - a)

    def closure_error(self, q: np.ndarray) -> np.ndarray:
        return np.array(self.error(q), float)

    def closure_jacobian(self, q: np.ndarray) -> np.ndarray:
        return np.array(self.slope(q), float).reshape(-1, self.nv)

    def poses(self, q: np.ndarray) -> np.ndarray:
        return np.eye(4)[None]


@pytest.mark.parametrize(
    ("n", "error", "slope", "q", "tolerance", "freedoms"),
    [
        (2, lambda q: [q @ q - 1.0], lambda q: 2.0 * q, [0.6, 0.8], 1e-6, 1),  # a circle
        (3, lambda q: [q @ q - 1.0], lambda q: 2.0 * q, [0.6, 0.0, 0.8], 1e-6, 2),  # a sphere
        (2, lambda q: [q[0] * q[1]], lambda q: [q[1], q[0]], [0.0, 0.0], 1e-6, 1),  # two lines that cross
        (1, lambda q: [q[0] ** 2], lambda q: [2.0 * q[0]], [0.0], 1e-6, 0),  # a point, twice
        (2, lambda q: [q[0], q[1]], lambda q: np.eye(2), [0.0, 0.0], 1e-6, 0),  # a point
        (2, lambda q: [q[1] - 0.3 * q[0] ** 5, q[1]], lambda q: [[-1.5 * q[0] ** 4, 1], [0, 1]], [0, 0], 1e-8, 0),
        (2, lambda q: [q[1] - 0.3 * q[0] ** 5, q[1]], lambda q: [[-1.5 * q[0] ** 4, 1], [0, 1]], [0, 0], 1e-3, 1),
        (2, lambda q: [q[1] ** 2 - q[0] ** 3], lambda q: [-3.0 * q[0] ** 2, 2.0 * q[1]], [0.25, 0.125], 1e-6, 1),
    ],
)
def test_finite_motions_of_equations(
    n: int, error: Any, slope: Any, q: list[float], tolerance: float, freedoms: int
) -> None:
    made: Any = Equations(n, error, slope)
    assert finite_freedoms(made, np.array(q, float), tolerance) == freedoms


def test_tolerances_below_one() -> None:
    arm = sixvec.load("planar_2r")
    for wrong in (0.0, 1.0, 1.5, -1e-6, np.inf, np.nan):
        with pytest.raises(ArgumentError, match="tolerance"):
            mobility(arm, [0.1, 0.2], tolerance=wrong)
    assert mobility(arm, [0.1, 0.2], tolerance=0.5).by_rank == 2


def test_bodies_without_a_frame_have_no_motion_to_tell() -> None:
    block = Robot(Model("block", (Body("base"),)))
    assert _world_twists(block, []).shape == (0, 6)
    bar = Robot(Model("bar", (Body("bar", None, Z),)))
    model = SimpleNamespace(moving=bar.model.moving, v_slices=bar.model.v_slices, frames=())
    bare: Any = SimpleNamespace(name="bar", model=model)
    with pytest.raises(ArgumentError, match="bar"):
        _world_twists(bare, [0.0])
