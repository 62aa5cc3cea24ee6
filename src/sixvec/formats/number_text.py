"""Numbers as the text of files, so that reading them gives the same float64."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sixvec.spatial import Pose


def roll_pitch_yaw(X: Pose) -> tuple[float, float, float]:
    """The angles about the fixed axes x, y, z whose rotation is that of X, to the last bits everywhere.

    The roll is read from Rz(-yaw) R, so that roll and yaw are consistent also at a pitch of ±90°, where only their sum
    or difference is defined.

    >>> roll_pitch_yaw(Pose.identity())
    (0.0, 0.0, 0.0)
    """
    m = X.rot.matrix
    pitch = math.atan2(-m.zx, math.hypot(m.xx, m.yx))
    yaw = math.atan2(m.yx, m.xx)
    c, s = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(s * m.xz - c * m.yz, c * m.yy - s * m.xy)
    return roll + 0.0, pitch + 0.0, yaw + 0.0  # adding zero turns -0.0 into 0.0


def number(x: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(x) + 0.0)  # adding zero turns -0.0 into 0.0


def numbers(values: Iterable[float]) -> str:
    return " ".join(number(x) for x in values)
