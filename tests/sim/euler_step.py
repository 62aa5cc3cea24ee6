"""One step of Euler's methods by hand: free joints by Newton's law for their origin, in SciPy's rotations."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from sixvec import Robot
from sixvec.model.joints import Free


def euler_step(
    robot: Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray, h: float, *, new_moves: bool
) -> tuple[np.ndarray, np.ndarray]:
    """(q, v) after a step from samples in rows; with `new_moves` the new velocity moves the position, else the old.

    The origin of a free joint, p, is accelerated by  R (v̇ + ω × v): the components of v̇ are rates in turning axes.
    """
    v1 = v + h * a
    q1 = robot.integrate(q, h * (v1 if new_moves else v))
    for b in robot.model.moving:
        if isinstance(b.joint, Free):
            at, own = robot.model.q_slices[b.name], robot.model.v_slices[b.name]
            w, lin, R = v[:, own][:, :3], v[:, own][:, 3:], Rotation.from_quat(q[:, at][:, 3:])
            fast = lin + h * (a[:, own][:, 3:] + np.cross(w, lin))  # the new velocity of the origin, in the old axes
            turn = Rotation.from_rotvec(h * (v1[:, own][:, :3] if new_moves else w))
            q1[:, at.start : at.start + 3] = q[:, at][:, :3] + h * R.apply(fast if new_moves else lin)
            turned = (R * turn).as_quat()
            same_sign = np.sign((q1[:, at][:, 3:] * turned).sum(axis=1, keepdims=True))  # q and -q are one rotation
            q1[:, at.start + 3 : at.stop] = same_sign * turned
            v1[:, own.start + 3 : own.stop] = turn.inv().apply(fast)
    return q1, v1
