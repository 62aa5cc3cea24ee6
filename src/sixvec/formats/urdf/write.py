"""From a model to the text of a URDF file.

Numbers are written so that reading them gives the same float64.  What URDF cannot express is an error that names the
joint; nothing is omitted silently, except two things that no URDF contains: gravity, and a joint order other than depth
first.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from sixvec.errors import ModelError
from sixvec.formats.names import check_names, free_name
from sixvec.formats.number_text import number, numbers, roll_pitch_yaw, sizes
from sixvec.formats.unsupported import UnsupportedShape
from sixvec.formats.urdf.lacking import lacking
from sixvec.model import WORLD, Body, Frame, Geom, Material, Mesh, Model
from sixvec.model.geom import FULL_SIZE
from sixvec.model.joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from sixvec.spatial import Pose, RigidInertia, Vec3

WORLD_LINK = "world"
"""The link that represents the world where a file needs one."""

UNLIMITED = sys.float_info.max
"""The value of an infinite bound: the readers of ROS reject "inf", and use 0 for a missing bound."""

AXES: dict[type[Joint], Callable[[Joint], Vec3 | None]] = {
    Fixed: lambda joint: None,
    Free: lambda joint: None,
    Revolute: lambda joint: joint.axis,  # type: ignore[attr-defined]
    Prismatic: lambda joint: joint.axis,  # type: ignore[attr-defined]
    Planar: lambda joint: joint.normal,  # type: ignore[attr-defined]
}
"""The joints that URDF has, each with its axis."""

TYPES: dict[type[Joint], str] = {Fixed: "fixed", Free: "floating", Prismatic: "prismatic", Planar: "planar"}
"""The name of each type; an angle is "revolute" or "continuous", depending on its limits."""

PHRASES = {"armature": "rotor inertia", "spring": "a spring"}


def write_urdf(model: Model) -> str:
    """The robot as the text of a URDF file; `load_model` reads the same robot from it.

    Bodies become links, and frames other than a body's own become links without mass.  A root that moves, several
    roots and frames on the world need a link named "world" above them, which then is a frame of the new robot (and the
    frame of that name, if the robot has one there already).

    >>> from sixvec.model.joints import Revolute
    >>> print(write_urdf(Model("arm", (Body("base"), Body("link", "base", Revolute())))))
    <?xml version="1.0"?>
    <robot name="arm">
      <link name="base" />
      <link name="link" />
      <joint name="link" type="continuous">
        <parent link="base" />
        <child link="link" />
        <axis xyz="0.0 0.0 1.0" />
      </joint>
    </robot>
    <BLANKLINE>
    """
    world_frame = Frame(WORLD_LINK, WORLD)
    tools = [f for f in model.frames if f not in (world_frame, Frame(f.name, f.name))]
    links = _link_names(model, tools, world_frame in model.frames)
    joints = [b for b in model.bodies if b.parent in links]
    check_names(model, [*links.values(), *(f.name for f in tools)], "link")
    names = _joint_names(joints, tools)
    check_names(model, [*names.values(), *map(_tool_joint, tools)], "joint")

    robot = Element("robot", name=model.name)
    elements = {}
    for body, link in links.items():
        element = elements[link] = SubElement(robot, "link", name=link)
        if body is not WORLD:
            _inertial(element, model.by_name[body])
    for f in tools:
        elements[f.name] = SubElement(robot, "link", name=f.name)
    add_geoms(elements, model)
    for b in joints:
        _joint(robot, b, names, links, model)
    for f in tools:
        origin(_connection(robot, _tool_joint(f), "fixed", links[f.body], f.name), f.placement)
    indent(robot)
    return '<?xml version="1.0"?>\n' + tostring(robot, encoding="unicode") + "\n"


def _link_names(model: Model, tools: Iterable[Frame], has_world: bool) -> dict[str | None, str]:
    """The link of each body, and of the world if needed: the ends of joints.

    A link is also a frame.  If a frame elsewhere has the name of a body, the frame keeps it.
    """
    taken = {f.name for f in tools}
    links: dict[str | None, str] = {}
    if has_world:
        links[WORLD] = WORLD_LINK
        taken.add(WORLD_LINK)
    elif _needs_world(model, tools):
        links[WORLD] = free_name(WORLD_LINK, taken | model.by_name.keys())
    for b in model.bodies:
        links[b.name] = free_name(f"{b.name}_body", taken | model.by_name.keys()) if b.name in taken else b.name
    return links


def _needs_world(model: Model, tools: Iterable[Frame]) -> bool:
    """False if the only root is the world itself."""
    roots = model.children(WORLD)
    still = len(roots) == 1 and roots[0].joint.is_fixed and roots[0].placement == Pose.identity()
    return not still or any(f.body is WORLD for f in tools)


def _joint_names(joints: Iterable[Body], tools: Iterable[Frame]) -> dict[str, str]:
    """The name of each body's joint; a fixed joint without a name is renamed to avoid the others."""
    names = {b.name: b.joint_label for b in joints}
    spare = [b.name for b in joints if b.joint.is_fixed and not b.joint_name]
    taken = {name for body, name in names.items() if body not in spare} | {_tool_joint(f) for f in tools}
    return names | {name: free_name(f"{name}_fixed", taken | {*spare}) for name in spare if name in taken}


def _tool_joint(f: Frame) -> str:
    return f"{f.name}_frame"


def _connection(robot: Element, name: str, kind: str, parent: str, child: str) -> Element:
    joint = SubElement(robot, "joint", name=name, type=kind)
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=child)
    return joint


def _joint(robot: Element, b: Body, names: Mapping[str, str], links: Mapping[str | None, str], model: Model) -> None:
    _require_supported(b, model)
    joint = _connection(robot, names[b.name], _type(b), links[b.parent], links[b.name])
    origin(joint, b.placement)
    axis = AXES[type(b.joint)](b.joint)
    if axis is not None:
        SubElement(joint, "axis", xyz=numbers(axis))
    _limit(joint, b)
    damping, friction = b.dynamics.damping, b.dynamics.friction
    if any(damping) or any(friction):
        SubElement(joint, "dynamics", damping=numbers(damping or (0.0,)), friction=numbers(friction or (0.0,)))
    if b.mimic:
        leader = model.by_name[b.mimic.leader].joint_label
        factor, offset = number(b.mimic.multiplier), number(b.mimic.offset)
        SubElement(joint, "mimic", joint=leader, multiplier=factor, offset=offset)


def _require_supported(b: Body, model: Model) -> None:
    kind, where = type(b.joint).__name__, f'{model.name}: joint "{b.joint_label}"'
    if type(b.joint) not in AXES:
        raise ModelError(
            f"{where}: URDF has no {kind.lower()} joint (it has {', '.join(k.__name__ for k in AXES)}); {_advice(b)}"
        )
    for what in lacking(b):
        raise ModelError(
            f"{where} has {PHRASES.get(what, what)}, which URDF cannot say of a {kind.lower()} joint; "
            "take it off with sixvec.formats.urdf.lacking.without, or write MJCF"
        )


def _advice(b: Body) -> str:
    if b.joint.nv == 1:
        return "lock it with sixvec.model.edits.lock, or write SDF"
    name = b.joint_label
    return f'sixvec.model.edits.split(model, "{name}") makes several joints of it; or lock it there, or write MJCF'


def _type(b: Body) -> str:
    if not b.joint.is_rotation:
        return TYPES[type(b.joint)]
    return "revolute" if any(math.isfinite(x) for x in (*b.limits.lower, *b.limits.upper)) else "continuous"


def _limit(joint: Element, b: Body) -> None:
    """All bounds of the type, if there is any: other readers require them."""
    if b.joint.nv != 1:
        return
    kinds = {kind: getattr(b.limits, kind) for kind in ("lower", "upper", "effort", "velocity")}
    bounds = {kind: number(x) for kind, values in kinds.items() for x in values if math.isfinite(x)}
    if not bounds and not b.joint.is_translation:
        return
    endless = {"effort": number(UNLIMITED), "velocity": number(UNLIMITED)}
    if joint.get("type") != "continuous":
        endless |= {"lower": number(-UNLIMITED), "upper": number(UNLIMITED)}
    SubElement(joint, "limit", endless | bounds)


def _inertial(link: Element, b: Body) -> None:
    if b.inertia == RigidInertia.zero():
        return
    if b.inertia.mass == 0.0 and any(b.inertia.moment):
        raise ModelError(f'body "{b.name}" has a first moment but no mass, which URDF cannot say; give it a mass')
    inertial = SubElement(link, "inertial")
    tensor = b.inertia.rot
    if b.inertia.mass != 0.0:
        SubElement(inertial, "origin", xyz=numbers(b.inertia.center), rpy="0.0 0.0 0.0")
        tensor = b.inertia.about_center
    SubElement(inertial, "mass", value=number(b.inertia.mass))
    entries = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), tensor, strict=True)
    SubElement(inertial, "inertia", {name: number(x) for name, x in entries})


def add_geoms(links: Mapping[str, Element], model: Model) -> None:
    """The shapes in the links of their frames; others give a warning."""
    if not model.geoms:
        return
    from sixvec.formats.fitted_geoms import for_urdf

    fitted = for_urdf(model)
    if fitted.notes:
        warnings.warn(f"{model.name} as URDF: {'; '.join(fitted.notes)}", UnsupportedShape, stacklevel=3)
    materials: dict[str, Material] = {}
    for g in fitted.geoms:
        _add(links[g.frame], g, materials)


def _add(link: Element, g: Geom, materials: dict[str, Material]) -> None:
    element = SubElement(link, "visual" if g.visual else "collision", {"name": g.name} if g.name else {})
    origin(element, g.placement)
    _shape(SubElement(element, "geometry"), g)
    if g.visual and (g.material.color or g.material.texture):
        _material(element, g.material, materials)


def _shape(geometry: Element, g: Geom) -> None:
    if isinstance(g.shape, Mesh):
        scale = {} if g.shape.scale == FULL_SIZE else {"scale": numbers(g.shape.scale)}
        SubElement(geometry, "mesh", {"filename": g.shape.uri} | scale)
    else:
        SubElement(geometry, type(g.shape).__name__.lower(), sizes(g.shape))


def _material(element: Element, m: Material, materials: dict[str, Material]) -> None:
    """A material with a unique name: a second one of the same name would be an error."""
    name = m.name or "color_" + "".join(f"{round(255 * min(max(x, 0.0), 1.0)):02x}" for x in m.color or ())
    if materials.get(name, m) != m:
        name = next((n for n, other in materials.items() if other == m), free_name(name, materials))
    materials[name] = m
    written = SubElement(element, "material", name=name)
    if m.color:
        SubElement(written, "color", rgba=numbers(m.color))
    if m.texture:
        SubElement(written, "texture", filename=m.texture)


def origin(parent: Element, pose: Pose) -> None:
    if pose != Pose.identity():
        SubElement(parent, "origin", xyz=numbers(pose.pos), rpy=numbers(roll_pitch_yaw(pose)))
