"""States from which simulations begin, with reproducible noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.constraints.closed_state import OPEN
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.robot import Robot
from sixvec.scalar import where
from sixvec.sim.projection import projected
from sixvec.sim.step_rows import StepRows
from sixvec.spatial.norm import largest_size

_STEP, _FIRST, _SECOND = (np.uint64(x) for x in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
"""Constants of SplitMix64 (Steele, Lea and Flood 2014)."""

ROUNDS = 10
"""Of Newton's method for states with noise."""

REACHED = 0.1
"""Errors of loops are smaller than this fraction of what counts as closed."""


def position_of_file(model: Model) -> Array:
    """The position in which a file shows its robot; the neutral one if it says nothing."""
    shown = [k for k in model.keyframes if k.name == "qpos0"]
    if shown:
        return shown[0].state(model).q
    return np.array([x for b in model.moving for x in b.joint.neutral()], float)


def noisy_states(
    robot: Robot, q: Array, v: Array, size: float, seeds: NDArray[np.int64], resets: NDArray[np.int64]
) -> tuple[Array, Array]:
    """States (n, …) moved by up to `size` in every joint, and with velocities changed by as much.

    The changes of a row depend on its two seeds and its number of resets alone.

    >>> import numpy, sixvec
    >>> robot, zero = sixvec.load("planar_2r"), numpy.zeros((1, 2))
    >>> noisy_states(robot, zero, zero, 0.1, numpy.array([[0, 3]]), numpy.array([0]))[0].round(3).tolist()
    [[-0.068, -0.002]]
    """
    count = 2 * robot.nv
    keys = np.concatenate([seeds, resets[:, None]], axis=1).astype(np.uint64)
    noise = size * (2.0 * uniform_numbers(keys, count) - 1.0)
    return robot.integrate(q, noise[:, : robot.nv]), v + noise[:, robot.nv :]


def nearest_allowed(rows: StepRows) -> CompiledFunction:
    """States (q, v) that loops and wheels allow, nearest to given ones (q, v); those of `start` where loops stay open.

    >>> import numpy, sixvec
    >>> bars = sixvec.load("four_bar")
    >>> start = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q, numpy.zeros(3)
    >>> q, v = nearest_allowed(StepRows(bars.model))(start[0] + 0.1, numpy.ones(3), *start)
    >>> bool(abs(bars.closure_error(q)).max() < 1e-12), bool(abs(bars.closure_jacobian(q) @ v).max() < 1e-12)
    (True, True)
    """
    model = rows.model
    least = OPEN[np.dtype(np.float64)] * REACHED

    def closed_states(q: Any, v: Any, q_start: Any, v_start: Any) -> Any:
        q1, v1 = projected(rows, q, v, rounds=ROUNDS)
        fine = where(largest_size(rows.errors(q1)) < least, 1.0, 0.0) if rows.keep_positions else 1.0
        return ([where(fine > 0.5, x, y) for x, y in zip(new, old, strict=True)]
                for new, old in ((q1, q_start), (v1, v_start)))  # fmt: skip

    state = Port("q", (model.nq,)), Port("v", (model.nv,))
    start = Port("q_start", (model.nq,)), Port("v_start", (model.nv,))
    function = CompiledFunction(
        closed_states, (*state, *start), state, f"{model.fingerprint} {rows.hold} closed states"
    )
    function.needs_double = True
    return function


def uniform_numbers(keys: NDArray[np.uint64], count: int) -> Any:
    """Numbers (n, count) between 0 and 1 that depend on the keys (n, k) of their row alone."""
    with np.errstate(over="ignore"):
        state = np.zeros(len(keys), np.uint64)
        for key in keys.T:
            state = _mixed(state + key * _STEP + _STEP)
        places = (np.arange(1, count + 1, dtype=np.uint64) * _STEP)[None]
        return (_mixed(state[:, None] + places) >> np.uint64(11)) * 2.0**-53


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))
