"""Simulation: integrators, rollouts, and batches of environments."""

from typing import TYPE_CHECKING

from sixvec.lazy import modules_on_demand
from sixvec.sim.batch import Batch
from sixvec.sim.integrators import INTEGRATORS
from sixvec.sim.rollout import rollout
from sixvec.sim.step_options import Trajectory
from sixvec.sim.vector_env import vector_env

__all__ = ["INTEGRATORS", "Batch", "Trajectory", "rollout", "vector_env"]

if not TYPE_CHECKING:
    __getattr__ = modules_on_demand(__name__)
