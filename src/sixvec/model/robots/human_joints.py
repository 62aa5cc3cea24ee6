"""Human skeletons by their conventions: segments and axes of H-Anim, joint angles of the ISB.

H-Anim (ISO/IEC 19774) names the joints and segments; the International Society of Biomechanics (ISB) defines the angles
of a joint: Wu et al., Journal of Biomechanics 35 (2002) for spine, hip and ankle, 38 (2005) for shoulder, elbow and
wrist, and Grood and Suntay, Journal of Biomechanical Engineering 105 (1983) for the knee.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Literal, get_args

from sixvec.errors import ArgumentError, FrameNotFound, unknown
from sixvec.geometry.orientation.euler import EulerAngles
from sixvec.scalar import Scalar
from sixvec.spatial import Mat3, Rotation, Vec3

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sixvec.robot import Robot

Convention = Literal["robot", "hanim", "isb"]
Side = Literal["right", "left"]

_FORWARD, _LEFT, _UP = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
_AXES = {
    "robot": (_FORWARD, _LEFT, _UP),
    "hanim": (_LEFT, _UP, _FORWARD),
    "isb": (_FORWARD, _UP, -_LEFT),
}

HANIM_JOINTS: dict[str, tuple[str, str]] = {
    "vl5": ("pelvis", "l5"),
    "skullbase": ("l5", "skull"),
    **{
        f"{side}_{joint}": (above if above in ("pelvis", "l5") else f"{side}_{above}", f"{side}_{below}")
        for side in "lr"
        for joint, above, below in (
            ("hip", "pelvis", "thigh"),
            ("knee", "thigh", "calf"),
            ("ankle", "calf", "hindfoot"),
            ("shoulder", "l5", "upperarm"),
            ("elbow", "upperarm", "forearm"),
            ("wrist", "forearm", "hand"),
        )
    },
}
"""The segments on both sides of each H-Anim joint of level of articulation one, without the rigid ones."""


@dataclass(frozen=True, slots=True)
class JointAngles:
    """Three turns about axes of the proximal segment, the floating and the distal one: a joint coordinate system.

    `axes` are ISB's: x forward, y up, z to the right.  `names` describe the positive angles; `sense` is -1 where that
    is a negative turn.
    """

    axes: str
    names: tuple[str, str, str]
    sense: tuple[float, float, float] = (1.0, 1.0, 1.0)


ISB_JOINTS = {
    "vl5": JointAngles("zxy", ("flexion", "right_bending", "left_rotation"), (-1.0, 1.0, 1.0)),
    "skullbase": JointAngles("zxy", ("flexion", "right_bending", "left_rotation"), (-1.0, 1.0, 1.0)),
    "hip": JointAngles("zxy", ("flexion", "adduction", "internal_rotation")),
    "knee": JointAngles("zxy", ("flexion", "adduction", "internal_rotation"), (-1.0, 1.0, 1.0)),
    "ankle": JointAngles("zxy", ("dorsiflexion", "inversion", "internal_rotation")),
    "shoulder": JointAngles("yxy", ("plane_of_elevation", "depression", "internal_rotation")),
    "elbow": JointAngles("zxy", ("flexion", "carrying_angle", "pronation")),
    "wrist": JointAngles("zxy", ("flexion", "ulnar_deviation", "pronation")),
}
"""By the H-Anim name without its side.  The arm is raised by negative angles, as in ISB: hence "depression"."""

_PALM_TURNED = {"forearm", "hand"}
"""H-Anim's neutral pose has the palms at the thighs, halfway between ISB's palms forward and backward."""


def skeleton_axes(convention: Convention) -> Rotation:
    """The axes of a convention in those of a robot (x forward, y left, z up), as the columns of a rotation.

    H-Anim has x left, y up, z forward; ISB x forward, y up, z right.

    >>> skeleton_axes("isb") @ Vec3(0.0, 1.0, 0.0)
    Vec3(x=0.0, y=0.0, z=1.0)
    """
    if convention not in get_args(Convention):
        raise ArgumentError(unknown("convention", convention, get_args(Convention)))
    return Rotation.from_axes(*_AXES[convention])


def isb_angles(R: Rotation, joint: str, side: Side = "right") -> dict[str, Scalar]:
    """The three named ISB angles of a joint, from the orientation of the distal segment in the proximal one.

    R is between the segments' ISB axes.  A left joint is mirrored, as ISB recommends, so that flexion, adduction
    and internal rotation are positive on both sides.

    >>> bent = isb_angles(Rotation.about_z(0.5), "hip")
    >>> {name: round(angle, 12) for name, angle in bent.items()}
    {'flexion': 0.5, 'adduction': 0.0, 'internal_rotation': 0.0}
    """
    jcs = _system(joint)
    angles = EulerAngles.from_rotation(_mirrored(R, side), jcs.axes)
    if angles.proper:
        angles = angles.other()  # the second angle in [-π, 0]: an arm is raised by negative ones
    return {name: sense * x for name, sense, x in zip(jcs.names, jcs.sense, angles, strict=True)}


def isb_rotation(angles: Mapping[str, Scalar], joint: str, side: Side = "right") -> Rotation:
    """The orientation with these ISB angles, those not given being zero; the inverse of `isb_angles`.

    >>> isb_rotation({"flexion": 0.5}, "knee") == Rotation.about_z(-0.5)
    True
    """
    jcs = _system(joint)
    for name in angles:
        if name not in jcs.names:
            raise ArgumentError(unknown("angle", name, jcs.names, f"the {joint}"))
    turns = [sense * angles.get(name, 0.0) for name, sense in zip(jcs.names, jcs.sense, strict=True)]
    return _mirrored(EulerAngles(turns[0], turns[1], turns[2], jcs.axes).as_rotation(), side)


def isb_posture(robot: Robot, q: ArrayLike) -> dict[str, dict[str, float]]:
    """The ISB angles of all joints of one posture of a robot whose segments have H-Anim names and robot axes.

    >>> import sixvec
    >>> person = sixvec.load("humanoid")
    >>> isb_posture(person, person.neutral())["r_knee"]["flexion"]
    0.0
    """
    if missing := {name for pair in HANIM_JOINTS.values() for name in pair} - set(robot.frame_names):
        raise FrameNotFound(f"{robot.name} has no H-Anim skeleton: no segments {', '.join(sorted(missing))}")
    segment = {name: Rotation.from_matrix(robot.pose(q, name)[:3, :3].tolist())
               for pair in HANIM_JOINTS.values() for name in pair}  # fmt: skip
    posture = {}
    for joint, (above, below) in HANIM_JOINTS.items():
        side: Side = "left" if joint.startswith("l_") else "right"
        R = (segment[above] @ _isb_axes(above)).inv() @ (segment[below] @ _isb_axes(below))
        posture[joint] = {name: float(x) + 0.0 for name, x in isb_angles(R, joint, side).items()}
    return posture


def _isb_axes(segment: str) -> Rotation:
    """ISB's axes of a segment of a standing person, in its own robot axes."""
    axes = skeleton_axes("isb")
    side, _, name = segment.partition("_")
    if name not in _PALM_TURNED:
        return axes
    return axes @ Rotation.about_y(pi / 2 if side == "r" else -pi / 2)


def _system(joint: str) -> JointAngles:
    name = joint[2:] if joint.startswith(("l_", "r_")) else joint
    if name not in ISB_JOINTS:
        raise ArgumentError(unknown("joint", joint, ISB_JOINTS))
    return ISB_JOINTS[name]


def _mirrored(R: Rotation, side: Side) -> Rotation:
    """R mirrored in the sagittal plane, for a left joint."""
    if side not in get_args(Side):
        raise ArgumentError(unknown("side", side, get_args(Side)))
    if side == "right":
        return R
    m = R.matrix
    return Rotation(Mat3(m.xx, m.xy, -m.xz, m.yx, m.yy, -m.yz, -m.zx, -m.zy, m.zz))
