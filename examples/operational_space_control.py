"""A Panda arm draws a circle with its tool while a spring in the null space holds its posture.

The law is Khatib's: a spring and a damper between the tool and its path decide on an acceleration of the tool, the
task-space dynamics  F = Λ V̇ + η  turn it into a wrench, Jᵀ into joint forces; what the tool does not feel, Nᵀ τ₀, keeps
the seventh freedom in place.  The whole loop, 1 kHz controller and simulation, is one compiled program.

    python examples/operational_space_control.py          # figures
    python examples/operational_space_control.py --plot   # and a plot of the errors (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import sixvec
from sixvec.sim import rollout

TOOL = "panda_link8"
START = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
STEP, DURATION = 1e-3, 2.0
RADIUS, TURN = 0.08, 2.0 * np.pi / DURATION
STIFFNESS, POSTURE = 400.0, 100.0
"""1/s²: critically damped, the error of the tool decays like exp(-20 t) and that of the posture like exp(-10 t)."""


def circle(center: np.ndarray, time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration on a circle in the plane x = const, begun from rest at its lowest point."""
    # The angle grows like s(t) = TURN · (t - sin(2π t/T) T/2π), so that the motion starts and ends at rest.
    pulse = 2.0 * np.pi / DURATION
    angle = TURN * (time - np.sin(pulse * time) / pulse)
    rate, second = TURN * (1.0 - np.cos(pulse * time)), TURN * pulse * np.sin(pulse * time)
    still = np.zeros_like(time)
    out = RADIUS * np.stack([still, np.sin(angle), -np.cos(angle)], axis=1)
    along = RADIUS * np.stack([still, np.cos(angle), np.sin(angle)], axis=1)
    top = center + np.array([0.0, 0.0, RADIUS])
    return top + out, along * rate[:, None], along * second[:, None] - out * rate[:, None] ** 2


def controller(robot: sixvec.Robot, rotation: np.ndarray) -> Any:
    """Joint forces from (q, v, u) on scalars; u holds the path's position, velocity and acceleration."""

    def law(q: Any, v: Any, u: Any) -> list[Any]:
        compute = robot.evaluate
        X, V, J = (
            compute(name, *x, frame=TOOL) for name, x in (("pose", [q]), ("velocity", [q, v]), ("jacobian", [q]))
        )
        twist = [*V]
        turn = _turn(rotation, [row[:3] for row in X[:3]])
        gap = [*turn, *(u[i] - X[i][3] for i in range(3))]
        wanted = [0.0] * 3 + [*u[6:9]]
        rate = [0.0] * 3 + [*u[3:6]]
        damping = 2.0 * np.sqrt(STIFFNESS)
        push = [w + STIFFNESS * e + damping * (r - x) for w, e, r, x in zip(wanted, gap, rate, twist, strict=True)]
        Lambda = compute("operational_space_inertia", q, frame=TOOL)
        eta = compute("task_space_bias", q, v, frame=TOOL)
        F = [_dot(row, push) + h for row, h in zip(Lambda, eta, strict=True)]
        hold = [POSTURE * (s - x) - 2.0 * np.sqrt(POSTURE) * w for s, x, w in zip(START, q, v, strict=True)]
        effort = [_dot(row, hold) for row in compute("mass_matrix", q)]
        N = compute("dynamically_consistent_null_space", q, frame=TOOL)
        columns = zip(zip(*J, strict=True), zip(*N, strict=True), strict=True)
        return [_dot(j, F) + _dot(n, effort) for j, n in columns]

    return law


def _turn(goal: np.ndarray, R: Any) -> list[Any]:
    """½ Σ r_i × g_i over the columns of the rotations: the small turn, in world axes, from R to the goal."""
    total = [0.0, 0.0, 0.0]
    for i in range(3):
        r, g = [row[i] for row in R], [float(row[i]) for row in goal]
        cross = [r[1] * g[2] - r[2] * g[1], r[2] * g[0] - r[0] * g[2], r[0] * g[1] - r[1] * g[0]]
        total = [x + 0.5 * y for x, y in zip(total, cross, strict=True)]
    return total


def _dot(x: Any, y: Any) -> Any:
    return sum(a * b for a, b in zip(x, y, strict=True))


def main(plot: bool = False) -> dict[str, float]:
    robot = sixvec.load("panda")
    start = robot.pose(START, TOOL)
    time = STEP * np.arange(round(DURATION / STEP) + 1)
    path, rate, second = circle(start[:3, 3], time)
    inputs = np.concatenate([path, rate, second], axis=1)
    run = rollout(robot, START, np.zeros(7), inputs[:-1], STEP, control=controller(robot, start[:3, :3]))

    X = robot.pose(run.q, TOOL)
    error = np.linalg.norm(X[:, :3, 3] - path[1:], axis=1)
    cosine = (np.einsum("nij,ij->n", X[:, :3, :3], start[:3, :3]) - 1.0) / 2.0
    figures = {
        "length of the path, m": np.linalg.norm(np.diff(path, axis=0), axis=1).sum(),
        "largest tool error, m": error.max(),
        "largest tilt, rad": np.arccos(np.clip(cosine, -1.0, 1.0)).max(),
        "tool error at the end, m": error[-1],
        "posture drift at the end, rad": np.abs(run.q[-1] - START).max(),
        "fastest joint, rad/s": np.abs(run.v).max(),
    }
    for name, value in figures.items():
        print(f"{name:30} {value:9.2g}")
    if plot:
        import matplotlib.pyplot as plt

        plt.plot(time[1:], 1e3 * error)
        plt.xlabel("time, s")
        plt.ylabel("error of the tool's position, mm")
        plt.show()
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    main(plot="--plot" in sys.argv[1:])
