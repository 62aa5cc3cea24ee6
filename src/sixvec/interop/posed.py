"""The derivative of inverse kinematics: the motion of the joints for a moving pose.

At a solution the joints follow with  dq = J⁺ ε, the least motion of the joints, where ε is the small motion of the pose
in the frame.  So  q = q_s ⊕ J⁺ (ε(X) - ε₀)  has the value of the solution q_s and its derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def following(robot: Any, frame: str, q: Any, pose: Any, xp: Any, constant: Callable[[Any], Any], solved: Any) -> Any:
    """The positions `q`, constants of an array library `xp`, with their derivative with respect to the pose.

    The derivative of unsolved samples is zero.
    """
    reached = constant(robot.pose(q, frame))
    J = constant(robot.jacobian(q, frame, reference="local"))
    turned = xp.swapaxes(reached[..., :3, :3], -1, -2)
    R = turned @ pose[..., :3, :3]
    shift = (turned @ (pose[..., :3, 3] - reached[..., :3, 3])[..., None])[..., 0]
    turn = [R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]]
    small = xp.stack([*(x / 2.0 for x in turn), *(shift[..., k] for k in range(3))], -1)
    rates = (xp.linalg.pinv(J) @ (small - constant(small))[..., None])[..., 0]
    return robot.integrate(q, xp.where(solved[..., None], rates, xp.zeros_like(rates)))
