"""A Panda arm moves 2.5 kg from A to B over an obstacle: how fast with limits of speed alone, and how fast really?

Data sheets have limits of speed.  A motion that keeps them alone needs several times the torque that the motors have;
with the torques as limits it is the fastest one that they can deliver, and the heavier the load, the longer it takes.

    python examples/heavy_payload.py          # figures
    python examples/heavy_payload.py --plot   # and the phase plane and the torques (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import sixvec as sv
from sixvec import motion

WAYPOINTS = np.array([
    [-1.0, 0.6, 0.0, -1.6, 0.0, 2.2, 0.8],
    [0.1, -0.2, 0.15, -1.9, 0.1, 1.9, 0.4],
    [1.2, 0.2, 0.3, -2.2, 0.2, 2.4, 0.0],
])  # fmt: skip
HAND, LOAD = "panda_link8", 2.5
LEFT = 0.8
"""Of the torques; the rest is the controller's."""


def carrying(mass: float) -> sv.Robot:
    """The arm with a cube of this mass in its hand."""
    size = mass * 0.1**2 / 6.0
    load = sv.spatial.RigidInertia.from_center_of_mass(
        mass, sv.spatial.Vec3(0.0, 0.0, 0.15), sv.spatial.Sym3.diagonal(size, size, size)
    )
    return sv.load("panda").with_payload(HAND, load)


def motions(arm: sv.Robot) -> dict[str, motion.TimedPath]:
    """The fastest motions with limits of speed alone (and an acceleration that no arm has), and with torques."""
    path = motion.spline(arm, WAYPOINTS)
    return {
        "speed": motion.time_optimal(path, acceleration=100.0, torque=None),
        "torque": motion.time_optimal(path, torque=LEFT * arm.effort_limits),
    }


def share(move: motion.TimedPath) -> float:
    """The largest torque, relative to the one that is left."""
    tau = move.tau(np.linspace(0.0, move.duration, 4000))
    return float((np.abs(tau) / (LEFT * move.robot.effort_limits)).max())


def main() -> dict[str, float]:
    """Time the motions with and without the load, print, and return the figures."""
    figures = {}
    for name, mass in (("without load", 1e-3), (f"with {LOAD} kg", LOAD)):
        for limit, move in motions(carrying(mass)).items():
            figures[f"{name}, limits of {limit}: seconds"] = float(move.duration)
            figures[f"{name}, limits of {limit}: share of the torque"] = share(move)
    for name, value in figures.items():
        print(f"{name:55} {value:.3f}")
    if "--plot" in sys.argv:
        import matplotlib.pyplot as plt

        plot(motions(carrying(LOAD)))
        plt.show()
    return figures


def plot(moves: dict[str, motion.TimedPath]) -> Any:
    """The phase planes, and the torques over time with their limits."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9.0, 6.0), layout="constrained")
    for column, (limit, move) in zip(axes.T, moves.items(), strict=True):
        move.plot_phase(column[0])
        column[0].set(title=f"limits of {limit}: {move.duration:.2f} s")
        t = np.linspace(0.0, move.duration, 1000)
        for joint, tau in enumerate((move.tau(t) / (LEFT * move.robot.effort_limits)).T, 1):
            column[1].plot(t, tau, label=f"joint {joint}")
        for side in (-1.0, 1.0):
            column[1].axhline(side, color="0.5", linestyle="--", linewidth=1.0)
        column[1].set(xlabel="time, s", ylabel="torque, as a part of its limit", xlim=(0.0, float(move.duration)))
    axes[1, 1].legend(frameon=False, ncols=4, fontsize="small")
    return figure


if __name__ == "__main__":
    main()
