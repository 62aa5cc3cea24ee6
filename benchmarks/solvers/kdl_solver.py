"""PyKDL: both of its solvers of positions, the Newton-Raphson one with joint limits and Levenberg-Marquardt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import PyKDL

from contender import Unavailable
from robots import Robot
from solvers.problems import TOLERANCE, Problems
from solvers.solver import Descent, Solver, one_by_one
from state import Array

NEWTON_ITERATIONS = 20
MARQUARDT_ITERATIONS = 60
"""Per start, each the fastest per solved problem of 20, 30, 60, 200, 500."""


def build(robot: Robot, urdf: Path, problems: Problems) -> dict[str, Solver]:
    """The chain is made of Pinocchio's joint placements, so both have the same arm."""
    chain = _chain(problems)
    lower, upper = (_joints(x) for x in (problems.lower, problems.upper))
    # The first solver compares each component with its tolerance, so that the norm may be √3 times as large.
    forward, velocity = PyKDL.ChainFkSolverPos_recursive(chain), PyKDL.ChainIkSolverVel_pinv(chain)
    componentwise = TOLERANCE / np.sqrt(3.0)
    newton = PyKDL.ChainIkSolverPos_NR_JL(chain, lower, upper, forward, velocity, NEWTON_ITERATIONS, componentwise)
    # The second one weighs radians by 0.01, and does not know limits: an answer is brought within them by whole turns,
    # or is none.  Its other weights come as a NumPy array, which builds against NumPy 1 do not survive.
    marquardt = PyKDL.ChainIkSolverPos_LMA(chain, 0.01 * TOLERANCE, MARQUARDT_ITERATIONS)
    middle = problems.starts[0]

    def turned(q: Array) -> Array:
        return q + 2 * np.pi * np.round((middle - q) / (2 * np.pi))

    def solver(method: Any, *kept: Any) -> Solver:
        """`kept` are parts to which the method holds bare pointers."""

        def towards(pose: Array) -> Descent:
            assert kept
            target = _frame(pose)

            def descent(q0: Array) -> Array | None:
                answer = PyKDL.JntArray(len(q0))
                if method.CartToJnt(_joints(q0), target, answer) < 0:
                    return None
                q = turned(np.array([answer[i] for i in range(len(q0))]))
                return q if problems.within(q) else None

            return descent

        return one_by_one(towards, problems.starts)

    return {"PyKDL NR_JL": solver(newton, chain, forward, velocity), "PyKDL LMA": solver(marquardt, chain)}


def _chain(problems: Problems) -> Any:
    model, frame = problems.reference.model, problems.reference.model.frames[problems.reference.frame]
    if any(joint.shortname() != "JointModelRZ" for joint in list(model.joints)[1:]):
        raise Unavailable("compared on arms whose joints turn about z")
    tips = [*(x.homogeneous for x in list(model.jointPlacements)[2:]), frame.placement.homogeneous]
    chain = PyKDL.Chain()
    chain.addSegment(PyKDL.Segment(PyKDL.Joint(PyKDL.Joint.Fixed), _frame(model.jointPlacements[1].homogeneous)))
    for tip in tips:
        chain.addSegment(PyKDL.Segment(PyKDL.Joint(PyKDL.Joint.RotZ), _frame(tip)))
    return chain


def _frame(pose: Array) -> Any:
    return PyKDL.Frame(PyKDL.Rotation(*pose[:3, :3].ravel()), PyKDL.Vector(*pose[:3, 3]))


def _joints(q: Array) -> Any:
    array = PyKDL.JntArray(len(q))
    for i, x in enumerate(q):
        array[i] = x
    return array
