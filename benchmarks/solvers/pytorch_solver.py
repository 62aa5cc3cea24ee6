"""pytorch-kinematics on the CPU: batches of problems and starts, in float64, on one thread.

It reads a URDF in float32, which moves the tool by up to 1e-6: offsets and limits are set again in float64, so that it
solves the same arm as everybody.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytorch_kinematics as pk
import torch

from robots import Robot
from solvers.problems import STARTS, TOLERANCE, Problems
from solvers.solver import Solver
from state import Array

ROUND = 4
"""Starts tried at once for each problem that is still open; the best of 1, 2, 4, 8 on 400 problems."""

ITERATIONS = 20
"""Of each round, since all problems of a round wait for the slowest; the best of 20, 30, 60."""


def build(robot: Robot, urdf: Path, problems: Problems) -> dict[str, Solver]:
    """Damped least squares with steps projected onto the limits, restarted for the problems that are still open."""
    torch.set_num_threads(1)
    chain = pk.build_serial_chain_from_urdf(urdf.read_bytes(), robot.frame).to(dtype=torch.float64)
    names = chain.get_joint_parameter_names(exclude_fixed=True)
    order = list(problems.reference.order(names))
    _make_exact(chain, problems, order)
    starts = torch.from_numpy(problems.starts[:, order].copy())
    rounds = [
        pk.PseudoInverseIK(
            chain,
            pos_tolerance=TOLERANCE,
            rot_tolerance=TOLERANCE,
            retry_configs=starts[k : k + ROUND],
            max_iterations=ITERATIONS,
            early_stopping_any_converged=True,
            early_stopping_no_improvement=None,
            clamp_to_limits=True,
            enforce_joint_limits=False,  # steps stay within them already
        )
        for k in range(0, STARTS, ROUND)
    ]

    def solve(poses: Array) -> Array:
        answers = np.full((len(poses), len(names)), np.nan)
        for method in rounds:
            rows = np.flatnonzero(np.isnan(answers[:, 0]))
            if not rows.size:
                break
            found = method.solve(pk.Transform3d(matrix=torch.from_numpy(poses[rows])))
            best = found.converged.to(torch.int8).argmax(dim=1)
            done = found.converged_any.numpy()
            q = found.solutions[torch.arange(len(rows)), best].numpy()
            answers[rows[done]] = q[done]
        return np.asarray(answers[:, np.argsort(order)])

    return {"pytorch-kinematics": solve}


def _make_exact(chain: Any, problems: Problems, order: list[int]) -> None:
    model, data = problems.reference.model, problems.reference.data
    pin.framesForwardKinematics(model, data, np.zeros(model.nq))
    for i in range(len(chain.idx_to_frame)):
        name, parents = chain.idx_to_frame[i], [int(k) for k in chain.parents_indices[i]]
        if len(parents) > 1:  # each list ends with the frame itself
            above, here = (
                data.oMf[model.getFrameId(each, pin.FrameType.BODY)] for each in (chain.idx_to_frame[parents[-2]], name)
            )
            chain._static_offsets[i] = torch.from_numpy((above.inverse() * here).homogeneous)
    chain.low, chain.high = (torch.from_numpy(x[order].copy()) for x in (problems.lower, problems.upper))
