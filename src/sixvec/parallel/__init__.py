"""Parallel robots: legs that share a platform.

Inverse position and velocity are easy and forward ones hard, the opposite of serial arms; likewise for forces
(Bruyninckx, chapter 8).
"""

from typing import TYPE_CHECKING

from sixvec.arguments.misspelt import listed
from sixvec.parallel.assembly_modes import AssemblyModes
from sixvec.parallel.calibration import ParallelCalibration, calibrated
from sixvec.parallel.closure import closure_error, leg_vectors
from sixvec.parallel.dynamics import PlatformDynamics
from sixvec.parallel.families import (
    Delta,
    Hexa,
    Hexaglide,
    Parallel321,
    Planar3RPR,
    Planar3RRR,
    StewartGough,
)
from sixvec.parallel.forward_position import ForwardPosition
from sixvec.parallel.leg import PUS, RUS, UPS, Leg
from sixvec.parallel.maps import SingularPose
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.mode_change import singularity_free_path
from sixvec.parallel.mode_map import is_convex, mirrored
from sixvec.parallel.partial_wrench import leg_factors, leg_jacobian, partial_wrenches
from sixvec.parallel.quality import PoseQuality, quality
from sixvec.parallel.reach import Reach, reach, singularity_free_radius
from sixvec.parallel.singularity import ParallelSingularity
from sixvec.parallel.spherical import Spherical3RRR
from sixvec.parallel.spherical_platform import SphericalPlatform
from sixvec.parallel.tetrahedron import (
    angular_velocity_from_points,
    pose_from_points,
    tetrahedron_apex,
    tetrahedron_velocity,
)
from sixvec.parallel.track import ModeTrack, track
from sixvec.parallel.working_mode import WorkingMode
from sixvec.parallel.workspace import PlatformWorkspace, workspace

__all__ = [
    "PUS", "RUS", "UPS", "AssemblyModes", "Delta", "ForwardPosition", "Hexa", "Hexaglide", "Leg", "ModeTrack",
    "Parallel321", "ParallelCalibration", "ParallelRobot", "ParallelSingularity", "Planar3RPR", "Planar3RRR",
    "PlatformDynamics", "PlatformWorkspace", "PoseQuality", "Reach", "SingularPose", "Spherical3RRR",
    "SphericalPlatform", "StewartGough", "WorkingMode", "angular_velocity_from_points", "calibrated", "closure_error",
    "is_convex", "leg_factors", "leg_jacobian", "leg_vectors", "mirrored", "partial_wrenches", "pose_from_points",
    "quality", "reach", "singularity_free_path", "singularity_free_radius", "tetrahedron_apex",
    "tetrahedron_velocity", "track", "workspace",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = listed(__name__, __all__)
