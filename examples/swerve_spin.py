"""A swerve base drives straight on while it turns round itself, and does not veer.

The command is a velocity in the world.  Held for a whole period as a velocity of the base, it bends the path: the base
turns meanwhile.  The twist whose exponential is the wanted step does not.

    python examples/swerve_spin.py          # figures
    python examples/swerve_spin.py --plot   # and the paths (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

import sixvec
from sixvec.mobile import Platform

PERIOD, STEPS = 0.1, 40
SPEED, TURN = 1.0, 2.0


def step_twist(displacement: NDArray[np.float64], heading: float, turn: float) -> NDArray[np.float64]:
    """The twist that moves the base by a displacement in the world while it turns, in one period."""
    half = turn / 2.0
    c, s = np.cos(heading + half), np.sin(heading + half)
    along = np.array([c * displacement[0] + s * displacement[1], c * displacement[1] - s * displacement[0]])
    return np.array([turn, *(along / np.sinc(half / np.pi))]) / PERIOD


def drive(base: Platform, exact: bool) -> NDArray[np.float64]:
    pose, path = np.zeros(3), []
    for _ in range(STEPS):
        c, s = np.cos(pose[2]), np.sin(pose[2])
        plain = np.array([TURN, SPEED * c, -SPEED * s])
        twist = step_twist(np.array([SPEED * PERIOD, 0.0]), pose[2], TURN * PERIOD) if exact else plain
        wheels = base.inverse_velocity(twist)
        pose = base.odometry(wheels.rates[None], PERIOD, pose, steer=wheels.steer[None]).end
        path.append(pose)
    return np.array(path)


def main(plot: bool = False) -> dict[str, float]:
    base = sixvec.mobile.swerve(0.6, 0.4, 0.05)
    paths = {"plain": drive(base, exact=False), "exact": drive(base, exact=True)}
    figures = {f"veers off, {name}, m": float(np.abs(path[:, 1]).max()) for name, path in paths.items()}
    figures["turned, rad"] = float(paths["exact"][-1, 2])
    for name, value in figures.items():
        print(f"{name:24} {value:9.2g}")
    if plot:
        import matplotlib.pyplot as plt

        for name, path in paths.items():
            plt.plot(path[:, 0], path[:, 1], label=name)
        plt.xlabel("x, m")
        plt.ylabel("y, m")
        plt.legend()
        plt.show()
    return figures


if __name__ == "__main__":
    main(plot="--plot" in sys.argv[1:])
