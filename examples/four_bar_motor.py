"""A four-bar linkage under the torque of one motor: a crank that goes round, a rocker that swings.

The loop is part of the model, so forward and inverse dynamics and rollouts keep it closed.  The same motion is then
asked of inverse dynamics, which finds the motor's torque again; the tree without its loop would need three motors.

    python examples/four_bar_motor.py          # figures
    python examples/four_bar_motor.py --plot   # and a plot (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import sixvec as sv

STEP, STEPS, SPEED, GAIN = 1e-3, 3000, 12.0, 0.02
"""The motor drives the crank towards a speed in rad/s, with so many N m s."""


def turn() -> tuple[sv.Robot, np.ndarray, Any, np.ndarray]:
    """The linkage, its start, its path, and the torque of the motor in every step."""
    robot = sv.load("four_bar")
    start = robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q

    def motor(q: Any, v: Any, u: Any) -> list[Any]:
        return [GAIN * (u[0] - v[0]), 0.0, 0.0]

    path = robot.rollout(start, np.zeros(3), [SPEED], STEP, steps=STEPS, integrator="rk4", control=motor)
    before = np.concatenate([[0.0], path.v[:-1, 0]])
    return robot, start, path, GAIN * (SPEED - before)


def main() -> dict[str, float]:
    """Turn the crank, print and return the figures."""
    robot, start, path, torque = turn()
    tau = np.stack([torque, 0.0 * torque, 0.0 * torque], axis=-1)
    a = robot.forward_dynamics(path.q, path.v, tau)
    back = robot.inverse_dynamics(path.q, path.v, a)
    energy = robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q) - robot.potential_energy(start)
    work = np.cumsum(torque * np.diff(np.concatenate([start[:1], path.q[:, 0]])))  # held for each step, so exact
    figures = {
        "turns of the crank": float((path.q[-1, 0] - start[0]) / (2.0 * np.pi)),
        "swing of the rocker, degrees": float(np.degrees(np.ptp(path.q[:, 2]))),
        "largest opening of the loop, m or rad": float(np.abs(robot.closure_error(path.q)).max()),
        "energy that is not the motor's work, part": float(np.abs(energy - work).max() / np.abs(work).max()),
        "largest error of the torque, N m": float(np.abs(back - tau).max()),
    }
    for name, value in figures.items():
        print(f"{name:42} {value:.3g}")
    if "--plot" in sys.argv:
        import matplotlib.pyplot as plt

        plot(robot, path, torque)
        plt.show()
    return figures


def plot(robot: sv.Robot, path: Any, torque: np.ndarray) -> Any:
    """The linkage at a few instants of a turn, and the speeds and the torque over time."""
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(8.0, 2.6), layout="constrained")
    last = int(np.searchsorted(path.q[:, 0], path.q[-1, 0] - 2.0 * np.pi))
    shown = np.linspace(last, len(path.q) - 1, 13).astype(int)
    crank, tip, pivot = [robot.pose(path.q, f)[..., :3, 3] for f in ("crank", "coupler_end", "rocker")]
    elbow = robot.pose(path.q, "coupler")[..., :3, 3]
    flat = np.argsort(np.ptp(tip, axis=0))[1:]  # the plane of the motion
    flat.sort()
    for k in shown:
        points = np.stack([crank[k], elbow[k], tip[k], pivot[k]])[:, flat]
        left.plot(*points.T, color="0.7", lw=1)
    left.plot(*tip[last:, flat].T, color="C3", lw=2)
    left.plot(*np.stack([crank[0], pivot[0]])[:, flat].T, "k^", ms=6)
    left.set(aspect="equal", title="a turn; red: the rocker's pin", xticks=[], yticks=[])
    time = STEP * np.arange(1, len(path.q) + 1)
    for k, name in ((0, "crank"), (2, "rocker")):
        middle.plot(time, path.v[:, k], label=name, lw=1)
    middle.set(xlabel="time, s", title="speed, rad/s", ylim=(-16.0, 17.0))
    middle.legend(frameon=False, ncols=2, loc="lower center")
    right.plot(time, torque, color="k", lw=1)
    right.set(xlabel="time, s", title="torque of the motor, N m")
    return figure


if __name__ == "__main__":
    main()
