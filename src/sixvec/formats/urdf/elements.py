"""The elements of URDF, each as a value of the library.

Defaults of missing elements: <origin> the identity, <axis> x, <inertial> a mass of zero.
An invalid <visual> or <collision> is left out and does not prevent loading.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sixvec.errors import FileFormatError
from sixvec.formats.doctor import joints, masses, units
from sixvec.formats.node import Node
from sixvec.formats.number_text import rotation_of
from sixvec.formats.problems import attempt_each, examine
from sixvec.formats.unsupported import Unsupported, made
from sixvec.model import JointDynamics, Limits
from sixvec.model.geom import FULL_SIZE, Geom, Material, Mesh, Shape
from sixvec.model.joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from sixvec.quoting import quoted
from sixvec.spatial import Mat3, Pose, RigidInertia, Rotation, Sym3, Vec3

DEFAULT_AXIS = Vec3(1.0, 0.0, 0.0)
ZERO = (0.0, 0.0, 0.0)
URDF = "URDF"
INERTIA_ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
PRODUCTS = ("ixy", "ixz", "iyz")

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
    """The <origin> inside an element: xyz in metres, then rpy in radians about fixed axes, or quat_xyzw (URDF 1.1)."""
    origin = node.child("origin")
    return Pose.identity() if origin is None else pose_of(origin)


def pose_of(origin: Node) -> Pose:
    """The pose of an <origin> element."""
    rpy, xyz = (origin.numbers(key, 3, ZERO) for key in ("rpy", "xyz"))
    return _pose(origin, rpy, xyz)


def _pose(origin: Node, rpy: tuple[float, ...], xyz: tuple[float, ...]) -> Pose:
    if origin.has("quat_xyzw"):
        if origin.has("rpy"):
            raise origin.error("has both rpy and quat_xyzw", "give one of them")
        return Pose(rotation_of(origin.numbers("quat_xyzw", 4), origin), Vec3.of(xyz))
    return Pose(roll_pitch_yaw_rotation(*rpy) if any(rpy) else Rotation.identity(), Vec3.of(xyz))


def placement(node: Node) -> Pose:
    """The <origin> of a joint or of an <inertial>, whose values a check examines."""
    origin = node.child("origin")
    if origin is None:
        return Pose.identity()
    rpy, xyz = (attempt_each(ZERO, origin.numbers, key, 3, ZERO) for key in ("rpy", "xyz"))
    examine(units.length_is_metres, origin, xyz, URDF)
    examine(units.angle_is_radians, origin, rpy)
    return _pose(origin, rpy, xyz)


def roll_pitch_yaw_rotation(roll: float, pitch: float, yaw: float) -> Rotation:
    """Rz(yaw) Ry(pitch) Rx(roll), multiplied out: `Rotation.from_rpy` on plain numbers, ten times faster.

    Large files spend most of their loading here.
    """
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(angle), math.cos(angle)) for angle in (roll, pitch, yaw))
    return Rotation(Mat3(
        cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,
        sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,
        -sp + 0.0, cp * sr, cp * cr,
    ))  # fmt: skip


def inertia(link: Node, unsupported: Unsupported) -> RigidInertia:
    """The <inertial> of a link, in the link's frame.

    The file gives the tensor about the centre of mass in the axes of the inertial frame.  Inconsistent moments are
    accepted, because many published robots contain them; a negative mass raises an error.  Products of inertia that are
    missing are zero, as in bodies with planes of symmetry; a missing mass or moment is an error: there is no value that
    a body is likely to have.
    """
    inertial = link.child("inertial")
    if inertial is None:
        return RigidInertia.zero()
    frame = attempt_each(Pose.identity(), placement, inertial)
    for tag in ("mass", "inertia"):
        attempt_each(None, inertial.required, tag, f"add <{tag}>, or take out the whole <inertial>")
    body = _central_inertia(inertial)
    examine(masses.inertia_is_possible, inertial, body)
    examine(masses.mass_has_inertia, inertial, body)
    examine(units.mass_is_kilograms, inertial, body, URDF)
    tensor = inertial.required("inertia")
    if missing := [entry for entry in PRODUCTS if not tensor.has(entry)]:
        problem: FileFormatError = tensor.error(
            f"{', '.join(missing)} missing, and taken as zero", "write them: other programs reject it"
        )
        unsupported.add(f'products of inertia of link "{quoted(link.get("name"))}" (not given, zero)', tensor, problem)
    inertial.required("mass").not_negative("mass", body.mass)
    return frame @ body


def _central_inertia(inertial: Node) -> RigidInertia:
    """The mass and the tensor about the centre of mass."""
    mass, tensor = inertial.required("mass").number("value"), inertial.required("inertia")
    entries = (tensor.number(entry, 0.0 if entry in PRODUCTS else None) for entry in INERTIA_ENTRIES)
    return RigidInertia(mass, Vec3.zero(), Sym3(*entries))


def joint_type(joint: Node) -> str:
    """The type of a joint, known or not."""
    return joint.text("type", f"give one of {', '.join((*ALONG_AXIS, *WITHOUT_AXIS))}")


def joint_motion(joint: Node) -> Joint:
    """The motion of the joint: its type, along its <axis> if it has one."""
    kind = joint_type(joint)
    if kind in WITHOUT_AXIS:
        # Files often give such joints an axis of zeros, so it must be ignored.
        return WITHOUT_AXIS[kind]()
    if kind not in ALONG_AXIS:
        raise joint.unknown("joint type", kind, [*ALONG_AXIS, *WITHOUT_AXIS], "URDF")
    element = joint.child("axis")
    axis = DEFAULT_AXIS if element is None else Vec3.of(element.numbers("xyz", 3))
    examine(joints.axis_is_usual, joint, element, [*axis])
    return made(element or joint, ALONG_AXIS[kind], axis)


def limits(joint: Node, unsupported: Unsupported) -> Limits:
    """The <limit> of a joint of one coordinate; infinite if not given, or if no position is within it.

    The format's own default for a missing bound is zero, which would lock the joints of many published files.
    A continuous joint has no bounds on its position, even if the file gives them.
    """
    kind, limit = joint_type(joint), joint.child("limit")
    if kind not in ONE_COORDINATE:
        return Limits()
    if kind != "continuous":
        examine(joints.limit_is_written, joint, limit, kind == "revolute")
    if limit is None:
        return Limits()
    velocity, effort = (_limit(limit, word, math.inf) for word in ("velocity", "effort"))
    examine(joints.joint_can_be_driven, limit, effort, velocity)
    driven = Limits(velocity=(_bound(velocity),), effort=(_bound(effort),))
    if kind == "continuous":
        return driven
    lower, upper = _range(joint, limit, unsupported, slides=kind == "prismatic")
    return replace(driven, lower=(lower,), upper=(upper,))


def _range(joint: Node, limit: Node, unsupported: Unsupported, *, slides: bool) -> tuple[float, float]:
    bounds = _limit(limit, "lower", -math.inf), _limit(limit, "upper", math.inf)
    examine(joints.range_is_not_empty, limit, *bounds)
    if slides:
        examine(units.slide_is_metres, limit, bounds, URDF)
    else:
        examine(units.turn_is_radians, limit, bounds)
    lower, upper = map(_bound, bounds)
    if lower <= upper:
        return lower, upper
    problem: FileFormatError = limit.error(
        f"lower={lower} is above upper={upper}, and the joint is unlimited", "give lower ≤ upper"
    )
    unsupported.add(f'the limits of joint "{quoted(joint.get("name"))}" (lower is above upper)', limit, problem)
    return -math.inf, math.inf


def _limit(limit: Node, attribute: str, missing: float) -> float:
    return attempt_each(missing, limit.number, attribute, missing, infinite=True)


def _bound(value: float) -> float:
    """A bound; the largest float means unlimited, since some readers reject "inf" in a file."""
    return math.copysign(math.inf, value) if abs(value) == sys.float_info.max else value


def dynamics(joint: Node) -> JointDynamics:
    """The <dynamics> of a joint of one coordinate: viscous damping and Coulomb friction.  URDF has no armature."""
    dynamics = joint.child("dynamics")
    if dynamics is None or joint_type(joint) not in ONE_COORDINATE:
        return JointDynamics()
    values = {word: attempt_each(0.0, dynamics.number, word, 0.0) for word in ("damping", "friction")}
    for word, value in values.items():
        examine(joints.friction_brakes, dynamics, word, value)
    damping, friction = values.values()
    return JointDynamics(damping=(damping,) if damping else (), friction=(friction,) if friction else ())


TAGS = ("visual", "collision")
SHAPES = ("box", "sphere", "cylinder", "capsule", "mesh")


def read_geoms(
    robot: Node, links: Mapping[str, Node], folders: tuple[str, ...], unsupported: Unsupported
) -> tuple[Geom, ...]:
    """The shapes of all links; `folders` are those of their meshes."""
    shapes = [(link, name, node) for name, link in links.items() for tag in TAGS for node in link.children(tag)]
    if not shapes:
        return ()
    materials = dict(_materials(robot, [node for _, _, node in shapes]))
    geoms = []
    for _, name, node in shapes:
        try:
            geoms.append(_geom(node, name, materials, folders))
        except FileFormatError as problem:
            unsupported.leave_out(problem, robot, touches=node.tag == "collision")
    return tuple(geoms)


def _geom(node: Node, frame: str, materials: Mapping[str, Material], folders: tuple[str, ...]) -> Geom:
    shape = _shape(node.required("geometry"), folders)
    reference, material = node.child("material"), Material()
    if reference is not None:
        defined = _material(reference)
        material = materials.get(defined.name, defined) if defined == Material(defined.name) else defined
    is_visual = node.tag == "visual"
    return Geom(frame, shape, origin(node), node.get("name"), material, visual=is_visual, collision=not is_visual)


def _shape(geometry: Node, folders: tuple[str, ...]) -> Shape:
    from sixvec.geometry.rigid_body.solids import Box, Capsule, Cylinder, Sphere

    for node in geometry.inside:
        match node.tag:
            case "box":
                return Box(Vec3.of(node.positive(node.numbers("size", 3))))
            case "sphere":
                return Sphere(*node.positive(node.numbers("radius", 1)))
            case "cylinder":
                return Cylinder(*node.positive((node.number("radius"), node.number("length"))))
            case "capsule":
                return Capsule(*node.positive((node.number("radius"), node.number("length"))))
            case "mesh":
                return Mesh(node.text("filename"), _scale(node), folders=folders)
        raise node.unknown("shape", node.tag, SHAPES, "URDF")
    raise geometry.error("holds no shape", f"give one of {', '.join(SHAPES)}")


def _scale(mesh: Node) -> Vec3:
    """Three factors; a single one applies to all directions."""
    if not mesh.has("scale"):
        return FULL_SIZE
    count = 1 if len(mesh.text("scale").split()) == 1 else 3
    return Vec3.of(mesh.numbers("scale", count) * (3 // count))


def _materials(robot: Node, shapes: list[Node]) -> Iterator[tuple[str, Material]]:
    """The materials that have names, wherever they are defined: another link may refer to them."""
    inside = (m for node in shapes for m in node.children("material"))
    for node in (*inside, *robot.children("material")):
        material = _material(node)
        if material != Material(material.name):
            yield material.name, material


def _material(node: Node) -> Material:
    """A material; an invalid colour does not remove the shape."""
    color, texture = node.child("color"), node.child("texture")
    rgba = None
    if color is not None:
        try:
            r, g, b, a = color.numbers("rgba", 4)
            rgba = r, g, b, a
        except FileFormatError:
            pass
    return Material(node.get("name"), rgba, "" if texture is None else texture.get("filename"))
