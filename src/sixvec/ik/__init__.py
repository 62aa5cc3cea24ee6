"""Inverse kinematics: from what a robot should do to where its joints should be."""

from sixvec.ik.solve import solve
from sixvec.ik.task import CenterOfMassTask, OrientationTask, PointingTask, PoseTask, PositionTask, PostureTask, Task
from sixvec.ik.track import Track, track
from sixvec.ik.verdict import Solution, Verdict

__all__ = [
    "CenterOfMassTask",
    "OrientationTask",
    "PointingTask",
    "PoseTask",
    "PositionTask",
    "PostureTask",
    "Solution",
    "Task",
    "Track",
    "Verdict",
    "solve",
    "track",
]
