"""A truck backs two trailers up in a straight line: unstable alone, stable with feedback.

The hinge angles are linearised along the way backward, by differences of the library's own rates; a linear law, from
iterating Riccati's equation, steers the truck by them.

    python examples/backing_trailers.py          # figures
    python examples/backing_trailers.py --plot   # and the angles (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

import sixvec
from sixvec.mobile import Truck

SPEED, STEP, STEPS = -0.5, 0.02, 1500
START = np.array([0.15, -0.1])
Array = NDArray[np.float64]


def gain_of(truck: Truck) -> Array:
    """The row K with  curvature = -K angles  that keeps trailers straight behind a truck that backs up."""
    h = 1e-6
    columns = [truck.angle_rates(h * e, [0.0, SPEED, 0.0]) / h for e in np.eye(2)]
    A = np.eye(2) + STEP * np.stack(columns, axis=-1)
    B = STEP * (truck.angle_rates(np.zeros(2), [h, SPEED, 0.0]) / h * SPEED)[:, None]
    P = np.eye(2)
    for _ in range(5000):
        K = np.linalg.solve(1.0 + B.T @ P @ B, B.T @ P @ A)
        P = np.eye(2) + A.T @ P @ (A - B @ K)
    return np.asarray(K[0])


def drive(truck: Truck, gain: Array) -> Array:
    pose, angles, path = np.zeros(3), START, []
    for _ in range(STEPS):
        bend = float(np.clip(-gain @ angles, -0.5, 0.5))
        wheels = truck.platform.inverse_velocity([bend * SPEED, SPEED, 0.0])
        moved = truck.odometry(wheels.rates[None], STEP, pose, angles, steer=wheels.steer[None])
        pose, angles = moved.pose[-1], moved.angles[-1]
        path.append(angles)
        if truck.jackknifed(angles).any():
            break
    return np.array(path)


def main(plot: bool = False) -> dict[str, float]:
    truck = sixvec.mobile.bicycle(1.2).with_trailer(hitch=0.3, length=1.6).with_trailer(hitch=0.2, length=1.6)
    alone, held = drive(truck, np.zeros(2)), drive(truck, gain_of(truck))
    figures = {
        "alone: folds after, s": STEP * len(alone),
        "alone: last angle, rad": float(np.abs(alone[-1]).max()),
        "with feedback: greatest angle, rad": float(np.abs(held).max()),
        "with feedback: last angle, rad": float(np.abs(held[-1]).max()),
    }
    for name, value in figures.items():
        print(f"{name:36} {value:9.2g}")
    if plot:
        import matplotlib.pyplot as plt

        plt.plot(STEP * np.arange(len(held)), held)
        plt.xlabel("time, s")
        plt.ylabel("hinge angles, rad")
        plt.show()
    return figures


if __name__ == "__main__":
    main(plot="--plot" in sys.argv[1:])
