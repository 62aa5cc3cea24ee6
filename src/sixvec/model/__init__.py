"""What a robot is: bodies, joints, frames; immutable data."""

from sixvec.model.body import WORLD, Body, Frame, JointDynamics, Limits, Mimic
from sixvec.model.closure import Closure, Gear
from sixvec.model.model import STANDARD_GRAVITY, Model

__all__ = [
    "STANDARD_GRAVITY",
    "WORLD",
    "Body",
    "Closure",
    "Frame",
    "Gear",
    "JointDynamics",
    "Limits",
    "Mimic",
    "Model",
]
