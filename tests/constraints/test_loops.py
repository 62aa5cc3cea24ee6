"""Mechanisms with loops: assembled as the textbook does, with velocities that keep them closed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import sixvec
from differences import derivative
from naming import named
from sixvec import Robot
from sixvec.analysis import graph_jacobian
from sixvec.constraints import active_jacobian, assembled, velocity_map
from sixvec.constraints.loop_equations import closure_bias, closure_rows
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.mechanism.row_rank import gap_limits, row_rank
from sixvec.model import Body, Closure, Frame, Gear, Limits, Model
from sixvec.model.joints import Revolute, Spherical
from sixvec.model.joints.joint import X_AXIS, Y_AXIS, Z_AXIS
from sixvec.model.robots.shapes import along_x, uniform_rod
from sixvec.spatial import Pose, Vec3
from tolerances import DIFFERENCE, ROUNDING, SOLVED, assert_close

FOUR_BAR, SLIDER_CRANK = sixvec.load("four_bar"), sixvec.load("slider_crank")
OPEN, CROSSED = [0.7, -0.4, 1.0], [0.7, -1.8, -1.7]
"""Guesses that lead to the two assemblies of the four-bar linkage."""

DRIVE = np.array([1.0, 0.0, 0.0])


def four_bar_angles(theta2: float, crossed: bool) -> tuple[float, float]:
    """Angles of coupler and rocker from the ground, where the circles about crank pin and pivot meet."""
    a, b, c, d = 0.040, 0.120, 0.080, 0.100
    pin = a * np.array([math.cos(theta2), math.sin(theta2)])
    across = np.array([d, 0.0]) - pin
    r = math.hypot(*across)
    along = (r * r + b * b - c * c) / (2.0 * r)
    height = math.sqrt(b * b - along * along) * (-1.0 if crossed else 1.0)
    meet = pin + (along * across + height * np.array([-across[1], across[0]])) / r
    return math.atan2(*(meet - pin)[::-1]), math.atan2(meet[1], meet[0] - d)


@pytest.mark.covers("CHAIN-01", "CHAIN-18")
@pytest.mark.parametrize("crossed", [False, True])
def test_the_four_bar_linkage_as_in_the_textbook(crossed: bool) -> None:
    guess = np.array(CROSSED if crossed else OPEN)
    for theta2 in np.radians(np.arange(0.0, 360.0, 15.0)) + math.radians(40.0):
        # The crank turns all the way round; each position is the guess for the next.
        guess[0] = theta2
        guess = assembled(FOUR_BAR, guess)
        theta3, theta4 = four_bar_angles(theta2, crossed)
        assert guess[0] == theta2
        np.testing.assert_allclose(np.cos(guess[0] + guess[1] - theta3), 1.0, atol=1e-12)
        np.testing.assert_allclose(np.sin([guess[0] + guess[1] - theta3, guess[2] - theta4]), 0.0, atol=1e-10)


def test_the_four_bar_linkage_has_the_printed_angles() -> None:
    """Norton, "Design of Machinery", example 4-1: crank at 40°, open 20.30° and 57.33°, crossed -60.98° and -98.01°."""
    for guess, printed in ((OPEN, (20.30, 57.33)), (CROSSED, (-60.98, -98.01))):
        q = np.degrees(assembled(FOUR_BAR, [math.radians(40.0), *guess[1:]]))
        np.testing.assert_allclose((q[0] + q[1], q[2]), printed, atol=0.006)


@pytest.mark.covers("CHAIN-18")
def test_the_slider_crank_as_in_the_textbook() -> None:
    a, b, c = 0.040, 0.120, -0.020
    guess = np.array([0.0, 0.0, 0.1])
    for theta2 in np.radians(np.arange(0.0, 360.0, 15.0)):
        guess[0] = theta2
        guess = assembled(SLIDER_CRANK, guess)
        height = c - a * math.sin(theta2)
        assert guess[2] == pytest.approx(a * math.cos(theta2) + math.sqrt(b * b - height * height), abs=1e-11)
    printed = assembled(SLIDER_CRANK, [math.radians(60.0), -1.0, 0.1])
    assert printed[2] == pytest.approx(0.12684, abs=1e-5)


@pytest.mark.covers("CHAIN-18")
@pytest.mark.parametrize(("robot", "guess"), [(FOUR_BAR, OPEN), (FOUR_BAR, CROSSED), (SLIDER_CRANK, [0.7, -1.0, 0.1])])
def test_dependent_velocities_are_those_of_the_closed_loop(robot: Robot, guess: list[float]) -> None:
    q = assembled(robot, guess)
    K = velocity_map(robot, q)
    assert K.shape == (3, 1) and K[0, 0] == 1.0
    along = derivative(lambda t: assembled(robot, q + t * DRIVE))
    assert_close(K[:, 0], along, DIFFERENCE, batched=False)
    assert np.abs(robot.closure_jacobian(q) @ K).max() < 1e-14
    # Driving another joint gives the same motion at another pace.
    rocker = velocity_map(robot, q, [robot.joint_names[2]])
    assert_close(rocker * K[2], K, SOLVED, batched=False)


@pytest.mark.covers("CHAIN-17")
def test_active_jacobian_is_the_derivative_along_the_mechanism() -> None:
    q = assembled(FOUR_BAR, OPEN)
    J = active_jacobian(FOUR_BAR, q, "coupler_end")
    along = derivative(lambda t: FOUR_BAR.pose(assembled(FOUR_BAR, q + t * DRIVE), "coupler_end")[:3, 3])
    assert_close(J[3:, 0], along, DIFFERENCE, batched=False)
    # Both sides of the cut move alike, since the loop is closed there.
    assert_close(active_jacobian(FOUR_BAR, q, "rocker_end")[3:], J[3:], SOLVED, batched=False)


@pytest.mark.covers("CHAIN-17")
def test_frames_and_loops_stacked_by_either_route() -> None:
    q = assembled(FOUR_BAR, OPEN)
    v = velocity_map(FOUR_BAR, q)[:, 0]
    stacked = graph_jacobian(FOUR_BAR, q, ["coupler_end", "rocker_end"]) @ v
    assert_close(stacked[:6], FOUR_BAR.velocity(q, v, "coupler_end"), ROUNDING, batched=False)
    assert_close(stacked[6:12], FOUR_BAR.velocity(q, v, "rocker_end"), ROUNDING, batched=False)
    assert np.abs(stacked[12:]).max() < 1e-14


def five_bar() -> Robot:
    """Two arms of two bars from pivots 0.1 m apart that meet in a pin; both pivots have motors."""
    idle = Limits(effort=(0.0,))
    rod = uniform_rod(0.1, 0.1)
    bodies = (
        Body("left", None, Revolute(), inertia=rod, joint_name="a"),
        Body("left_tip", "left", Revolute(), along_x(0.1), rod, "b", idle),
        Body("right", None, Revolute(), along_x(0.1), rod, "c"),
        Body("right_tip", "right", Revolute(), along_x(0.1), rod, "d", idle),
    )
    ends = tuple(Frame(f"end_{b.name}", b.name, along_x(0.1)) for b in bodies)
    frames = (*(Frame(b.name, b.name) for b in bodies), *ends)
    return Robot(Model("five_bar", bodies, frames, closures=(Closure("pin", ends[1].name, ends[3].name, Revolute()),)))


@pytest.mark.covers("CHAIN-17", "CHAIN-18")
def test_a_parallel_robot_with_two_motors() -> None:
    robot = five_bar()
    guess = np.random.default_rng(0).normal([2.0, -1.5, 1.2, 1.4], 0.05, (20, 4))
    q = assembled(robot, guess)
    assert (q[:, [0, 2]] == guess[:, [0, 2]]).all()
    K = velocity_map(robot, q)
    for j, column in enumerate((0, 2)):
        step = np.eye(4)[column]
        along = derivative(lambda t, step=step: assembled(robot, q + t * step))
        assert_close(K[..., j], along, DIFFERENCE)
    # The tip lies on circles about both elbows: its velocity is across both outer bars as the elbows dictate.
    tip = active_jacobian(robot, q, "end_left_tip")[..., 3:5, :]
    for arm, j in (("left", 0), ("right", 1)):
        elbow = robot.pose(q, f"{arm}_tip")[:, :2, 3]
        bar = robot.pose(q, "end_left_tip")[:, :2, 3] - elbow
        elbow_velocity = robot.jacobian(q, f"{arm}_tip")[..., 3:5, [0, 2]]
        expected = np.zeros((20, 2))
        expected[:, j] = np.einsum("ni,ni->n", bar, elbow_velocity[..., j])
        np.testing.assert_allclose(np.einsum("ni,nij->nj", bar, tip), expected, atol=1e-13)


def test_loops_in_space_and_gears() -> None:
    """A ball joint closes a loop of six hinges: three freedoms; a gear takes one more."""
    rng = np.random.default_rng(3)
    bodies: list[Body] = []
    offset = Pose.translation(Vec3(0.3, 0.1, 0.2))
    for i in range(6):
        joint = Revolute((Z_AXIS, Y_AXIS, X_AXIS)[i % 3])
        bodies.append(Body(f"b{i}", bodies[-1].name if bodies else None, joint, offset))
    frames = (*(Frame(b.name, b.name) for b in bodies), Frame("end", "b5", offset))
    q0 = rng.uniform(-1.0, 1.0, 6)
    at = Robot(Model("chain", tuple(bodies), frames)).pose(q0, "end")[:3, 3]
    target = Frame("target", None, Pose.translation(Vec3(*at.tolist())))
    ball = Closure("ball", "target", "end", Spherical())
    robot = Robot(Model("chain", tuple(bodies), (*frames, target), closures=(ball,)))
    q = assembled(robot, q0 + rng.normal(0.0, 0.1, 6), hold=["b0", "b1", "b2"])
    np.testing.assert_allclose(robot.pose(q, "end")[:3, 3], at, atol=1e-11)
    assert velocity_map(robot, q, ["b0", "b1", "b2"]).shape == (6, 3)
    geared = Robot(replace(robot.model, closures=(ball, Gear("g", "b0", "b1", ratio=0.5))))
    q = assembled(geared, q, hold=["b0", "b2"])
    assert q[1] == pytest.approx(0.5 * q[0], abs=1e-12)
    K = velocity_map(geared, q, ["b0", "b2"])
    np.testing.assert_allclose(K[1], [0.5, 0.0], atol=1e-13)


def test_what_cannot_be_done_is_said() -> None:
    with pytest.raises(DegenerateError, match="four_bar"):
        assembled(FOUR_BAR, [0.0, 1.0, 2.5], hold=["drive", "pivot"])
    in_line = assembled(FOUR_BAR, FOUR_BAR.neutral())  # no velocity closes the gap: a start beside it does
    assert np.abs(FOUR_BAR.closure_error(in_line)).max() < 1e-12 and in_line[0] == 0.0
    q = assembled(FOUR_BAR, OPEN)
    with pytest.raises(DegenerateError, match=named("drive", "pivot")):
        velocity_map(FOUR_BAR, q, ["drive", "pivot"])
    with pytest.raises(ArgumentError, match=named("drives", "four_bar", "drive")):
        velocity_map(FOUR_BAR, q, ["drives"])


def test_passive_singularities_are_not_hidden() -> None:
    """Where the coupler folds over the crank the rocker stands still, so it cannot drive the others."""
    # A triangle of ground 100, rocker 80 and coupler less crank, 120 - 40 = 80.
    theta4 = math.pi - math.acos((0.1**2 + 0.08**2 - 0.08**2) / (2.0 * 0.1 * 0.08))
    reach = 0.1 + 0.08 * np.exp(1j * theta4)
    theta2 = np.angle(reach) + math.pi
    q = assembled(FOUR_BAR, [theta2, math.pi, theta4], hold=["drive"])
    assert velocity_map(FOUR_BAR, q)[2, 0] == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(DegenerateError):
        velocity_map(FOUR_BAR, q, ["pivot"])


def test_a_tree_has_nothing_to_assemble() -> None:
    robot = sixvec.load("planar_2r")
    assert assembled(robot, [0.1, 0.2]).tolist() == [0.1, 0.2]
    assert velocity_map(robot, [0.1, 0.2]).tolist() == np.eye(2).tolist()


def small_four_bar(scale: float) -> Robot:
    """The four-bar linkage with all offsets multiplied; masses do not matter to its loop."""
    model = sixvec.load("four_bar").model

    def smaller(X: Pose) -> Pose:
        return Pose(X.rot, X.pos * scale)

    bodies = tuple(replace(b, placement=smaller(b.placement)) for b in model.bodies)
    frames = tuple(replace(f, placement=smaller(f.placement)) for f in model.frames)
    return Robot(replace(model, bodies=bodies, frames=frames))


@pytest.mark.parametrize("scale", [1e-2, 1e-4, 3e-5])
def test_small_mechanisms_close_and_open_starts_raise(scale: float) -> None:
    """Lengths of millimetres and of micrometres: the same angles, and a gap is judged by the size."""
    large, small = sixvec.load("four_bar"), small_four_bar(scale)
    guess = [[0.7, 0.0, 1.0], [0.2, 0.5, 0.9], [-0.4, 0.1, 1.5]]
    found = small.assemble(guess, fixed=["drive"])
    assert found and np.abs(small.closure_error(found.q)).max() < 1e-12
    assert np.allclose(found.q, large.assemble(guess, fixed=["drive"]).q, atol=1e-6)
    rest = np.zeros(3)
    small.rollout(found.q[0], rest, rest, 1e-6, steps=1)
    with pytest.raises(ArgumentError, match=named("rollout", "coupler_pin")):
        small.rollout(found.q[0] + [0.0, 0.02, 0.0], rest, rest, 1e-6, steps=1)
    with pytest.raises(ArgumentError, match=named("rollout", "coupler_pin")):
        small.rollout(found.q[0], [0.0, 0.5, 0.0], rest, 1e-6, steps=1)


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6])
def test_rank_and_gaps_scale_with_the_mechanism(scale: float) -> None:
    large, scaled = sixvec.load("four_bar").model, small_four_bar(scale).model
    assert row_rank(scaled).used == row_rank(large).used
    sizes, angles = gap_limits(scaled) / gap_limits(large), [True, True, False, False, False]
    assert np.allclose(sizes, np.where(angles, 1.0, scale))


def test_robots_without_loops_have_empty_rows() -> None:
    robot = sixvec.load("planar_2r")
    q, v = np.zeros((3, 1, 2)), np.zeros((4, 2))
    assert closure_bias(robot, q, v).shape == (3, 4, 0)
    assert closure_bias(robot, q[0, 0], v[0]).shape == (0,)
    assert closure_rows(robot, q).shape == (3, 1, 0, 2)
