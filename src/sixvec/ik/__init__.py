"""Inverse kinematics: from tasks of a robot to joint positions."""

from sixvec.ik.force_maps import dual_wrench_basis, forward_force, inverse_force
from sixvec.ik.hybrid_maps import (
    hybrid_acceleration,
    hybrid_force,
    hybrid_velocity,
)
from sixvec.ik.hybrid_position import hybrid_position
from sixvec.ik.kinematic_maps import (
    forward_acceleration,
    forward_position,
    forward_velocity,
    inverse_acceleration,
    inverse_position,
    inverse_velocity,
)
from sixvec.ik.solution import Solution
from sixvec.ik.solve import solve
from sixvec.ik.track import Track, track
from sixvec.lazy import modules_on_demand
from sixvec.tasks import CenterOfMass as CenterOfMassTask
from sixvec.tasks import Frame as PoseTask
from sixvec.tasks import Orientation as OrientationTask
from sixvec.tasks import Pointing as PointingTask
from sixvec.tasks import Position as PositionTask
from sixvec.tasks import Posture as PostureTask
from sixvec.tasks import Task
from sixvec.verdict import Verdict

__all__ = [
    "CenterOfMassTask", "OrientationTask", "PointingTask", "PoseTask", "PositionTask", "PostureTask", "Solution",
    "Task", "Track", "Verdict", "dual_wrench_basis", "forward_acceleration", "forward_force", "forward_position",
    "forward_velocity", "hybrid_acceleration", "hybrid_force", "hybrid_position", "hybrid_velocity",
    "inverse_acceleration", "inverse_force", "inverse_position", "inverse_velocity", "solve", "track",
]  # fmt: skip

__getattr__ = modules_on_demand(__name__, "closed_form", "redundancy")
