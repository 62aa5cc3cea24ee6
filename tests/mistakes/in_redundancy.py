"""Redundancy: gaps, bounds, criteria, damping."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import sixvec
from mistakes import Mistake, mistake
from sixvec.errors import ArgumentError, DegenerateError, FrameNotFound, ShapeError
from sixvec.ik.redundancy import (
    CONTROL,
    SIMULATION,
    Gap,
    Obstacle,
    RateTask,
    chiaverini_damping,
    close_gaps,
    damped_least_squares,
    joint_springs,
    motor_current,
    obstacle_avoidance,
    optimality_rows,
    prioritised_rates,
    rates,
    rates_within_limits,
    resolved_rates,
    task_error,
    velocity_bounds,
)
from sixvec.tasks import Frame

ARM = sixvec.load("panda")
TOOL = "panda_link8"
BENT = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
X, J, T = ARM.pose(BENT, TOOL), ARM.jacobian(BENT, TOOL), np.ones(6)
UPPER = np.full(7, 0.3)
BALL = Obstacle((0.0, 0.0, 0.5), 0.1)
NAN = np.nan


def rows() -> Iterator[Mistake]:
    yield from _gaps()
    yield from _bounds()
    yield from _criteria()
    yield from _rates()


def _gaps() -> Iterator[Mistake]:
    tool = Frame(TOOL)
    for name, target, error in (("matrix", 2.0 * np.eye(4), ArgumentError), ("small matrix", np.eye(3), ShapeError)):
        yield mistake(f"Gap: {name}", lambda Y=target: close_gaps(ARM, BENT, [Gap(tool, Y)]), error, TOOL, "target")
    turning = Gap(tool, X, velocity=np.zeros(3))
    yield mistake("Gap: velocity", lambda: turning.rates(ARM, BENT), ShapeError, "Gap", "velocity")
    for gain in (-1.0, NAN, np.inf):
        yield mistake(f"Gap: gain {gain}", lambda g=gain: Gap(tool, X, gain=g), ArgumentError, "gain")
    yield mistake("Gap: task", lambda: Gap(TOOL, X), ArgumentError, "Gap", "task", TOOL)
    yield mistake("close_gaps: none", lambda: close_gaps(ARM, BENT, []), ArgumentError, "Gap")
    yield mistake("close_gaps: batch", lambda: close_gaps(ARM, [BENT, BENT], [Gap(Frame(TOOL), X)]), ShapeError, "q")


def _bounds() -> Iterator[Mistake]:
    yield mistake("velocity_bounds: margin of all", lambda: velocity_bounds(ARM, BENT, 0.01, margin=5.0), ArgumentError,
                  "margin", "panda_joint1")  # fmt: skip
    for margin in (-0.1, NAN):
        yield mistake(f"velocity_bounds: margin {margin}", lambda m=margin: velocity_bounds(ARM, BENT, 0.01, margin=m),
                      ArgumentError, "margin")  # fmt: skip
    yield mistake("velocity_bounds: negative acceleration",
                  lambda: velocity_bounds(ARM, BENT, 0.01, acceleration=[1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0]),
                  ArgumentError, "panda_joint4")  # fmt: skip
    yield mistake("velocity_bounds: NaN as acceleration", lambda: velocity_bounds(ARM, BENT, 0.01, acceleration=NAN),
                  ArgumentError, "panda_joint1")  # fmt: skip
    yield mistake("velocity_bounds: infinite v",
                  lambda: velocity_bounds(ARM, BENT, 0.01, v=np.where(np.arange(7) == 5, np.inf, 0.0)),
                  ArgumentError, "v")  # fmt: skip
    yield mistake("velocity_bounds: NaN in q",
                  lambda: velocity_bounds(ARM, np.where(np.arange(7) == 2, NAN, BENT), 0.01),
                  ArgumentError, "q")  # fmt: skip
    bounds = velocity_bounds(ARM, BENT, 0.01)
    yield mistake("rates_within_limits: NaN as secondary",
                  lambda: rates_within_limits(J, T, bounds, secondary=BENT * NAN),
                  ArgumentError, "secondary")  # fmt: skip
    yield mistake(
        "rates_within_limits: infinite t", lambda: rates_within_limits(J, T * np.inf, bounds), ArgumentError, "t"
    )
    crossed = np.where(np.arange(7) == 2, 0.3, -1.0), np.full(7, 0.1)
    yield mistake("rates_within_limits: crossed bounds", lambda: rates_within_limits(J, T, crossed), DegenerateError,
                  "coordinate", "2")  # fmt: skip
    for what, pair in (("upper", (-UPPER, UPPER[:6])), ("both", (-UPPER[:6], UPPER[:6]))):
        yield mistake(f"rates_within_limits: length of {what}", lambda p=pair: rates_within_limits(J, T, p), ShapeError,
                      "bounds")  # fmt: skip
    yield mistake("rates_within_limits: NaN in bounds", lambda: rates_within_limits(J, T, (-UPPER, UPPER * NAN)),
                  ArgumentError, "bounds[0]")  # fmt: skip
    for value in (1.0, UPPER, None):
        yield mistake(f"rates_within_limits: bounds, a {type(value).__name__}",
                      lambda b=value: rates_within_limits(J, T, b),
                      ArgumentError, "bounds", "velocity_bounds")  # fmt: skip


def _criteria() -> Iterator[Mistake]:
    yield mistake(
        "joint_springs: negative stiffness", lambda: joint_springs(ARM, stiffness=-1.0), ArgumentError, "stiffness[0]"
    )
    yield mistake("joint_springs: NaN as stiffness",
                  lambda: joint_springs(ARM, stiffness=np.where(np.arange(7) == 3, NAN, 1.0)),
                  ArgumentError, "stiffness[3]")  # fmt: skip
    yield mistake(
        "joint_springs: length of stiffness", lambda: joint_springs(ARM, stiffness=np.ones(6)), ShapeError, "stiffness"
    )
    yield mistake(
        "obstacle_avoidance: frame", lambda: obstacle_avoidance(ARM, [TOOL, "zz"], [BALL]), FrameNotFound, "zz"
    )
    yield mistake(
        "obstacle_avoidance: text as frames", lambda: obstacle_avoidance(ARM, TOOL, [BALL]), ArgumentError, "frames"
    )
    yield mistake("obstacle_avoidance: stiffness", lambda: obstacle_avoidance(ARM, [TOOL], [BALL], stiffness=-1.0),
                  ArgumentError, "stiffness")  # fmt: skip
    yield mistake(
        "obstacle_avoidance: margin",
        lambda: obstacle_avoidance(ARM, [TOOL], [BALL], margin=NAN),
        ArgumentError,
        "margin",
    )
    yield mistake("Obstacle: radius", lambda: Obstacle((0.0, 0.0, 0.0), -1.0), ArgumentError, "Obstacle")
    yield mistake("motor_current: length", lambda: motor_current(ARM, np.ones(6)), ShapeError, "torque_constants")
    yield mistake("motor_current: NaN", lambda: motor_current(ARM, NAN), DegenerateError, "torque")
    yield mistake("task_error: velocity", lambda: task_error(ARM, TOOL, np.zeros(3)), ShapeError, "velocity")
    yield mistake(
        "optimality_rows: batch", lambda: optimality_rows(ARM, [BENT, BENT], TOOL, joint_springs(ARM)), ShapeError, "q"
    )
    yield mistake("chiaverini_damping: largest", lambda: chiaverini_damping(0.01, 0.1, -1.0), ArgumentError, "largest")


def _rates() -> Iterator[Mistake]:
    yield mistake("prioritised_rates: damping",
                  lambda: prioritised_rates([RateTask(np.eye(2), [1.0, 1.0])], damping=-0.1),
                  ArgumentError, "damping")  # fmt: skip
    yield mistake("resolved_rates: length of t", lambda: resolved_rates(J, T[:3]), ShapeError, "t", "J")
    yield mistake(
        "damped_least_squares: length of t", lambda: damped_least_squares(J, T[:3], 0.1), ShapeError, "t", "J"
    )
    for mode in (CONTROL, SIMULATION):
        yield mistake(f"rates: length of t in {mode}", lambda m=mode: rates(J, T[:3], m), ShapeError, "t", "J")
    yield mistake("resolved_rates: secondary", lambda: resolved_rates(J, T, secondary=T), ShapeError, "secondary", "J")
    yield mistake("prioritised_rates: rows", lambda: prioritised_rates([RateTask(J[:3], T[:3]), RateTask(J[3:], T)]),
                  ShapeError, "J")  # fmt: skip
