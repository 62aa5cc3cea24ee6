"""The rank of constraints is that of the motion: not of states at which a mechanism is stuck, nor of its short rows."""

import math
from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from sixvec.mechanism.row_rank import row_rank
from sixvec.model import Body, Closure, Frame, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3, so3


def at(x: float, tilt: tuple[float, float, float] = (0.0, 0.0, 0.0), off: float = 0.0) -> Pose:
    return Pose(so3.exp(Vec3(*tilt)), Vec3(x + off, 0.0, 0.0))


def bar(length: float) -> RigidInertia:
    turning = length**2 / 12.0
    return RigidInertia.from_center_of_mass(1.0, Vec3(length / 2, 0.0, 0.0), Sym3.diagonal(1e-3, turning, turning))


def three_cranks(longer: float) -> Model:
    """A coupler on three equal cranks; the second one is longer by a rounding.  The neutral position is flat."""
    bodies = (
        Body("ground"),
        Body("first", "ground", Revolute(), at(0.0), bar(0.3)),
        Body("coupler", "first", Revolute(), at(0.3, off=longer), bar(1.0)),
        Body("second", "ground", Revolute(), at(0.4), bar(0.3)),
        Body("third", "ground", Revolute(), at(1.0), bar(0.3)),
    )
    ends = (
        Frame("a2", "coupler", at(0.4)),
        Frame("a3", "coupler", at(1.0)),
        Frame("e2", "second", at(0.3)),
        Frame("e3", "third", at(0.3)),
    )
    pins = Closure("p2", "a2", "e2", Revolute()), Closure("p3", "a3", "e3", Revolute())
    return Model("three_cranks", bodies, ends, closures=pins)


def five_bar(tilt: float, axis: tuple[float, float, float]) -> Model:
    turned = tuple(tilt * x for x in axis)
    bodies = (
        Body("ground"),
        Body("a1", "ground", Revolute(), at(0.0), bar(0.4)),
        Body("a2", "a1", Revolute(), at(0.4), bar(0.6)),
        Body("b1", "ground", Revolute(), at(0.5, turned), bar(0.4)),  # type: ignore[arg-type]
        Body("b2", "b1", Revolute(), at(0.4), bar(0.6)),
    )
    ends = Frame("e", "a2", at(0.6)), Frame("f", "b2", at(0.6))
    return Model("five_bar", bodies, ends, closures=(Closure("pin", "e", "f", Revolute()),))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.every(2)
@pytest.mark.parametrize("longer", [-1e-6, -1e-7, 0.0, 1e-9, 1e-7, 1e-6])
def test_three_cranks_move_whatever_their_last_digit(longer: float) -> None:
    """At the flat position, where rounded cranks are stuck, all four rows are independent."""
    assert row_rank(three_cranks(longer)).rank == 3
    robot = sv.Robot(three_cranks(longer))
    start = np.array([0.8, -0.8, 0.8, 0.8])
    position = robot.assemble(start)
    assert position
    assert np.abs(position.q - start).max() < 1e-4
    a = robot.forward_dynamics(position.q, np.zeros(4), [1.0, 0.0, 0.0, 0.0])
    exact = sv.Robot(three_cranks(0.0)).forward_dynamics(start, np.zeros(4), [1.0, 0.0, 0.0, 0.0])
    assert np.abs(a - exact).max() <= (100.0 * abs(longer) + 1e-9) * np.abs(exact).max()


@pytest.mark.parametrize("tilt", [1.2e-5, 2e-5, 4e-5, 1e-4, 1e-3])
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.6, 0.8, 0.0)])
def test_short_rows_never_take_the_place_of_long_ones(tilt: float, axis: tuple[float, float, float]) -> None:
    """The rows of the plane carry two of the freedoms, whether or not a tilt counts."""
    rank = row_rank(five_bar(tilt, axis))
    assert rank.rank >= 2
    assert {2, 3} <= {*rank.used}


def bennett(a: float, twists: tuple[float, float], rounding: float) -> Model:
    """Four hinges in space that move, since lengths are in the ratio of the sines of the twists."""
    b = a * math.sin(twists[1]) / math.sin(twists[0])
    first, second, back = (
        Pose(so3.exp(Vec3(t, 0.0, 0.0)), Vec3(x, 0.0, 0.0))
        for x, t in ((a, twists[0]), (b + rounding, twists[1]), (-b - rounding, -twists[1]))
    )
    bodies = (
        Body("ground"),
        Body("one", "ground", Revolute(), inertia=bar(a)),
        Body("two", "one", Revolute(), first, bar(b)),
        Body("three", "two", Revolute(), second, bar(a)),
    )
    ends = Frame("e", "three", first), Frame("f", "ground", back)
    return Model("bennett", bodies, ends, closures=(Closure("pin", "e", "f", Revolute()),))


@pytest.mark.parametrize("twists", [(1.1075, 0.60575), (1.1858, 0.48484), (1.8986, 2.7033), (0.6, 1.3)])
def test_loops_that_close_far_from_neutral_have_a_known_rank(twists: tuple[float, float]) -> None:
    rank = row_rank(bennett(0.3, twists, 1e-7))
    assert (rank.rank, rank.is_known) == (2, True)


@pytest.mark.parametrize("away", [0.0, 10.0, 1e3])
def test_the_place_of_a_loop_on_its_ground_does_not_matter(away: float) -> None:
    bodies = (
        Body("ground"),
        Body("crank", "ground", Revolute(), at(away), bar(0.003)),
        Body("coupler", "crank", Revolute(), at(0.003), bar(0.008)),
        Body("rocker", "ground", Revolute(), at(away + 0.009), bar(0.005)),
    )
    ends = Frame("e", "coupler", at(0.008)), Frame("f", "rocker", at(0.005))
    rank = row_rank(Model("small", bodies, ends, closures=(Closure("pin", "e", "f", Revolute()),)))
    assert rank.rank == 2 and rank.used == (2, 3)
    assert rank.size[0] == pytest.approx(0.025)


def scissor_lift(stages: int) -> tuple[Model, list[float]]:
    """Crossed bars on a slider, and a position in which they are open; at the neutral one they cover each other."""
    length, angle = 0.7, 0.6
    bodies = [
        Body("a0", None, Revolute(), at(0.0), bar(length)),
        Body("slider", None, Prismatic(Vec3(1.0, 0.0, 0.0)), at(0.0), bar(0.1)),
        Body("b0", "slider", Revolute(), at(0.0), bar(length)),
    ]
    q = [angle, length * math.cos(angle), math.pi - angle]
    for k in range(1, stages):
        bodies.append(Body(f"a{k}", f"b{k - 1}", Revolute(), at(length), bar(length)))
        bodies.append(Body(f"b{k}", f"a{k - 1}", Revolute(), at(length), bar(length)))
        q += [2.0 * angle - math.pi, math.pi - 2.0 * angle]
    middles = tuple(Frame(f"{x}{k}m", f"{x}{k}", at(length / 2.0)) for k in range(stages) for x in "ab")
    pins = tuple(Closure(f"m{k}", f"a{k}m", f"b{k}m", Revolute()) for k in range(stages))
    return Model("scissor_lift", tuple(bodies), middles, closures=pins), q


@pytest.mark.filterwarnings("ignore")
@pytest.mark.every(2)
@pytest.mark.parametrize("tilt", [0.0, 1e-6])
@pytest.mark.parametrize("stages", [2, 4])
def test_links_that_are_folded_when_neutral_do_not_decide_the_rank(stages: int, tilt: float) -> None:
    """Folded, the stages turn about each other, with more freedoms than the open lift."""
    model, q = scissor_lift(stages)
    turned = replace(model.bodies[-1], placement=at(0.7, (tilt, -tilt, 0.0)))
    robot = sv.Robot(replace(model, bodies=(*model.bodies[:-1], turned)))
    assert row_rank(robot.model).rank == robot.nv - 1
    q = robot.assemble(q).q
    tau = np.cos(np.arange(robot.nv))
    a = np.array(robot.evaluate("forward_dynamics", list(q), [0.0] * robot.nv, list(tau)), float)
    way = np.linalg.svd(robot.closure_jacobian(q)[[r for k in range(stages) for r in (5 * k + 2, 5 * k + 3)]])[2][-1]
    M, rest = robot.mass_matrix(q), tau - robot.bias_forces(q, np.zeros(robot.nv))
    expected = way * (way @ rest) / (way @ M @ way)
    assert np.abs(a - expected).max() <= (1e-9 + 100.0 * tilt) * np.abs(expected).max()
