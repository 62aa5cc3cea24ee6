"""The elbow of a Panda arm moves out of the way of a ball while its tool stays where it is.

Seven joints are one more than a pose needs.  Closed-loop inverse kinematics keeps the tool; what is left follows two
costs: a repelling spring between elbow and ball, and weak springs to the middle of the joints' ranges.

    python examples/elbow_avoidance.py          # figures
    python examples/elbow_avoidance.py --plot   # and a plot of the clearance (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys

import numpy as np

import sixvec
from sixvec.ik.redundancy import Gap, Obstacle, follow, joint_springs, obstacle_avoidance
from sixvec.tasks import Frame

TOOL, ELBOW = "panda_link8", "panda_link4"
START = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
LINK_RADIUS = 0.08
STEP, SAMPLES = 0.01, 400


def main(plot: bool = False) -> dict[str, float]:
    robot = sixvec.load("panda")
    elbow = robot.pose(START, ELBOW)[:3, 3]
    ball = Obstacle(tuple(elbow + np.array([0.03, 0.12, 0.0])), radius=0.1)

    clear = obstacle_avoidance(robot, [ELBOW], [ball], margin=LINK_RADIUS + 0.02, stiffness=100.0)
    center = joint_springs(robot)
    goal = Gap(Frame(TOOL), robot.pose(START, TOOL), gain=20.0)
    run = follow(
        robot, START, lambda time: [goal], STEP, SAMPLES,
        secondary=lambda q: clear.descent(1.0, q) + center.descent(1.0, q),
    )  # fmt: skip

    away = np.linalg.norm(robot.pose(run.q, ELBOW)[:, :3, 3] - ball.center, axis=1)
    clearance = away - ball.radius - LINK_RADIUS
    figures = {
        "clearance before, m": clearance[0],
        "clearance after, m": clearance[-1],
        "largest joint motion, rad": np.abs(run.q[-1] - START).max(),
        "fastest joint, rad/s": np.abs(run.v).max(),
        "largest tool error (m, rad)": run.errors[0].max(),
        "tool error after": run.errors[0][-1],
    }
    for name, value in figures.items():
        print(f"{name:28} {value:9.2g}")
    if plot:
        import matplotlib.pyplot as plt

        plt.plot(STEP * np.arange(SAMPLES + 1), clearance)
        plt.xlabel("time, s")
        plt.ylabel("clearance of the elbow, m")
        plt.show()
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    main(plot="--plot" in sys.argv[1:])
