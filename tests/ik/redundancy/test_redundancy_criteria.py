"""The ten criteria: each gradient is the derivative of its value, and each favours what it should."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sixvec
from differences import gradient, tangent_gradient
from naming import named
from planar_arms import planar
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.ik.redundancy import (
    Criterion,
    Obstacle,
    bounded_passage,
    joint_springs,
    kinetic_energy_cost,
    manipulability,
    mean_over_time,
    motor_current,
    motor_strength,
    null_space_projector,
    obstacle_avoidance,
    rest_torque,
    rms_motor_current,
    singularity_distance,
    task_error,
    weighted_inverse,
)
from sixvec.model import Body, Frame, Limits, Model
from sixvec.model.joints import Prismatic
from subjects import tree
from tolerances import DIFFERENCE, SOLVED, assert_close

PANDA = sixvec.load("panda")
TOOL = "panda_link8"
RNG = np.random.default_rng(3)
WEIGHT = [0.25, 0.25, 0.25, 1.0, 1.0, 1.0]
"""A turn of one radian counts as much as half a metre."""

BALLS = [Obstacle((0.3, 0.1, 0.5), 0.6), Obstacle((0.0, 0.4, 0.2), 0.5)]

POSITION: dict[str, Callable[[], Criterion]] = {
    "1 springs": lambda: joint_springs(PANDA),
    "4 manipulability": lambda: manipulability(PANDA, TOOL, task_weight=WEIGHT, joint_weight=np.arange(1.0, 8.0)),
    "4 position only": lambda: manipulability(PANDA, "panda_link5", "position"),
    "4 of few joints": lambda: manipulability(PANDA, "panda_link5"),
    "5 torque": lambda: rest_torque(PANDA),
    "5 torque with load": lambda: rest_torque(PANDA, external={TOOL: [1.0, 2.0, 3.0, 10.0, 20.0, 30.0]}),
    "7 obstacles": lambda: obstacle_avoidance(PANDA, ["panda_link4", "panda_link6", TOOL], BALLS),
    "8 singularity": lambda: singularity_distance(PANDA, TOOL, task_weight=WEIGHT),
    "8 position only": lambda: singularity_distance(PANDA, TOOL, "position", reference="local"),
}

MOTION: dict[str, Callable[[], Criterion]] = {
    "2 kinetic energy": lambda: kinetic_energy_cost(PANDA),
    "3 motor strength": lambda: motor_strength(PANDA),
    "6 task error": lambda: task_error(PANDA, "panda_link4", [0.1, 0.2, 0.3], "position", [1.0, 2.0, 3.0]),
    "9 bounded passage": lambda: bounded_passage(PANDA, TOOL, threshold=0.5),
    "10 motor current": lambda: motor_current(PANDA, np.arange(1.0, 8.0)),
}


@pytest.mark.every(2)
@pytest.mark.covers("KIN-05")
@pytest.mark.parametrize("name", POSITION)
def test_gradient_of_a_position_cost_is_its_derivative(name: str) -> None:
    cost = POSITION[name]()
    assert cost.of == "position"
    q = PANDA.random(4, 7)
    expected = tangent_gradient(PANDA, cost.value, q)
    assert np.abs(expected).max() > 1e-6, "a constant cost would pass"
    assert_close(cost.gradient(q), expected, 10 * DIFFERENCE, scale=np.abs(expected).max())
    assert_close(cost.gradient(q[2]), cost.gradient(q)[2], SOLVED, batched=False)


@pytest.mark.covers("KIN-05")
@pytest.mark.parametrize("name", MOTION)
def test_gradient_of_a_motion_cost_is_its_derivative(name: str) -> None:
    cost = MOTION[name]()
    q, v, a = PANDA.random(4, 7), *RNG.normal(size=(2, 7, 7))
    state = (q, v, a) if cost.of == "acceleration" else (q, v)
    expected = gradient(lambda x, *others: cost.value(*others, x), state[-1], *state[:-1])
    assert np.abs(expected).max() > 1e-6
    assert_close(cost.gradient(*state), expected, DIFFERENCE, scale=np.abs(expected).max())
    # Quadratic: the weight is the derivative of the gradient.
    assert cost.weight is not None
    moved = cost.gradient(*state[:-1], state[-1] + 1.0) - cost.gradient(*state)
    assert_close(cost.weight(q).sum(axis=-1), moved, SOLVED)


def test_springs_on_joints_with_quaternions() -> None:
    robot = tree("floating")
    q = robot.random(0, 3)
    cost = joint_springs(robot, rest=robot.random(1), stiffness=np.linspace(1.0, 2.0, robot.nv))
    assert_close(cost.gradient(q), tangent_gradient(robot, cost.value, q), DIFFERENCE)
    with pytest.raises(ArgumentError, match="rest"):
        joint_springs(robot)


@pytest.mark.covers("KIN-05")
@pytest.mark.parametrize("name", [n for n in POSITION if not n.startswith("4 of")])
def test_descending_in_the_null_space_improves_the_cost_and_keeps_the_task(name: str) -> None:
    cost = POSITION[name]()
    q = PANDA.random(8, 9)
    J = PANDA.jacobian(q, TOOL)
    down = (null_space_projector(J) @ cost.descent(1.0, q)[..., None])[..., 0]
    assert np.abs(J @ down[..., None]).max() < 1e-9 * max(1.0, np.abs(down).max())
    slope = (cost.gradient(q) * down).sum(axis=-1)
    assert (slope <= 1e-15).all() and slope.min() < -1e-9


def test_kinetic_energy_weight_is_the_dynamically_consistent_inverse() -> None:
    q, t = PANDA.random(5), RNG.normal(size=6)
    cost = kinetic_energy_cost(PANDA)
    J = PANDA.jacobian(q, TOOL)
    assert cost.weight is not None
    v = weighted_inverse(J, joint_weight=cost.weight(q)) @ t
    # Stationary among all motions with the same task: the gradient has no internal part.
    N = np.linalg.svd(J)[2][6:]
    assert np.abs(N @ cost.gradient(q, v)).max() < 1e-10


def test_planar_manipulability_is_the_sine_of_the_elbow_even_when_stretched() -> None:
    arm = planar(2)
    cost = manipulability(arm, "tip", "x y")
    q = np.array([[0.3, 0.7], [0.3, -0.7], [1.0, 2.0]])
    assert_close(cost.value(q), -np.abs(np.sin(q[:, 1])), SOLVED, batched=False)
    # |sin q₂| has a corner at 0: the gradient is finite, of size cos 0 = 1, and its sign is one of the two.
    assert_close(np.abs(cost.gradient([0.3, 0.0])), [0.0, 1.0], 1e-9, batched=False)


def test_global_costs_are_means_over_time() -> None:
    time = np.linspace(0.0, 2.0, 2001)
    q = 0.5 * np.sin(time)[:, None] * np.ones(7)
    v, a = 0.5 * np.cos(time)[:, None] * np.ones(7), -0.5 * np.sin(time)[:, None] * np.ones(7)
    k = np.arange(1.0, 8.0)
    current = PANDA.inverse_dynamics(q, v, a) / k
    mean = np.sqrt((current**2).sum(axis=1)[:-1].mean())  # a rectangle rule, on its own
    assert abs(rms_motor_current(PANDA, k, time, q, v, a) - mean) < 1e-3 * mean
    with pytest.raises(ArgumentError, match=named("times[1]")):
        mean_over_time(joint_springs(PANDA), [0.0, 0.0], q[:2])


def test_at_the_centre_of_an_obstacle_nothing_is_undefined() -> None:
    q = PANDA.random(0)
    here = tuple(PANDA.pose(q, TOOL)[:3, 3].tolist())
    cost = obstacle_avoidance(PANDA, [TOOL], [Obstacle(here, 0.1)])
    assert np.isfinite(cost.gradient(q)).all() and cost.value(q) > 0.0


def test_bad_criteria_are_explained() -> None:
    unlimited: Any = planar(2)
    with pytest.raises(ArgumentError, match="power"):
        motor_strength(unlimited)
    with pytest.raises(DegenerateError, match="torque"):
        motor_current(PANDA, 0.0)
    with pytest.raises(ArgumentError, match=named("rest_torque", "external")):
        rest_torque(PANDA, external=TOOL)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="matrix"):
        manipulability(PANDA, TOOL, joint_weight=np.ones((2, 7, 7)))


def test_springs_and_obstacles_by_hand() -> None:
    """Ranges of 2 and 4 have stiffnesses 1/4 and 1/16; the third joint, unlimited on one side, has none."""
    limits = Limits((0.0,), (2.0,)), Limits((-1.0,), (3.0,)), Limits((0.0,), (np.inf,))
    parents = (None, "a", "b")
    bodies = [Body(n, p, Prismatic(), limits=x) for n, p, x in zip("abc", parents, limits, strict=True)]
    robot = sixvec.Robot(Model("slides", tuple(bodies), (Frame("end", "c"),)))
    springs = joint_springs(robot)
    assert springs.value([3.0, 3.0, 7.0]) == pytest.approx(0.5 * (4.0 / 4.0 + 4.0 / 16.0))
    assert springs.gradient([3.0, 3.0, 7.0]) == pytest.approx([2.0 / 4.0, 2.0 / 16.0, 0.0])
    assert springs.descent(2.0, [3.0, 3.0, 7.0]) == pytest.approx([-1.0, -0.25, 0.0])
    own = joint_springs(robot, rest=[0.0, 0.0, 1.0], stiffness=[1.0, 2.0, 3.0])
    assert own.value([1.0, 1.0, 2.0]) == pytest.approx(0.5 * 6.0)
    one = joint_springs(robot, stiffness=4.0)  # at rest in the middle, or at zero without one
    assert one.gradient([1.0, 1.0, 7.0]) == pytest.approx([0.0, 0.0, 28.0])
    avoid = obstacle_avoidance(
        robot, ["end"], [Obstacle((0.0, 0.0, 0.0), 1.0), Obstacle((0.0, 0.0, 5.0), 0.5)], 0.5, 3.0
    )
    assert avoid.value([0.5, 0.25, 0.25]) == pytest.approx(0.5 * 3.0 * 0.5**2)
    assert avoid.gradient([0.5, 0.25, 0.25]) == pytest.approx([-1.5] * 3)
    assert avoid.gradient([-0.5, -0.25, -0.25]) == pytest.approx([1.5] * 3)
    assert avoid.value([1.0, 1.0, 2.5]) == pytest.approx(0.5 * 3.0 * 0.5**2) and avoid.value([1.0, 1.0, 1.0]) == 0.0
    with pytest.raises(ShapeError, match="values"):
        mean_over_time(springs, [0.0, 1.0, 2.0], np.zeros((2, 3)))
