"""Legs on plain numbers: positions on their spheres, rates by differences, chains of bodies that reach the pivot."""

from __future__ import annotations

import math

import pytest

from naming import named
from sixvec.errors import ArgumentError, ShapeError
from sixvec.parallel import Delta
from sixvec.parallel.leg import PUS, RUS, UPS, Leg, Legs, gain
from sixvec.parallel.leg_chain import LegChain, leg_chain
from sixvec.robot import Robot
from sixvec.spatial import RigidInertia, Sym3, Vec3
from sixvec.tolerances import EQUAL

ORIGIN = Vec3.zero()
ROD = RigidInertia.from_center_of_mass(1.0, ORIGIN, Sym3.diagonal(0.1, 0.1, 0.1))
STEP = 1e-6
IN_SPACE: dict[str, Leg] = {
    "UPS": UPS(base=Vec3(0.3, -0.2, 0.1), platform=ORIGIN, offset=0.2),
    "RUS": RUS(
        base=Vec3(0.3, -0.2, 0.1), platform=ORIGIN, axis=Vec3(0.2, 1.0, -0.3), zero=Vec3(1.0, 0.1, 0.4), crank=0.4,
        rod=0.9, offset=0.3,
    ),
    "PUS": PUS(origin=Vec3(0.1, 0.2, -0.3), platform=ORIGIN, axis=Vec3(1.0, -0.5, 0.2), rod=1.1, offset=-0.2),
}  # fmt: skip
IN_PLANE: dict[str, Leg] = {
    "UPS": UPS(base=Vec3(0.3, -0.2, 0.0), platform=ORIGIN, offset=0.2),
    "RUS": RUS(
        base=Vec3(0.3, -0.2, 0.0), platform=ORIGIN, axis=Vec3(0.0, 0.0, 2.0), zero=Vec3(1.0, 0.3, 0.0), crank=0.4,
        rod=0.9, offset=0.3,
    ),
    "PUS": PUS(origin=Vec3(0.1, 0.2, 0.0), platform=ORIGIN, axis=Vec3(1.0, -0.5, 0.0), rod=1.1, offset=-0.2),
}  # fmt: skip
PIVOTS = [Vec3(0.5, 0.4, 0.7), Vec3(0.9, -0.1, 0.4), Vec3(-0.2, 0.3, 0.6)]


@pytest.mark.parametrize("name", IN_SPACE)
def test_the_pivot_is_on_the_sphere_of_every_branch(name: str) -> None:
    leg = IN_SPACE[name]
    for S in PIVOTS:
        positions = [float(leg.position(S, branch)) for branch in range(leg.branches)]
        for q in positions:
            center, radius = leg.sphere(q)
            assert (S - center).norm() == pytest.approx(radius, abs=1e-14)
            if name == "RUS":
                assert (center - leg.base).norm() == pytest.approx(0.4, abs=1e-15)
            ahead, behind = leg.sphere(q + STEP), leg.sphere(q - STEP)
            slope = (ahead[0] - behind[0]) * (0.5 / STEP)
            rate, growth = leg.rate(q)
            assert (slope - rate).norm() < 1e-9 and (ahead[1] - behind[1]) * 0.5 / STEP == pytest.approx(growth)
            e = (S - center) * (1.0 / (S - center).norm())
            assert gain(leg, q, e) == pytest.approx(e.dot(slope) + growth, abs=1e-9)
            assert abs(gain(leg, q, e)) <= leg.gain_size + 1e-12
        if leg.branches == 2:  # branch 0 is further on: there the actuator draws the pivot back
            rods = [S - leg.sphere(q)[0] for q in positions]
            assert gain(leg, positions[0], rods[0]) < 0.0 < gain(leg, positions[1], rods[1])


@pytest.mark.parametrize("name", IN_SPACE)
def test_at_full_stretch_both_branches_are_one(name: str) -> None:
    leg = IN_SPACE[name]
    if isinstance(leg, UPS):
        assert leg.position(Vec3(30.0, 0.0, 0.0), 1) == leg.position(Vec3(30.0, 0.0, 0.0), 0)
        return
    center, radius = leg.sphere(0.7)
    reach = (center - leg.root) if isinstance(leg, RUS) else leg.axis.cross(Vec3(0.3, 0.1, 0.9))
    stretched = center + reach * (radius / reach.norm())
    assert [leg.position(stretched, branch) for branch in (0, 1)] == pytest.approx([0.7, 0.7], abs=1e-6)


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("name", IN_SPACE)
def test_the_chain_of_bodies_reaches_the_pivot(name: str, planar: bool) -> None:
    leg = (IN_PLANE if planar else IN_SPACE)[name]
    flat = [Vec3(S.x, S.y, 0.0) for S in PIVOTS] if planar else PIVOTS
    home = flat[0]
    chain: LegChain = leg_chain(leg, 4, home, float(leg.position(home, 0)), (ROD, ROD), planar)
    robot = Robot(chain.model(ORIGIN))
    assert chain.freedoms == robot.nv == (2 if planar else 3)
    for S in flat:
        q = float(leg.position(S, 0))
        x = [float(c) for c in chain.coordinates(S, q)]
        assert x[chain.actuator] == q and robot.joint_names[1 if name == "UPS" else 0] == "leg4"
        tip = robot.evaluate("pose", x, frame="leg4_tip")
        assert [tip[i][3] for i in range(3)] == pytest.approx([*S], abs=1e-14)
        if S is home and name != "UPS":
            assert x[1:] == pytest.approx([0.0] * (len(x) - 1), abs=1e-14)


def test_limits_of_the_actuator_go_along_and_the_other_joints_are_idle() -> None:
    leg = UPS(base=ORIGIN, platform=ORIGIN, lower=0.5, upper=1.5)
    cylinder, rod = leg_chain(leg, 0, Vec3(0.0, 0.0, 1.0), 1.0, (ROD, ROD), False).bodies
    assert (rod.limits.lower, rod.limits.upper, cylinder.limits.effort) == ((0.5,), (1.5,), (0.0, 0.0))
    free = leg_chain(UPS(base=ORIGIN, platform=ORIGIN), 0, Vec3(1.0, 0.0, 0.0), 1.0, (ROD, ROD), True).bodies
    assert (free[1].limits.lower, free[1].limits.upper, free[0].limits.effort) == ((), (), (0.0,))


def test_branches_and_hashes() -> None:
    one, all_kinds = Legs([IN_SPACE["UPS"]]), Legs(IN_SPACE.values())
    assert not one.has_branches and all_kinds.has_branches and hash(all_kinds) == hash(tuple(all_kinds))


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        (RUS, {"crank": 0.0}, named("crank", "RUS")),
        (RUS, {"rod": -1.0}, named("rod", "RUS")),
        (PUS, {"rod": 0.0}, named("rod", "PUS")),
        (RUS, {"axis": ORIGIN}, "RUS"),
        (PUS, {"axis": ORIGIN}, "PUS"),
        (RUS, {"zero": Vec3(0.0, 0.0, 2.0)}, named("parallel", "axis")),
        (RUS, {"zero": Vec3(0.5 * EQUAL, 0.0, 1.0)}, named("parallel", "axis")),
        (RUS, {"zero": Vec3(0.5e6 * EQUAL, 0.0, 1e6)}, named("parallel", "axis")),
        (UPS, {"lower": 1.0, "upper": 0.5}, "UPS"),
        (UPS, {"offset": math.nan}, "offset"),
        (UPS, {"offset": math.inf}, "offset"),
        (UPS, {"lower": math.nan}, "lower"),
        (UPS, {"base": [1.0, 2.0]}, "base"),
    ],
)
def test_legs_that_cannot_be_built(kind: type[Leg], options: dict[str, object], said: str) -> None:
    whole: dict[type[Leg], dict[str, object]] = {
        UPS: {"base": ORIGIN},
        RUS: {"base": ORIGIN, "axis": Vec3(0.0, 0.0, 1.0), "zero": Vec3(1.0, 0.0, 0.0), "crank": 0.5, "rod": 1.0},
        PUS: {"origin": ORIGIN, "axis": Vec3(0.0, 0.0, 1.0), "rod": 1.0},
    }
    kind(**{"platform": ORIGIN, "lower": -math.inf, "upper": math.inf, **whole[kind]})  # type: ignore[arg-type]
    kind(**{"platform": ORIGIN, "lower": 0.5, "upper": 0.5, **whole[kind]})  # type: ignore[arg-type]
    RUS(platform=ORIGIN, **{**whole[RUS], "zero": Vec3(2e-6 * EQUAL, 0.0, 1e-6)})  # type: ignore[arg-type]
    with pytest.raises((ArgumentError, ShapeError), match=said):
        kind(**{"platform": ORIGIN, **whole[kind], **options})  # type: ignore[arg-type]


def test_arms_of_a_delta_are_on_their_circles() -> None:
    robot = Delta(0.2, 0.05, 0.25, 0.6, limits=(-0.5, 1.0))
    for k, leg in enumerate(robot.legs):
        c, s = math.cos(2.0 * math.pi * k / 3.0), math.sin(2.0 * math.pi * k / 3.0)
        assert isinstance(leg, RUS) and [*leg.base] == pytest.approx([0.2 * c, 0.2 * s, 0.0])
        assert [*leg.platform] == pytest.approx([0.05 * c, 0.05 * s, 0.0]) and [*leg.zero] == pytest.approx([c, s, 0.0])
        assert [*leg.axis] == pytest.approx([-s, c, 0.0]) and (leg.crank, leg.rod, leg.offset) == (0.25, 0.6, 0.0)
        assert (leg.lower, leg.upper) == (-0.5, 1.0)
        assert leg.sphere(math.pi / 2)[0].z == pytest.approx(-0.25)  # q > 0 turns it down
    turned = Delta(0.2, 0.05, 0.25, 0.6, angles=(0.1, 2.0, 4.0)).legs[1]
    assert turned.root.x == pytest.approx(0.2 * math.cos(2.0)) and turned.root.y == pytest.approx(0.2 * math.sin(2.0))
    assert robot.size == pytest.approx(0.05) and Delta(0.2, 0.0, 0.25, 0.6).size == 1.0
