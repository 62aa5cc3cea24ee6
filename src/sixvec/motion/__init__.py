"""Motions over time: paths through waypoints, the fastest motion along them, and profiles between states."""

from typing import TYPE_CHECKING

from sixvec.lazy import modules_on_demand
from sixvec.motion.cartesian import CartesianPath, circle, line, pose_spline, screw
from sixvec.motion.excitation import FourierMotion, excitation
from sixvec.motion.interpolated import Interpolated, interpolate
from sixvec.motion.joint_motion import JointMotion
from sixvec.motion.limits import frame_limits
from sixvec.motion.path import Path
from sixvec.motion.pieces import PointToPoint
from sixvec.motion.point_to_point import rest_to_rest
from sixvec.motion.smooth import SmoothPath, limit_jerk
from sixvec.motion.splines import spline
from sixvec.motion.standing import standing_limits
from sixvec.motion.timed_path import TimedPath
from sixvec.motion.timing import time_optimal

__all__ = [
    "CartesianPath",
    "FourierMotion",
    "Interpolated",
    "JointMotion",
    "Path",
    "PointToPoint",
    "SmoothPath",
    "TimedPath",
    "circle",
    "excitation",
    "frame_limits",
    "interpolate",
    "limit_jerk",
    "line",
    "pose_spline",
    "rest_to_rest",
    "screw",
    "spline",
    "standing_limits",
    "time_optimal",
]

if not TYPE_CHECKING:
    __getattr__ = modules_on_demand(__name__)
