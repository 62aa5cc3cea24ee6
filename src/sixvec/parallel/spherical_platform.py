"""Platforms on a ball joint that legs of any kinds turn."""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.errors import DegenerateError
from sixvec.parallel.leg import Leg
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Spherical


class SphericalPlatform(ParallelRobot):
    """A platform that turns about a ball joint at the origins of its frame and of the base, moved by legs.

    The legs are telescopes (UPS), cranks (RUS) or sliders (PUS) with ball joints at the platform, three or more.  Poses
    are rotation matrices (..., 3, 3), twists angular velocities, wrenches moments, in the axes of the base.  A leg
    holds the distance between a point of the platform and one of its own, which is a quadric in the quaternion of the
    platform: three legs have at most eight assembly modes, as `Spherical3RRR`.  Bruyninckx, opening of chapter 8.

    >>> import numpy as np
    >>> from sixvec.parallel import SphericalPlatform, UPS
    >>> feet = [[1.0, 0.0, -1.0], [-0.5, 0.9, -1.0], [-0.5, -0.9, -1.0]]
    >>> pivots = [[0.6, 0.1, 0.5], [-0.3, 0.5, 0.4], [-0.3, -0.6, 0.5]]
    >>> robot = SphericalPlatform([UPS(base=a, platform=b) for a, b in zip(feet, pivots)])
    >>> robot.assembly_modes(robot.inverse_position(np.eye(3)))
    <AssemblyModes: 8 poses, 8 complex solutions, certified>
    """

    def __init__(self, legs: Sequence[Leg]) -> None:
        super().__init__(legs, Spherical())
        for k, leg in enumerate(self.legs):
            if leg.platform.norm() <= self.rounding:
                raise DegenerateError(
                    f"leg {k} ends at the ball joint, the origin of the platform: it holds no moment; move its pivot"
                )
