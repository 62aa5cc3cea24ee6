"""Solvers of inverse kinematics: one file per library, ours among them."""

from __future__ import annotations

import importlib
from pathlib import Path

from contender import Unavailable
from robots import Robot
from solvers.problems import Problems
from solvers.solver import Solver

SOLVERS = {
    "sixvec": "sixvec_solver",
    "mink": "mink_solver",
    "pink": "pink_solver",
    "pytorch-kinematics": "pytorch_solver",
    "PyKDL": "kdl_solver",
}
"""Libraries by name, each with the module whose `build(robot, urdf, problems)` makes its solvers by name."""


def build(name: str, robot: Robot, urdf: Path, problems: Problems) -> dict[str, Solver]:
    """The solvers of the library `name`; raises `Unavailable` with the reason where there are none."""
    try:
        module = importlib.import_module(f"solvers.{SOLVERS[name]}")
    except (ImportError, OSError) as error:
        raise Unavailable(f"not installed ({error})") from None
    found: dict[str, Solver] = module.build(robot, urdf, problems)
    return found
