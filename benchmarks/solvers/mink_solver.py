"""mink: differential inverse kinematics on MuJoCo, steps taken until the pose is reached."""

from __future__ import annotations

from pathlib import Path

import mink
import mujoco
import numpy as np

from peers.mujoco_peer import TOOL, mujoco_urdf
from robots import Robot
from solvers.problems import ITERATIONS, TOLERANCE, Problems
from solvers.solver import Descent, Progress, Solver, one_by_one
from state import Array

DAMPING = 1e-2
"""Levenberg-Marquardt damping, which mink scales by the squared error; the best of 0, 1e-3, 1e-2, 0.1, 1."""

PATIENCE = 4
"""Steps without progress; the best of 4, 8, 16."""


def build(robot: Robot, urdf: Path, problems: Problems) -> dict[str, Solver]:
    """Newton steps of a frame task (gain 1) in the QP with joint limits, solved by mink's own choice, daqp."""
    spec = mujoco.MjSpec.from_string(mujoco_urdf(robot, urdf))
    spec.body(robot.frame).add_site(name=TOOL)
    configuration = mink.Configuration(spec.compile())
    names = [configuration.model.joint(i).name for i in range(configuration.model.njnt)]
    order = list(problems.reference.order(names))
    limits = [mink.ConfigurationLimit(configuration.model)]
    task = mink.FrameTask(TOOL, "site", position_cost=1.0, orientation_cost=1.0, lm_damping=DAMPING)

    def towards(pose: Array) -> Descent:
        task.set_target(mink.SE3.from_matrix(pose))

        def descent(q0: Array) -> Array | None:
            configuration.update(q0[order])
            progress = Progress(PATIENCE)
            for _ in range(ITERATIONS):
                error = task.compute_error(configuration)
                if max(np.linalg.norm(error[:3]), np.linalg.norm(error[3:])) <= TOLERANCE:
                    return np.asarray(configuration.q[np.argsort(order)])
                if progress.stalled(float(np.linalg.norm(error))):
                    return None
                try:
                    v = mink.solve_ik(configuration, [task], 1.0, "daqp", limits=limits)
                except mink.NoSolutionFound:  # of the QP
                    return None
                configuration.integrate_inplace(v, 1.0)
            return None

        return descent

    return {"mink": one_by_one(towards, problems.starts)}
