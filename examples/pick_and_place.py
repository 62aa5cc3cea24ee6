"""A UR5e takes a part from one place to another: closed form chooses the posture, tracking follows the path.

The gripper comes down, lifts, crosses over and puts the part down, always pointing down.  All postures that can pick
the part are found in closed form; each is tracked along the whole path, and the one whose joints stay slowest wins.

    python examples/pick_and_place.py          # figures
    python examples/pick_and_place.py --plot   # and a plot of the joint speeds (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import numpy as np

import sixvec
from sixvec.ik import track
from sixvec.ik.closed_form import closed_form

TOOL = "tool0"
DOWN = np.diag([1.0, -1.0, -1.0])
PICK, PLACE = np.array([0.45, -0.25, 0.05]), np.array([0.35, 0.35, 0.15])
ABOVE = np.array([0.0, 0.0, 0.2])
TURN = 0.5 * np.pi
"""The part is put down turned by this angle, in radians."""
STEP, SECONDS = 0.004, 1.2
"""Time step, and the time of each of the four straight moves, in seconds."""


def path() -> Any:
    """Poses (n, 4, 4): from above down to the part, up, across, and down to its new place, stopping at each corner."""
    corners = [(PICK + ABOVE, 0.0), (PICK, 0.0), (PICK + ABOVE, 0.0), (PLACE + ABOVE, TURN), (PLACE, TURN)]
    s = np.arange(1, round(SECONDS / STEP) + 1) * STEP / SECONDS
    smooth = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)  # velocity and acceleration vanish at both ends
    poses = [_pose(*corners[0])]
    for (p, a), (r, b) in pairwise(corners):
        poses += [_pose(p + (r - p) * x, a + (b - a) * x) for x in smooth]
    return np.array(poses)


def _pose(place: Any, angle: float) -> Any:
    X, c, t = np.eye(4), np.cos(angle), np.sin(angle)
    X[:3, :3], X[:3, 3] = np.array([[c, -t, 0.0], [t, c, 0.0], [0.0, 0.0, 1.0]]) @ DOWN, place
    return X


def main(plot: bool = False) -> dict[str, float]:
    robot, poses = sixvec.load("ur5e"), path()
    solutions = closed_form(robot, TOOL)(poses[0])
    starts = solutions.q[solutions.within_limits]
    runs = track(robot, starts, np.broadcast_to(poses, (len(starts), *poses.shape)), TOOL)
    speeds = np.abs(np.diff(runs.q, axis=1)) / STEP
    fastest = np.where(runs.solved.all(axis=1) & ~runs.switched.any(axis=1), speeds.max(axis=(1, 2)), np.inf)
    best = int(fastest.argmin())
    figures = {
        "postures in closed form": len(starts),
        "of them follow the path": np.isfinite(fastest).sum(),
        "fastest joint, rad/s": fastest[best],
        "part of its limit": (speeds[best] / robot.velocity_limits).max(),
        "largest position error, m": runs.position_error[best].max(),
        "largest turn error, rad": runs.rotation_error[best].max(),
    }
    for name, value in figures.items():
        print(f"{name:28} {value:9.2g}")
    if plot:
        import matplotlib.pyplot as plt

        plt.plot(STEP * np.arange(1, len(poses)), np.diff(runs.q[best], axis=0) / STEP, label=robot.joint_names)
        plt.xlabel("time, s")
        plt.ylabel("joint velocity, rad/s")
        plt.legend()
        plt.show()
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    main(plot="--plot" in sys.argv[1:])
