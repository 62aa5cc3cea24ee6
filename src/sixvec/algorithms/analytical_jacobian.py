"""How joint velocities change the coordinates of a frame: three angles and a position."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.jacobian import coordinate_jacobian
from sixvec.algorithms.parts.reference import world_pose
from sixvec.errors import ArgumentError, unknown
from sixvec.geometry.orientation.euler import SETS, EulerAngles
from sixvec.model import Model
from sixvec.spatial import Pose

RPY = "rpy"
"""Roll about x, pitch about y, yaw about z, all fixed."""


@kernel("q -> J[6,nv]", loops="ignored")
def analytical_jacobian(model: Model, q: JointVector, frame: str, angles: str = RPY) -> Any:
    """Ĵ = ∂X/∂q for X = (three angles; position of the frame's origin), in the world.

    `angles` is "rpy", or one of the 12 sets of Euler angles about moving axes, such as "zxz".  The geometric Jacobian
    gives ω, which is not the derivative of any coordinates; the angles' rates are E⁻¹ ω, with E's columns the axes of
    the three turns (Bruyninckx §5.5.2, §3.16).  Where the first and third axes are parallel, the set is singular and Ĵ
    is not finite, for every robot.  Bruyninckx (5.24).

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> abs(robot.analytical_jacobian(robot.neutral(), "panda_link8")[:, 0]).round(3).tolist()
    [0.0, 0.0, 1.0, 0.0, 0.088, 0.0]
    """
    if angles != RPY and angles not in SETS:
        raise ArgumentError(unknown("set of angles", angles, (RPY, *SETS)))
    F = model.frame(frame)
    return coordinate_jacobian(model, q, F, euler_angles(world_pose(model, q, F), angles), 6)


def euler_angles(X: Pose, angles: str) -> EulerAngles:
    """The angles of a pose's rotation, in the set of that name."""
    return (
        EulerAngles.from_rotation(X.rot, "xyz", "fixed") if angles == RPY else EulerAngles.from_rotation(X.rot, angles)
    )
