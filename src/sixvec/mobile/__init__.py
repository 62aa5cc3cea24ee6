"""Mobile platforms from a list of wheels: velocities and forces, odometry, paths, trailers, and arms on wheels."""

from typing import TYPE_CHECKING

from sixvec.arguments.misspelt import listed
from sixvec.mobile.answer import PlatformVelocity, WheelRates
from sixvec.mobile.ball_wheel import BallWheel
from sixvec.mobile.builders import bicycle, car, differential_drive, mecanum, omni3, reduced, swerve
from sixvec.mobile.chained_form import ChainedForm, chained_form
from sixvec.mobile.controllability import controllability
from sixvec.mobile.drive_calibration import DriveCalibration, calibrate_drive
from sixvec.mobile.driving_forces import DrivingForces
from sixvec.mobile.feedback import approach, follow, posture_law, tracking_law
from sixvec.mobile.kind import Kind
from sixvec.mobile.manipulator import MobileRobot, Support, mount
from sixvec.mobile.odometry import OdometryPath
from sixvec.mobile.operators import MotionOperator, commutator
from sixvec.mobile.paths import CurvePath, dubins, reeds_shepp, rotate_drive_rotate
from sixvec.mobile.planar import PLANAR_DELTA, PlanarPose, PlanarTwist, PlanarWrench
from sixvec.mobile.platform import Platform
from sixvec.mobile.rolling_motion import rolling_velocity, slip
from sixvec.mobile.slipping_rollout import slipping_rollout
from sixvec.mobile.steering import Ackermann, Independent
from sixvec.mobile.trailer import Trailer, Truck
from sixvec.mobile.vector_field import Controllability, VectorField, lie_bracket
from sixvec.mobile.wheel import Caster, FixedWheel, OmniWheel, SteeredWheel
from sixvec.mobile.wheeled_robot import WheeledRobot, wheeled_robot
from sixvec.model.held_frame import Rolling

__all__ = [
    "PLANAR_DELTA",
    "Ackermann",
    "BallWheel",
    "Caster",
    "ChainedForm",
    "Controllability",
    "CurvePath",
    "DriveCalibration",
    "DrivingForces",
    "FixedWheel",
    "Independent",
    "Kind",
    "MobileRobot",
    "MotionOperator",
    "OdometryPath",
    "OmniWheel",
    "PlanarPose",
    "PlanarTwist",
    "PlanarWrench",
    "Platform",
    "PlatformVelocity",
    "Rolling",
    "SteeredWheel",
    "Support",
    "Trailer",
    "Truck",
    "VectorField",
    "WheelRates",
    "WheeledRobot",
    "approach",
    "bicycle",
    "calibrate_drive",
    "car",
    "chained_form",
    "commutator",
    "controllability",
    "differential_drive",
    "dubins",
    "follow",
    "lie_bracket",
    "mecanum",
    "mount",
    "omni3",
    "posture_law",
    "reduced",
    "reeds_shepp",
    "rolling_velocity",
    "rotate_drive_rotate",
    "slip",
    "slipping_rollout",
    "swerve",
    "tracking_law",
    "wheeled_robot",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = listed(__name__, __all__)
