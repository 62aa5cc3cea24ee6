"""4096 Pandas follow 4096 moving targets: 2 s in one call, within all limits of positions and speeds.

python examples/many_targets.py
"""

from __future__ import annotations

import time

import numpy as np

import sixvec as sv
from sixvec import tasks

FRAME, DT, STEPS = "panda_link8", 0.01, 200
READY = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])


def main(count: int = 4096) -> dict[str, float]:
    arm, rng = sv.load("panda"), np.random.default_rng(0)
    q = np.clip(READY + 0.2 * rng.normal(size=(count, 7)), arm.lower, arm.upper)
    starts = arm.pose(q, FRAME)
    drift = 0.1 * rng.normal(size=(count, 3))  # m/s
    targets = np.tile(starts, (STEPS, 1, 1, 1))
    targets[..., :3, 3] += DT * np.arange(STEPS)[:, None, None] * drift
    stack = tasks.Stack(arm, tasks.Frame(FRAME, gain=0.8), tasks.Posture(READY, weight=1e-2))
    stack.follow(q[:8], {FRAME: targets[:, :8]}, DT)  # compiles
    began = time.perf_counter()
    path = stack.follow(q, {FRAME: targets}, DT)
    seconds = time.perf_counter() - began
    reached = np.linalg.norm(arm.pose(path.q[:, -1], FRAME)[:, :3, 3] - targets[-1, :, :3, 3], axis=1)
    figures = {
        "steps per second": count * STEPS / seconds,
        "part of the steps solved": float((path.verdict == 0).mean()),
        "median distance from the target, m": float(np.median(reached)),
        "targets followed within 1 cm": float((reached < 0.01).mean()),
        "largest excess of a limit": float(max(
            (path.q - arm.upper).max(), (arm.lower - path.q).max(), (abs(path.v) - arm.velocity_limits).max(),
        )),
    }  # fmt: skip
    for name, value in figures.items():
        print(f"{name:36} {value:12.4g}")
    return figures


if __name__ == "__main__":
    main()
