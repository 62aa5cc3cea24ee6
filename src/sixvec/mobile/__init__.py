"""Mobile platforms from a list of wheels: velocities and forces, odometry, paths, trailers, and arms on wheels."""

from sixvec.mobile.answer import PlatformVelocity, WheelRates
from sixvec.mobile.builders import bicycle, car, differential_drive, mecanum, omni3, reduced, swerve
from sixvec.mobile.drive_calibration import DriveCalibration, calibrate_drive
from sixvec.mobile.kind import Kind
from sixvec.mobile.odometry import OdometryPath
from sixvec.mobile.paths import CurvePath, dubins, reeds_shepp, rotate_drive_rotate
from sixvec.mobile.planar import PLANAR_DELTA, PlanarPose, PlanarTwist, PlanarWrench
from sixvec.mobile.platform import Platform
from sixvec.mobile.steering import Ackermann, Independent
from sixvec.mobile.wheel import Caster, FixedWheel, OmniWheel, SteeredWheel

__all__ = [
    "PLANAR_DELTA",
    "Ackermann",
    "Caster",
    "CurvePath",
    "DriveCalibration",
    "FixedWheel",
    "Independent",
    "Kind",
    "OdometryPath",
    "OmniWheel",
    "PlanarPose",
    "PlanarTwist",
    "PlanarWrench",
    "Platform",
    "PlatformVelocity",
    "SteeredWheel",
    "WheelRates",
    "bicycle",
    "calibrate_drive",
    "car",
    "differential_drive",
    "dubins",
    "mecanum",
    "omni3",
    "reduced",
    "reeds_shepp",
    "rotate_drive_rotate",
    "swerve",
]
