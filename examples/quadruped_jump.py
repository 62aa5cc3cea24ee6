"""A quadruped that stands up from the floor and jumps: contacts with friction, a servo at every joint.

The robot lies on its folded legs, stands up, crouches, stretches its legs and leaves the floor, lands and stands again.
One call simulates all of it: the servo is a law that is compiled with the step, and its targets are the input.

    python examples/quadruped_jump.py          # figures
    python examples/quadruped_jump.py --plot   # and a plot (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import sixvec as sv
from sixvec.constraints.contacts import floor
from sixvec.geometry.rigid_body.solids import Sphere
from sixvec.scalar import where

FOOT, FRICTION, STEP = 0.015, 0.8, 1e-3
STIFFNESS, DAMPING, STRONGEST = 15.0, 0.4, 2.0
"""Of the servos, in N m/rad, N m s/rad and N m."""

POSTURES = ((0.0, 1.45), (0.2, 1.45), (1.0, 0.8), (1.4, 0.8), (1.7, 1.15), (1.95, 1.15), (2.01, 0.5), (2.07, 0.5),
            (2.19, 0.9), (2.8, 0.8), (3.2, 0.8))  # fmt: skip
"""Times in s, and angles of the thighs in rad: lie, stand, crouch, stretch, and draw the legs in to land."""

JUMP = 1.95
"""When the legs begin to stretch."""


def targets() -> np.ndarray:
    """The angles of the twelve joints at every step.

    Shanks bend twice as far as thighs, so feet stay below the hips, and hind legs bend forward where front legs bend
    backward, so what they do to the trunk's pitch cancels.
    """
    times, thigh = np.array(POSTURES).T
    bent = np.interp(np.arange(0.0, times[-1], STEP), times, thigh)
    front = np.stack([0.0 * bent, bent, -2.0 * bent], axis=-1)
    return np.concatenate([front, front, -front, -front], axis=-1)


def servo(q: Any, v: Any, u: Any) -> list[Any]:
    """A spring and a damper at every joint, within what its motor can give; the base has none."""
    wanted = [STIFFNESS * (goal - x) - DAMPING * rate for goal, x, rate in zip(u, q[7:], v[6:], strict=True)]
    below = [where(x < STRONGEST, x, STRONGEST) for x in wanted]
    return [0.0] * 6 + [where(x > -STRONGEST, x, -STRONGEST) for x in below]


def jump() -> tuple[sv.Robot, Any]:
    """The robot, and its path with the forces of the feet."""
    robot = sv.load("solo12")
    feet = [name for name in robot.frame_names if name.endswith("FOOT")]
    goals = targets()
    q = robot.neutral()
    q[7:] = goals[0]
    q[2] += FOOT - min(robot.pose(q, foot)[2, 3] for foot in feet)
    contacts = floor(feet, Sphere(FOOT), friction=FRICTION)
    return robot, robot.rollout(q, np.zeros(robot.nv), goals, STEP, control=servo, contacts=contacts)


def main() -> dict[str, float]:
    """Jump, print and return the figures."""
    robot, path = jump()
    lift = path.force[:, ::3].sum(axis=-1)
    air = path.gap.min(axis=-1) > 1e-4
    air[: int(JUMP / STEP)] = False
    weight = robot.mass * 9.81
    com = robot.center_of_mass(path.q)[:, 2]
    start = int(np.argmax(air))
    flown = int(np.argmin(air[start:]))  # until the first foot is down again
    velocity = robot.momentum(path.q, path.v)[:, 5] / robot.mass  # of the centre of mass
    figures = {
        "height of the base, lying, m": float(path.q[0, 2]),
        "height of the base, standing, m": float(path.q[1350, 2]),
        "weight on the feet, standing, part": float(lift[1250:1400].mean() / weight),
        "largest force of the feet, weights": float(lift.max() / weight),
        "time in the air, s": STEP * flown,
        "rise of the centre of mass in the air, m": float(com[start:].max() - com[start]),
        "rise by v²/2g, m": float(velocity[start] ** 2 / (2.0 * 9.81)),
        "height of the base at the end, m": float(path.q[-1, 2]),
        "tilt at the end, rad": float(2.0 * np.linalg.norm(path.q[-1, 3:6])),
        "largest residual, m/s": float(path.residual.max()),
    }
    for name, value in figures.items():
        print(f"{name:42} {value:.3g}")
    if "--plot" in sys.argv:
        import matplotlib.pyplot as plt

        plot(robot, path)
        plt.show()
    return figures


def plot(robot: sv.Robot, path: Any) -> Any:
    """The robot from the side at a few instants, the height of its base, and the forces of its feet."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(8.0, 3.8), layout="constrained")
    rows = {"height_ratios": (1.0, 1.6)}
    above, left, right = figure.subplot_mosaic([["side", "side"], ["height", "force"]], gridspec_kw=rows).values()
    legs = [[f"{leg}_{part}" for part in ("UPPER_LEG", "LOWER_LEG", "FOOT")] for leg in ("FL", "HL")]
    for k, time in enumerate((0.1, 0.6, 1.2, 1.9, 2.02, 2.1, 2.24, 2.45, 3.1)):
        q = path.q[int(time / STEP)]
        shown = np.array([[robot.pose(q, name)[:3, 3] for name in leg] for leg in legs])
        x = shown[..., 0] + 0.62 * k
        above.plot(x[:, 0], shown[:, 0, 2], color="k", lw=3)
        for leg in range(2):
            above.plot(x[leg], shown[leg, :, 2], color="C0", lw=1.5, marker="o", ms=2.5)
        above.text(0.62 * k, -0.09, f"{time:.2f} s", ha="center", fontsize=8)
    above.axhline(0.0, color="0.6", lw=1)
    above.set(aspect="equal", ylim=(-0.13, None), title="stands up, crouches, jumps, lands")
    above.set_axis_off()
    time = STEP * np.arange(1, len(path.q) + 1)
    left.plot(time, path.q[:, 2], color="k")
    left.set(xlabel="time, s", ylabel="height of the base, m")
    right.plot(time, path.force[:, ::3].sum(axis=-1) / (robot.mass * 9.81), color="C3", lw=1)
    right.set(xlabel="time, s", ylabel="force of the feet, weights", ylim=(0.0, None))
    return figure


if __name__ == "__main__":
    main()
