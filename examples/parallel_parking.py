"""A car parks between two others: the shortest path in both gears, driven by its wheels.

python examples/parallel_parking.py          # the word, and how close the car comes
python examples/parallel_parking.py --plot   # and the path (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys

import numpy as np

import sixvec
from sixvec.mobile import reeds_shepp

WHEELBASE, TRACK, STEERING = 2.6, 1.6, 0.6
START, SPACE = np.array([0.0, 0.0, 0.0]), np.array([-2.0, -2.3, 0.0])
STEP = 0.02


def main(plot: bool = False) -> dict[str, float]:
    car = sixvec.mobile.car(WHEELBASE, TRACK, radius=0.3)
    path = reeds_shepp(START, SPACE, WHEELBASE / np.tan(STEERING))
    twists, steps = [], []
    for length, bend in zip(path.segments, path.curvature, strict=True):
        n = int(np.ceil(abs(length) / STEP))
        twists += [np.sign(length) * np.array([bend, 1.0, 0.0])] * n
        steps += [abs(length) / n if n else 0.0] * n
    wheels = car.inverse_velocity(np.array(twists))
    driven = car.odometry(wheels.rates, np.array(steps), START, steer=wheels.steer)
    figures = {
        "length, m": float(path.length),
        "cusps": float(np.sum(np.diff(np.sign(path.segments[path.segments != 0.0])) != 0.0)),
        "greatest steering angle, rad": float(np.abs(wheels.steer).max()),
        "misses the space by, m": float(np.linalg.norm(driven.end - SPACE)),
    }
    print(path.words)
    for name, value in figures.items():
        print(f"{name:30} {value:9.3g}")
    if plot:
        import matplotlib.pyplot as plt

        plt.plot(*driven.pose[:, :2].T)
        plt.axis("equal")
        plt.xlabel("x of the rear axle, m")
        plt.ylabel("y of the rear axle, m")
        plt.show()
    return figures


if __name__ == "__main__":
    main(plot="--plot" in sys.argv[1:])
