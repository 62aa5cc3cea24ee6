"""What a robot is: bodies, joints, frames; immutable data."""

from sixvec.model.body import WORLD, Body, Frame, JointDynamics, Limits, Mimic
from sixvec.model.model import STANDARD_GRAVITY, Model

__all__ = ["STANDARD_GRAVITY", "WORLD", "Body", "Frame", "JointDynamics", "Limits", "Mimic", "Model"]
