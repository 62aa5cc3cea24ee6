"""Mobile manipulators: one robot of platform and arms, with the inputs of both, and the loads on its wheels."""

from sixvec.mobile.manipulator.mobile_robot import Effort, InputMotion, MobileRobot
from sixvec.mobile.manipulator.mount import mount
from sixvec.mobile.manipulator.support import Support, SupportPolygon

__all__ = ["Effort", "InputMotion", "MobileRobot", "Support", "SupportPolygon", "mount"]
