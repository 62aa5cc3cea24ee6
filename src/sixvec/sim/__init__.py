"""Robots in motion: integrators and rollouts."""

from sixvec.sim.integrators import INTEGRATORS
from sixvec.sim.rollout import Trajectory, rollout

__all__ = ["INTEGRATORS", "Trajectory", "rollout"]
