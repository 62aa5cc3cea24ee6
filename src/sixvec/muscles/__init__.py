"""Muscles and cables, which pull and cannot push: what they can produce, and with which tensions.

The lengths of tendons and their Jacobian are methods of a robot, `tendon_lengths` and `tendon_jacobian`.
"""

from typing import TYPE_CHECKING

from sixvec.lazy import modules_on_demand
from sixvec.muscles.cable_robot import cable_robot
from sixvec.muscles.muscles import MuscleForces, Muscles
from sixvec.muscles.tensions import Tensions, tensions
from sixvec.muscles.torque_range import TorqueRange, torque_range
from sixvec.muscles.wrench_closure import WrenchClosure, wrench_closure

__all__ = [
    "MuscleForces", "Muscles", "Tensions", "TorqueRange", "WrenchClosure", "cable_robot", "tensions", "torque_range",
    "wrench_closure",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = modules_on_demand(__name__)
