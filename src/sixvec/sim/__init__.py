"""Simulation: integrators and rollouts."""

from sixvec.sim.integrators import INTEGRATORS
from sixvec.sim.rollout import rollout
from sixvec.sim.step_options import Trajectory

__all__ = ["INTEGRATORS", "Trajectory", "rollout"]
