"""Goals for the next step: tasks with weights and priorities within limits, by quadratic programs in batches."""

from typing import TYPE_CHECKING

from sixvec.lazy import modules_on_demand
from sixvec.tasks.acceleration_step import AccelerationStep
from sixvec.tasks.distance import Distance
from sixvec.tasks.frame import Frame, Orientation, Position, RelativeFrame
from sixvec.tasks.held import ClosedLoops, Held
from sixvec.tasks.joints import Damping, JointVelocity, Posture
from sixvec.tasks.pointing import LookAt, Pointing
from sixvec.tasks.residual import Residual
from sixvec.tasks.stack import Stack
from sixvec.tasks.step import Step
from sixvec.tasks.task import Mismatch, Rows, Task
from sixvec.tasks.whole_body import CenterOfMass, Momentum

__all__ = [
    "AccelerationStep", "CenterOfMass", "ClosedLoops", "Damping", "Distance", "Frame", "Held", "JointVelocity",
    "LookAt", "Mismatch", "Momentum", "Orientation", "Pointing", "Position", "Posture", "RelativeFrame", "Residual",
    "Rows", "Stack", "Step", "Task",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = modules_on_demand(__name__)
