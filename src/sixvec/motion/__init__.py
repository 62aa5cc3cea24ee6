"""Motions over time: paths through waypoints, and the fastest motion along them."""

from sixvec.motion.path import Path, spline
from sixvec.motion.timing import TimedPath, time_optimal

__all__ = ["Path", "TimedPath", "spline", "time_optimal"]
