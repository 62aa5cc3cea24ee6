"""pink: differential inverse kinematics on Pinocchio, steps taken until the pose is reached."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pink
import pinocchio as pin
from pink.exceptions import NoSolutionFound
from pink.limits import ConfigurationLimit

from robots import Robot
from solvers.problems import ITERATIONS, TOLERANCE, Problems
from solvers.solver import Descent, Progress, Solver, one_by_one
from state import Array

DAMPING = 1e-2
"""Levenberg-Marquardt damping, which pink scales by the squared error; the best of 0, 1e-3, 1e-2, 0.1, 1."""

PATIENCE = 8
"""Steps without progress; the best of 4, 8, 16."""

LIMIT_GAIN = 0.95
"""How much of the way to a limit one step may go; pink's own 0.5 is for control and needs more steps."""


def build(robot: Robot, urdf: Path, problems: Problems) -> dict[str, Solver]:
    """Newton steps of a frame task (gain 1) in the QP with joint limits; no velocity limits, as for all."""
    model = problems.reference.model
    limits = [ConfigurationLimit(model, LIMIT_GAIN)]
    task = pink.FrameTask(robot.frame, position_cost=1.0, orientation_cost=1.0, lm_damping=DAMPING)
    configuration = pink.Configuration(model, model.createData(), problems.starts[0])

    def towards(pose: Array) -> Descent:
        task.set_target(pin.SE3(pose))

        def descent(q0: Array) -> Array | None:
            configuration.update(q0)
            progress = Progress(PATIENCE)
            for _ in range(ITERATIONS):
                error = task.compute_error(configuration)
                if max(np.linalg.norm(error[:3]), np.linalg.norm(error[3:])) <= TOLERANCE:
                    return np.array(configuration.q)
                if progress.stalled(float(np.linalg.norm(error))):
                    return None
                try:
                    v = pink.solve_ik(configuration, [task], 1.0, "daqp", limits=limits, safety_break=False)
                except NoSolutionFound:  # of the QP
                    return None
                configuration.integrate_inplace(v, 1.0)
            return None

        return descent

    return {"pink": one_by_one(towards, problems.starts)}
