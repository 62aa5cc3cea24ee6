"""The elements of URDF about kinematics or dynamics, each as a value of the library.

Missing elements have defaults: no <origin> is the identity, no <axis> is x, no <inertial> is no mass.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

from sixvec.errors import ModelError, unknown
from sixvec.formats.node import Node
from sixvec.formats.rotation import rotation_of
from sixvec.model import JointDynamics, Limits
from sixvec.model.joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from sixvec.spatial import Mat3, Pose, RigidInertia, Rotation, Sym3, Vec3

DEFAULT_AXIS = Vec3(1.0, 0.0, 0.0)

ALONG_AXIS: dict[str, Callable[[Vec3], Joint]] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "planar": Planar,
}
WITHOUT_AXIS: dict[str, Callable[[], Joint]] = {"fixed": Fixed, "floating": Free}

ONE_COORDINATE = ("revolute", "continuous", "prismatic")
"""The joints whose <limit>, <dynamics> and <mimic> are meaningful: the elements contain one number each."""


def origin(node: Node) -> Pose:
    """The <origin> inside an element: xyz in metres, then rpy in radians about fixed axes, or since URDF 1.1 quat_xyzw.

    >>> from sixvec.formats.xml import parse_xml
    >>> origin(parse_xml('<joint><origin xyz="0 0 2"/></joint>', "arm.urdf")).pos
    Vec3(x=0.0, y=0.0, z=2.0)
    """
    found = node.child("origin")
    return Pose.identity() if found is None else pose_of(found)


def pose_of(found: Node) -> Pose:
    """The pose of an <origin> element."""
    rpy = found.numbers("rpy", 3) if found.has("rpy") else (0.0, 0.0, 0.0)
    xyz = found.numbers("xyz", 3) if found.has("xyz") else (0.0, 0.0, 0.0)
    if found.has("quat_xyzw"):
        if found.has("rpy"):
            raise found.error("has both rpy and quat_xyzw", "give one of them")
        return Pose(rotation_of(found.numbers("quat_xyzw", 4), found), Vec3.of(xyz))
    return Pose(roll_pitch_yaw_rotation(*rpy) if any(rpy) else Rotation.identity(), Vec3.of(xyz))


def roll_pitch_yaw_rotation(roll: float, pitch: float, yaw: float) -> Rotation:
    """Rz(yaw) Ry(pitch) Rx(roll), multiplied out: `Rotation.from_rpy` on plain numbers, ten times faster.

    Large files spend most of their loading here.

    >>> roll_pitch_yaw_rotation(0.0, 0.0, 0.0) == Rotation.identity()
    True
    """
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(angle), math.cos(angle)) for angle in (roll, pitch, yaw))
    return Rotation(Mat3(
        cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,
        sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,
        -sp + 0.0, cp * sr, cp * cr,
    ))  # fmt: skip


def inertia(link: Node) -> RigidInertia:
    """The <inertial> of a link, in the link's frame.

    The file gives the tensor about the centre of mass in the axes of the inertial frame.  Inconsistent moments are
    accepted, because many published robots contain them; a negative mass is refused.
    """
    inertial = link.child("inertial")
    if inertial is None:
        return RigidInertia.zero()
    given = inertial.required("mass")
    mass = given.number("value")
    if mass < 0.0:
        raise given.error(f"the mass is {mass}", "give 0 or more")
    tensor = inertial.required("inertia")
    entries = [tensor.number(f"i{entry}") for entry in ("xx", "xy", "xz", "yy", "yz", "zz")]
    return origin(inertial) @ RigidInertia(mass, Vec3.zero(), Sym3(*entries))


def joint_motion(joint: Node) -> Joint:
    """The motion of the joint: its type, along its <axis> if it has one."""
    kind = joint.text("type")
    if kind in WITHOUT_AXIS:
        # Files often give such joints an axis of zeros, so it must be ignored.
        return WITHOUT_AXIS[kind]()
    if kind not in ALONG_AXIS:
        raise joint.error(unknown("joint type", kind, [*ALONG_AXIS, *WITHOUT_AXIS], "URDF"))
    found = joint.child("axis")
    axis = DEFAULT_AXIS if found is None else Vec3.of(found.numbers("xyz", 3))
    try:
        return ALONG_AXIS[kind](axis)
    except ModelError as problem:
        raise joint.error(str(problem)) from None


def limits(joint: Node) -> Limits:
    """The <limit> of a joint of one coordinate; infinite if not given.

    The format's own default for a missing bound is zero, which would lock the joints of many published files.
    A continuous joint has no bounds on its position, even if the file gives them.
    """
    kind, found = joint.text("type"), joint.child("limit")
    if found is None or kind not in ONE_COORDINATE:
        return Limits()
    velocity, effort = _bound(found, "velocity", math.inf), _bound(found, "effort", math.inf)
    if kind == "continuous":
        return Limits(velocity=(velocity,), effort=(effort,))
    lower, upper = _bound(found, "lower", -math.inf), _bound(found, "upper", math.inf)
    if lower > upper:
        raise found.error(f"lower={lower} is above upper={upper}", "give lower ≤ upper")
    return Limits((lower,), (upper,), (velocity,), (effort,))


def dynamics(joint: Node) -> JointDynamics:
    """The <dynamics> of a joint of one coordinate: viscous damping and Coulomb friction.  URDF has no armature.

    >>> from sixvec.formats.xml import parse_xml
    >>> dynamics(parse_xml('<joint type="revolute"><dynamics damping="0.5"/></joint>', "arm.urdf")).damping
    (0.5,)
    """
    found = joint.child("dynamics")
    if found is None or joint.text("type") not in ONE_COORDINATE:
        return JointDynamics()
    damping, friction = (found.number(kind) if found.has(kind) else 0.0 for kind in ("damping", "friction"))
    return JointDynamics(damping=(damping,) if damping else (), friction=(friction,) if friction else ())


def _bound(limit: Node, attribute: str, missing: float) -> float:
    """A bound; the largest float means unlimited, since some readers refuse "inf" in a file."""
    value = limit.number(attribute, infinite=True) if limit.has(attribute) else missing
    return math.copysign(math.inf, value) if abs(value) == sys.float_info.max else value
