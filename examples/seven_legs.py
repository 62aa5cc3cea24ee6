"""A platform with seven legs crosses a singularity at which six of them let go.

The platform turns about the vertical.  Near the singular angle the forces of six legs grow without bounds; the seventh
leg keeps them small, and what it leaves undecided is chosen so that the sum of squares is least.

    python examples/seven_legs.py
"""

from __future__ import annotations

import warnings

import numpy as np

from sixvec.parallel import SingularPose, StewartGough

LOAD = np.array([5.0, 0.0, 0.0, 0.0, 0.0, 200.0])
"""A moment of 5 N m and a force of 200 N that the platform must apply."""
YAWS = np.linspace(0.0, np.radians(170.0), 341)


def platforms() -> tuple[StewartGough, StewartGough]:
    """An octahedral 3-3 platform, and the same with one more leg."""
    angles = 2.0 * np.pi * np.arange(3) / 3.0
    base = np.stack([np.cos(angles), np.sin(angles), np.zeros(3)], axis=-1)
    top = 0.6 * np.stack([np.cos(angles + np.pi / 3), np.sin(angles + np.pi / 3), np.zeros(3)], axis=-1)
    legs = base[[0, 0, 1, 1, 2, 2]], top[[2, 0, 0, 1, 1, 2]]
    more = np.vstack([legs[0], [[1.4, 0.5, 0.0]]]), np.vstack([legs[1], [[-0.2, 0.5, 0.1]]])
    return StewartGough(*legs), StewartGough(*more)


def main() -> dict[str, float]:
    six, seven = platforms()
    X = np.tile(np.eye(4), (len(YAWS), 1, 1))
    X[:, 0, 0] = X[:, 1, 1] = np.cos(YAWS)
    X[:, 1, 0], X[:, 0, 1] = np.sin(YAWS), -np.sin(YAWS)
    X[:, 2, 3] = 0.8
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingularPose)  # the poses at which six legs hold nothing are counted below
        forces = six.inverse_force(X, LOAD)
    shared = seven.inverse_force(X, LOAD)
    largest = np.nan_to_num(np.abs(forces).max(axis=-1), nan=np.inf)
    figures = {
        "worst angle of six legs, degrees": float(np.degrees(YAWS[largest.argmax()])),
        "largest force of six legs, N": float(largest.max()),
        "largest force of seven legs, N": float(np.abs(shared).max()),
    }
    for name, value in figures.items():
        print(f"{name:34s} {value:12.4g}")
    return figures


if __name__ == "__main__":
    main()
