"""A UR5e that was built a little wrong is measured, corrected, and measured again at other positions.

Every joint sits up to a millimetre and some milliradians away from where the data sheet has it.  A tracker reads the
tool's pose at some positions, with noise.  Calibration finds what these readings determine, and the corrected robot
predicts poses that it has not seen better than a single reading of the tracker would measure them.

    python examples/calibrate_arm.py          # figures
    python examples/calibrate_arm.py --plot   # and a plot of the errors (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np

import sixvec
from sixvec import Robot
from sixvec.identification import Calibration, calibrate
from sixvec.spatial import Motion, Pose

TOOL = "tool0"
BUILT_WRONG = (2e-3, 1e-3)
"""Standard deviations of the misplacement of each joint: radians, metres."""
NOISE = (1e-4, 5e-5)
"""Standard deviations of a reading: radians, metres."""
READINGS, CHECKS = 60, 500


def _motions(rng: np.random.Generator, n: int, sigma: tuple[float, float]) -> list[Pose]:
    scale = np.repeat(sigma, 3)
    return [Pose.exp(Motion.of(six.tolist())) for six in rng.normal(size=(n, 6)) * scale]


def as_built(robot: Robot, rng: np.random.Generator) -> Robot:
    """The robot with every joint a little misplaced."""
    bodies = robot.model.bodies
    wrong = _motions(rng, len(bodies), BUILT_WRONG)
    moved = tuple(replace(b, placement=b.placement @ d) for b, d in zip(bodies, wrong, strict=True))
    return Robot(replace(robot.model, bodies=moved))


def readings(robot: Robot, q: Any, rng: np.random.Generator) -> Any:
    """What the tracker says: the tool's poses, each disturbed."""
    noise = np.array([X.as_matrix() for X in _motions(rng, len(q), NOISE)])
    return robot.pose(q, TOOL) @ noise


def position_errors(robot: Robot, truth: Robot, q: Any) -> Any:
    """Distances between where the tool is and where the robot model says, in metres."""
    return np.linalg.norm(robot.pose(q, TOOL)[:, :3, 3] - truth.pose(q, TOOL)[:, :3, 3], axis=1)


def main(plot: bool = False) -> tuple[Calibration, dict[str, float]]:
    rng = np.random.default_rng(0)
    nominal = sixvec.load("ur5e")
    real = as_built(nominal, rng)
    q = nominal.random(rng, READINGS)
    fit = calibrate(nominal, q, readings(real, q, rng), TOOL, sigma=NOISE)
    print(fit)
    unseen = nominal.random(rng, CHECKS)
    before, after = (position_errors(robot, real, unseen) * 1e3 for robot in (nominal, fit.robot))
    figures = {
        "error before, mm (mean)": before.mean(),
        "error before, mm (largest)": before.max(),
        "error after, mm (mean)": after.mean(),
        "error after, mm (largest)": after.max(),
    }
    for name, value in figures.items():
        print(f"{name:28} {value:9.2g}")
    if plot:
        import matplotlib.pyplot as plt

        plt.hist([before, after], bins=np.geomspace(1e-3, 20.0, 50).tolist(), label=["before", "after"])
        plt.xscale("log")
        plt.xlabel("position error at new positions, mm")
        plt.legend()
        plt.show()
    return fit, {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    main(plot="--plot" in sys.argv[1:])
