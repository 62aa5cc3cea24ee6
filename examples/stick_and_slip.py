"""A block on an incline: below the angle of friction it sticks, above it slides with g (sin - μ cos).

All angles are one batch: the incline is level, and the load is what gravity would be in its axes.  Every step solves
the contact problem of the four corners, whose matrix is singular: twelve rows for six freedoms.

    python examples/stick_and_slip.py          # figures
    python examples/stick_and_slip.py --plot   # and a plot (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import sixvec as sv
from sixvec.constraints.contacts import Contact
from sixvec.geometry.rigid_body.solids import Box
from sixvec.model import Body, Model
from sixvec.model.body import Frame
from sixvec.model.joints import Free
from sixvec.spatial import Vec3

BLOCK, MASS, FRICTION, G = Box(Vec3(0.4, 0.3, 0.2)), 5.0, 0.5, 9.81
STEP, STEPS = 1e-3, 500


def block() -> sv.Robot:
    """A body that moves freely; gravity comes with the load."""
    body = Body("block", None, Free(), inertia=BLOCK.inertia(MASS))
    return sv.Robot(Model("block", (body,), frames=(Frame("block", "block"),), gravity=Vec3.zero()))


def slide(angles: np.ndarray) -> Any:
    """The paths of blocks that start at rest on inclines with these angles; x is downhill."""
    robot = block()
    load = np.zeros((len(angles), 6))
    load[:, 3], load[:, 5] = MASS * G * np.sin(angles), -MASS * G * np.cos(angles)
    start = robot.neutral()
    start[2] = 0.1
    contact = Contact("block", BLOCK, friction=FRICTION)
    return robot.rollout(np.tile(start, (len(angles), 1)), np.zeros(6), load, STEP, steps=STEPS, contacts=[contact])


def main() -> dict[str, float]:
    """Slide, print, and return how far the measured accelerations are from Coulomb's."""
    angles = np.linspace(0.0, 1.0, 101)
    path = slide(angles)
    measured = np.diff(path.v[..., 3], axis=1).mean(axis=1) / STEP
    expected = np.maximum(0.0, G * (np.sin(angles) - FRICTION * np.cos(angles)))
    moves = measured > 1e-9
    figures = {
        "angle of friction, rad": float(np.arctan(FRICTION)),
        "first angle that slides, rad": float(angles[moves][0]),
        "largest error of acceleration, m/s²": float(np.abs(measured - expected).max()),
        "largest slip of blocks that stick, m": float(np.abs(path.q[~moves][..., 0]).max()),
        "largest residual, m/s": float(path.residual.max()),
    }
    for name, value in figures.items():
        print(f"{name:40} {value:.3g}")
    if "--plot" in sys.argv:
        import matplotlib.pyplot as plt

        plot(angles, path)
        plt.show()
    return figures


def plot(angles: np.ndarray, path: Any) -> Any:
    """Accelerations over the angle, and paths over time of a few angles."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(8.0, 3.0), layout="constrained")
    measured = np.diff(path.v[..., 3], axis=1).mean(axis=1) / STEP
    left.plot(np.degrees(angles), np.maximum(0.0, G * (np.sin(angles) - FRICTION * np.cos(angles))), color="0.6", lw=4)
    left.plot(np.degrees(angles), measured, "k.", ms=3)
    left.axvline(np.degrees(np.arctan(FRICTION)), color="C3", lw=1)
    left.set(xlabel="incline, degrees", ylabel="acceleration, m/s²", title="grey: g (sin - μ cos); red: atan μ")
    time = STEP * np.arange(1, STEPS + 1)
    for k in range(40, 101, 12):
        right.plot(time, path.q[k, :, 0], label=f"{np.degrees(angles[k]):.0f}°")
    right.set(xlabel="time, s", ylabel="way downhill, m", title="paths")
    right.legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
