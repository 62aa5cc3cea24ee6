"""A Delta robot that picks and places: a smooth way over a barrier, in one call for all samples.

python examples/delta_pick_and_place.py
"""

from __future__ import annotations

import numpy as np

from sixvec.parallel import Delta

PICK, PLACE = np.array([-0.15, 0.05, -0.55]), np.array([0.15, -0.05, -0.55])
LIFT, DURATION, SAMPLES = 0.10, 0.4, 401


def way(t: np.ndarray) -> np.ndarray:
    """Positions (k, 3): along the line with velocity and acceleration zero at both ends, and up and down on the way."""
    s = t**3 * (10.0 - 15.0 * t + 6.0 * t * t)
    lift = 64.0 * (s * (1.0 - s)) ** 3 * LIFT
    return PICK + s[:, None] * (PLACE - PICK) + lift[:, None] * np.array([0.0, 0.0, 1.0])


def main() -> dict[str, float]:
    robot = Delta(base_radius=0.2, platform_radius=0.05, crank=0.25, rod=0.6, limits=(-0.8, 1.6))
    t = np.linspace(0.0, 1.0, SAMPLES)
    positions = way(t)
    q = robot.inverse_position(positions)
    velocity = np.gradient(positions, DURATION / (SAMPLES - 1), axis=0)
    qd = robot.inverse_velocity(positions, velocity)
    modes = robot.working_modes(positions[0])
    back = robot.forward_position(q)
    figures = {
        "working modes at the start": float(modes.solved.sum()),
        "all reached": float(q.solved.all()),
        "within the limits": float(((q.q >= robot.lower) & (q.q <= robot.upper)).all()),
        "fastest crank, rad/s": float(np.abs(qd).max()),
        "fastest motion, m/s": float(np.linalg.norm(velocity, axis=-1).max()),
        "forward position off by, m": float(np.abs(back.pose[:, :3, 3] - positions).max()),
    }
    for name, value in figures.items():
        print(f"{name:32s} {value:12.4g}")
    return figures


if __name__ == "__main__":
    main()
