"""sixvec: one call for all problems."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sixvec as sv
from robots import Robot
from solvers.problems import ITERATIONS, STARTS, TOLERANCE, Problems
from solvers.solver import Solver
from state import Array


def build(robot: Robot, urdf: Path, problems: Problems) -> dict[str, Solver]:
    """`sixvec.ik.solve` with its own choice of starts, as many and as long as everybody's."""
    from sixvec.ik import PoseTask, solve

    arm, task = sv.load(str(urdf)), PoseTask(robot.frame)
    order = [arm.joint_names.index(name) for name in problems.reference.joint_names]

    def call(poses: Array) -> Array:
        answer = solve(
            arm,
            {task: poses},
            tolerance=TOLERANCE,
            starts=STARTS,
            iterations=ITERATIONS,
        )
        return np.asarray(answer.q)[:, order]

    return {"sixvec": call}
