"""Checks of motions over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from sixvec.motion.check import Motion, MotionCheck
    from sixvec.robot import Robot


class Motions:
    """The methods of `Robot` about motions over time: `sixvec.motion`."""

    def check_motion(
        self,
        t: Motion,
        q: ArrayLike | None = None,
        *,
        acceleration: Any = None,
        world: Any = None,
        margin: float = 0.0,
    ) -> MotionCheck:
        """What a motion exceeds, when and by how much: limits of positions, velocities and torques.

        The motion is one of `sixvec.motion`, a rollout, or positions q (m, nq) at times t (m,), joined by a cubic
        spline and also checked in between.  With `acceleration` that limit is checked, too, and with a `world` the gaps
        of the robot to itself and to it, which must be at least `margin`.  The result is true if nothing is exceeded.

        >>> import numpy as np, sixvec as sv
        >>> arm = sv.load("panda")
        >>> start = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
        >>> t = np.linspace(0.0, 1.0, 50)
        >>> print(arm.check_motion(t, start + np.outer(np.sin(6.0 * t), [0.5, 0, 0, 0, 0, 0, 0])))
        panda, 1 s: 1 limit exceeded
          velocity of panda_joint1: 3, limit 2.175, from 0 to 1 s
        """
        from sixvec.motion.check import check_motion

        return check_motion(cast("Robot", self), t, q, acceleration=acceleration, world=world, margin=margin)
