"""Gough's tyre tester: a platform on six legs that measures the forces of a tyre on the road.

The wheel's load is a wrench on the platform; each leg has a load cell.  The wrench basis turns six readings into force
and moment, and its inverse says how well: noise of the cells comes out multiplied by it.

    python examples/tyre_tester.py
"""

from __future__ import annotations

import numpy as np

from sixvec.parallel import StewartGough

NOISE = 2.0
"""Standard deviation of a load cell, in N."""
READINGS = 20_000
SIDE_FORCE, LOAD, ALIGNING_MOMENT = 900.0, 3500.0, 40.0
"""Of a tyre in a bend: N, N and N m."""


def tester() -> tuple[StewartGough, np.ndarray]:
    """A Gough platform with pivots in pairs, and the pose in which it carries the wheel."""
    angles = np.repeat(2.0 * np.pi * np.arange(3) / 3.0, 2)
    base = np.stack([np.cos(angles + 0.25 * np.tile([-1, 1], 3)), np.sin(angles + 0.25 * np.tile([-1, 1], 3))], axis=-1)
    above = np.stack([np.cos(angles + 0.8 * np.tile([-1, 1], 3)), np.sin(angles + 0.8 * np.tile([-1, 1], 3))], axis=-1)
    X = np.eye(4)
    X[2, 3] = 0.7
    return StewartGough(*(np.pad(p, ((0, 0), (0, 1))) for p in (0.9 * base, 0.5 * above))), X


def main() -> dict[str, float]:
    robot, X = tester()
    true = np.array([0.0, 0.0, ALIGNING_MOMENT, 0.0, SIDE_FORCE, -LOAD])  # moment, then force, on the platform
    held = robot.inverse_force(X, -true)  # the legs hold it
    rng = np.random.default_rng(0)
    readings = held + NOISE * rng.normal(size=(READINGS, 6))
    measured = -robot.forward_force(X, readings)
    G = robot.wrench_basis(X)
    expected = NOISE * np.sqrt(np.diag(G @ G.T))
    spread = measured.std(axis=0)
    figures = {
        "side force, N": float(measured[:, 4].mean()),
        "aligning moment, N m": float(measured[:, 2].mean()),
        "deviation of the side force, N": float(spread[4]),
        "as the wrench basis says, N": float(expected[4]),
        "largest leg force, N": float(np.abs(held).max()),
        "distance to a singularity": float(robot.singularity(X).distance),
    }
    for name, value in figures.items():
        print(f"{name:32s} {value:10.3f}")
    return figures


if __name__ == "__main__":
    main()
