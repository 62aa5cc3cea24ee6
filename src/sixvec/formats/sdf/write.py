"""From a model to the text of an SDF file: a world with one model, whose links are the bodies.

Numbers are written so that reading them gives the same float64.  The pose of a link is that of the frame with its name;
its joint is at the origin of the body.  Joints that close loops are ordinary joints, marked as those at which to cut
the loop.  The configuration of the file has all joints at zero; balls and hinges of loops that are open there are
written with Drake's extension.  What SDF cannot express is an error that names the joint.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from sixvec.errors import ModelError
from sixvec.formats.names import check_names, free_name
from sixvec.formats.number_text import number, numbers, roll_pitch_yaw, sizes
from sixvec.formats.sdf.balls import write_balls
from sixvec.formats.sdf.elements import INERTIA
from sixvec.formats.sdf.places import MODEL_FRAME, SEPARATOR, WORLD_NAME
from sixvec.geometry.rigid_body.solids import Cone
from sixvec.model import (
    WORLD,
    Body,
    Closure,
    Differential,
    Frame,
    Gear,
    Geom,
    HalfSpace,
    JointDynamics,
    Limits,
    Mesh,
    Mimic,
    Model,
    Polyhedron,
)
from sixvec.model.geom import FULL_SIZE
from sixvec.model.joints import Fixed, Helical, Joint, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Pose, RigidInertia, Rotation, Vec3
from sixvec.spatial.rotation import PlaneRotation
from sixvec.tolerances import EQUAL

VERSION = "1.11"

TYPES: dict[type[Joint], str] = {
    Fixed: "fixed",
    Revolute: "revolute",
    Prismatic: "prismatic",
    Helical: "screw",
    Universal: "universal",
    Spherical: "ball",
}
"""The joints that SDF has."""

NOT_EXCHANGED = frozenset({Universal, Helical})
"""Joints whose parent and child are not exchanged when a loop is written."""

FREE = (
    "in Gazebo a model is free if no joint attaches it to the world: save the robot without its free joint, load the "
    "file with floating=True, or write MJCF"
)
RENAME = "rename it with sixvec.model.edits.rename, or write MJCF"


def write_sdf(model: Model) -> str:
    """The robot as the text of an SDF file; `load_model` reads the same robot from it.

    >>> from sixvec.model.joints import Revolute
    >>> text = write_sdf(Model("arm", (Body("base"), Body("link", "base", Revolute()))))
    >>> "<joint name=\\"link_joint\\" type=\\"continuous\\">" in text
    True
    """
    return _Writer(_on_the_ground(model)).text()


def _on_the_ground(model: Model) -> Model:
    """The model without a link "world" that represents the world, as in many URDF files: in SDF the name is taken.

    Its shapes would be lost; if it has some, it stays, and its name is an error.
    """
    ground = model.by_name.get(WORLD_NAME)
    dressed = {model.frame(g.frame).body for g in model.geoms}
    if ground is None or WORLD_NAME in dressed or len(model.bodies) == 1:
        return model
    place = Body(WORLD_NAME, WORLD, Fixed(), Pose.identity(), RigidInertia.zero(), ground.joint_name)
    if ground != place:
        return model
    bodies = (replace(b, parent=WORLD) if b.parent == WORLD_NAME else b for b in model.bodies if b is not ground)
    frames = (replace(f, body=WORLD) if f.body == WORLD_NAME else f for f in model.frames)
    return replace(model, bodies=tuple(bodies), frames=tuple(frames))


class _Writer:
    """The conversion of one model to a file."""

    def __init__(self, model: Model) -> None:
        if not model.bodies:
            raise ModelError(f"{model.name} has no bodies; SDF needs one link at least: write MJCF")
        self.model = model
        body_frames = {f.name: f for f in model.frames if f.name == f.body}
        self.link_frames: dict[str | None, Pose] = {WORLD: Pose.identity()}
        for b in model.bodies:
            self.link_frames[b.name] = body_frames[b.name].placement if b.name in body_frames else Pose.identity()
        """The pose of each body's link in the body."""
        self.frames = [f for f in model.frames if f.name not in body_frames and f != Frame(WORLD_NAME, WORLD)]
        # A reader makes the frames of closures again.
        ends = {f"{c.name}{SEPARATOR}{end}" for c in model.closures for end in ("parent", "child")}
        self.frames = [f for f in self.frames if f.name not in ends]
        self.joints = self._joint_names()
        self._check_names()
        self.mimics = {b.name: b.mimic for b in model.bodies if b.mimic} | self._gears()

    def text(self) -> str:
        sdf = Element("sdf", {"version": VERSION, "xmlns:drake": "http://drake.mit.edu"})
        world = SubElement(sdf, "world", name="default")
        _value(world, "gravity", numbers(self.model.gravity))
        robot = SubElement(world, "model", name=self.model.name)
        links = {b.name: self._link(robot, b) for b in self.model.bodies}
        add_geoms(links, self.model, {f.name: self._on_link(f) for f in self.model.frames})
        for f in self.frames:
            frame = SubElement(robot, "frame", name=f.name, attached_to=self._name(f.body))
            _pose(frame, self._on_link(f)[1])
        for b in self.model.bodies:
            if b.name in self.joints:
                self._joint(robot, b)
        for c in self.model.closures:
            if isinstance(c, Closure):
                self._closure(robot, c)
        indent(sdf)
        return '<?xml version="1.0"?>\n' + tostring(sdf, encoding="unicode") + "\n"

    def _joint_names(self) -> dict[str, str]:
        """The name of the joint of each body that has one: links, frames and joints share their names in SDF."""
        taken = (
            {b.name for b in self.model.bodies} | {f.name for f in self.frames} | {c.name for c in self.model.closures}
        )
        ends = [self.model.frame(f) for c in self.model.closures if isinstance(c, Closure) for f in (c.first, c.second)]
        several = len(self.model.children(WORLD)) > 1 or any(f.body is WORLD for f in ends)
        names: dict[str, str] = {}
        for b in self.model.bodies:
            if b.parent is WORLD and b.joint.is_fixed and not b.joint_name and not several:
                continue  # a model is fixed if no joint attaches it to the world
            name = b.joint_name if b.joint_name and b.joint_name not in taken else f"{b.joint_label}_joint"
            names[b.name] = free_name(name, taken)
            taken.add(names[b.name])
        return names

    def _check_names(self) -> None:
        closures = [c.name for c in self.model.closures if isinstance(c, Closure)]
        names = [b.name for b in self.model.bodies] + [f.name for f in self.frames] + closures + [*self.joints.values()]
        check_names(self.model, names, "link, frame and joint")
        for name in names:
            if SEPARATOR in name or name in (WORLD_NAME, MODEL_FRAME):
                raise ModelError(f'{self.model.name}: SDF cannot hold the name "{name}"; {RENAME}')

    def _gears(self) -> dict[str, Mimic]:
        """Gears, as joints that follow others."""
        mimics: dict[str, Mimic] = {}
        for c in self.model.closures:
            if isinstance(c, Differential):
                raise ModelError(
                    f'{self.model.name}: SDF has no word for the differential "{c.name}"; write *.xml (MJCF), which has'
                )
            if isinstance(c, Gear):
                if self.model.by_name[c.follower].mimic or c.follower in mimics:
                    raise ModelError(
                        f'{self.model.name}: the gear "{c.name}" drives a joint that follows another; '
                        "SDF can say one of the two"
                    )
                mimics[c.follower] = Mimic(c.leader, c.ratio, c.offset)
        return mimics

    def _name(self, body: str | None) -> str:
        return WORLD_NAME if body is None else body

    def _on_link(self, f: Frame) -> tuple[str | None, Pose]:
        """The body of a frame, and the pose of the frame on its link."""
        return f.body, self.link_frames[f.body].inv() @ f.placement

    def _link(self, robot: Element, b: Body) -> Element:
        link = SubElement(robot, "link", name=b.name)
        X = self.link_frames[b.parent].inv() @ b.placement @ self.link_frames[b.name]
        _pose(link, X, "" if b.parent is WORLD else b.parent)
        if b.inertia.mass == 0.0 and any(b.inertia.moment):
            raise ModelError(f'body "{b.name}" has a first moment but no mass, which SDF cannot say; give it a mass')
        # A link without <inertial> would weigh 1 kg.
        inertial, inertia = SubElement(link, "inertial"), self.link_frames[b.name].inv() @ b.inertia
        if inertia.mass != 0.0:
            _pose(inertial, Pose.translation(inertia.center))
        _value(inertial, "mass", number(inertia.mass))
        tensor = SubElement(inertial, "inertia")
        about = inertia.about_center if inertia.mass != 0.0 else inertia.rot
        for name, x in zip(INERTIA, about, strict=True):
            _value(tensor, name, number(x))
        return link

    def _joint(self, robot: Element, b: Body) -> None:
        self._require_supported(b)
        endless = TYPES[type(b.joint)] == "revolute" and not any(map(math.isfinite, (*b.limits.lower, *b.limits.upper)))
        joint = SubElement(
            robot, "joint", name=self.joints[b.name], type="continuous" if endless else TYPES[type(b.joint)]
        )
        _value(joint, "parent", self._name(b.parent))
        _value(joint, "child", b.name)
        _pose(joint, self.link_frames[b.name].inv().as_pose())
        axes = _axes(joint, b.joint, Rotation.identity())
        for i, axis in enumerate(axes):
            _limits(axis, b.limits, i)
            _dynamics(axis, b.dynamics, i)
        if mimic := self.mimics.get(b.name):
            law = SubElement(axes[0], "mimic", joint=self.joints[mimic.leader])
            for tag, x in (("multiplier", mimic.multiplier), ("offset", mimic.offset), ("reference", 0.0)):
                _value(law, tag, number(x))

    def _require_supported(self, b: Body) -> None:
        where = f'{self.model.name}: joint "{b.joint_label}"'
        kind = type(b.joint).__name__.lower()
        if type(b.joint) not in TYPES:
            advice = (
                FREE
                if kind == "free"
                else f'sixvec.model.edits.split(model, "{b.joint_label}") makes several joints of it; or write MJCF'
            )
            raise ModelError(f"{where}: SDF has no {kind} joint (it has {', '.join(TYPES.values())}); {advice}")
        bounds = (*b.limits.lower, *b.limits.upper, *b.limits.velocity, *b.limits.effort)
        terms = (b.dynamics.damping, b.dynamics.friction, b.dynamics.stiffness)
        several = b.joint.is_ball
        if any(b.dynamics.armature):
            raise ModelError(f"{where} has rotor inertia, which SDF cannot say; take it off, or write MJCF")
        if several and (any(map(math.isfinite, bounds)) or any(x for term in terms for x in term)):
            raise ModelError(f"{where} has limits, friction or a spring, which SDF cannot say of a ball; write MJCF")

    def _closure(self, robot: Element, c: Closure) -> None:
        """A joint whose frame is that of the closure on its child; on the other side it has the same pose."""
        first, second = self.model.frame(c.first), self.model.frame(c.second)
        apart = self._in_world(first).inv() @ self._in_world(second)
        if type(c.joint) not in TYPES:
            kind = type(c.joint).__name__.lower()
            raise ModelError(f'{self.model.name}: the closure "{c.name}" is a {kind} joint, which SDF does not have')
        if not _is_closed(c.joint, apart) and (c.joint.is_rotation or c.joint.is_ball):
            ends = [(self._name(f.body), self._on_link(f)[1]) for f in (first, second)]
            write_balls(robot, c.name, ends, c.joint.rotation_axes[0] if c.joint.is_rotation else None)
            return
        if not _is_closed(c.joint, apart):
            raise ModelError(
                f'{self.model.name}: the loop of "{c.name}" is open where all joints are at zero, as SDF shows it; '
                "write MJCF, or build the robot so that its loops are closed at zero"
            )
        parent, child, turned = first, second, apart.rot.inv()
        if child.body is WORLD:
            if type(c.joint) in NOT_EXCHANGED:
                raise ModelError(
                    f'{self.model.name}: exchange the two frames of "{c.name}": SDF has no child in the world'
                )
            parent, child, turned = second, first, Rotation.identity()
        joint = SubElement(robot, "joint", name=c.name, type=TYPES[type(c.joint)])
        _value(joint, "parent", self._name(parent.body))
        _value(joint, "child", self._name(child.body))
        _pose(joint, self._on_link(child)[1])
        _axes(joint, c.joint, turned)
        engine = SubElement(SubElement(joint, "physics"), "simbody")
        _value(engine, "must_be_loop_joint", "true")

    def _in_world(self, f: Frame) -> Pose:
        X = f.placement
        for b in reversed(self.model.path(f.body)):
            X = b.placement @ b.joint.pose(b.joint.neutral()) @ X
        return X


def _is_closed(joint: Joint, X: Pose) -> bool:
    """Whether a joint can connect one frame to another at X."""
    here = bool(X.pos.norm() < EQUAL)
    same = all(_fixes(X.rot, axis) for axis in Rotation.identity().matrix.rows)
    match joint:
        case Fixed():
            return here and same
        case Revolute(axis):
            return here and _fixes(X.rot, axis)
        case Prismatic(axis):
            return same and bool(axis.cross(X.pos).norm() < EQUAL)
        case Helical():
            return here and same
        case Universal(first, second):
            return here and bool(abs(first.dot(X.rot @ second) - first.dot(second)) < EQUAL)
        case _:
            return here


def _fixes(R: Rotation | PlaneRotation, axis: Vec3) -> bool:
    return bool((R @ axis - axis).norm() < EQUAL)


def _axes(joint: Element, motion: Joint, turned: Rotation | PlaneRotation) -> list[Element]:
    """The axes of a joint in its own frame; `turned` is the frame of the parent's side relative to it."""
    axes: list[Vec3] = []
    match motion:
        case Revolute(axis) | Prismatic(axis):
            axes = [axis]
        case Helical(axis, pitch):
            axes = [axis]
            _value(joint, "screw_thread_pitch", number(2.0 * math.pi * pitch))
        case Universal(first, second):
            axes = [turned @ first, second]
    elements = []
    for tag, axis in zip(("axis", "axis2"), axes, strict=False):
        elements.append(SubElement(joint, tag))
        _value(elements[-1], "xyz", numbers(axis))
    return elements


def _limits(axis: Element, limits: Limits, i: int) -> None:
    values = {kind: getattr(limits, kind) for kind in ("lower", "upper", "effort", "velocity")}
    finite = {kind: bounds[i] for kind, bounds in values.items() if bounds and math.isfinite(bounds[i])}
    if finite:
        limit = SubElement(axis, "limit")
        for kind, x in finite.items():
            _value(limit, kind, number(x))


def _dynamics(axis: Element, dynamics: JointDynamics, i: int) -> None:
    terms: Mapping[str, tuple[float, ...]] = {
        "damping": dynamics.damping,
        "friction": dynamics.friction,
        "spring_stiffness": dynamics.stiffness,
        "spring_reference": dynamics.rest,
    }
    nonzero = {name: values[i] for name, values in terms.items() if values and values[i]}
    if nonzero:
        element = SubElement(axis, "dynamics")
        for name, x in nonzero.items():
            _value(element, name, number(x))


def _pose(parent: Element, X: Pose, relative_to: str | None = "") -> None:
    if Pose.identity() != X or relative_to:
        pose = SubElement(parent, "pose", {"relative_to": relative_to} if relative_to else {})
        pose.text = numbers((*X.pos, *roll_pitch_yaw(X)))


def _value(parent: Element, tag: str, text: str) -> None:
    SubElement(parent, tag).text = text


def add_geoms(links: Mapping[str, Element], model: Model, places: Mapping[str, tuple[str | None, Pose]]) -> None:
    """The shapes in the links of their frames, whose poses on the links are given; those in the world are left out."""
    taken: dict[str, set[str]] = {}
    for g in model.geoms:
        body, X = places[g.frame]
        if body is not WORLD:
            for tag, is_drawn in (("visual", g.visual), ("collision", g.collision)):
                if is_drawn:
                    names = taken.setdefault(f"{body}/{tag}", set())
                    names.add(name := free_name(g.name or tag, names))
                    _add(SubElement(links[body], tag, name=name), g, X)


def _add(element: Element, g: Geom, X: Pose) -> None:
    # The format has the origin of a cone at half its height, ours is in the base.
    low = 0.5 * float(g.shape.height) if isinstance(g.shape, Cone) else 0.0
    placed = X @ g.placement @ Pose.translation(Vec3(0.0, 0.0, low))
    if placed != Pose.identity():
        SubElement(element, "pose").text = numbers((*placed.pos, *roll_pitch_yaw(placed)))
    _shape(SubElement(element, "geometry"), g)
    if element.tag == "visual" and g.material.color:
        SubElement(SubElement(element, "material"), "diffuse").text = numbers(g.material.color)


def _shape(geometry: Element, g: Geom) -> None:
    tag = type(g.shape).__name__.lower()
    match g.shape:
        case Polyhedron():
            raise TypeError("a polyhedron is not a shape of SDF")
        case HalfSpace(size):
            tag, values = "plane", {"normal": "0 0 1"} | ({"size": numbers(size)} if any(size) else {})
        case Mesh(uri, scale):
            values = {"uri": uri} | ({} if scale == FULL_SIZE else {"scale": numbers(scale)})
        case _:
            values = sizes(g.shape)
    element = SubElement(geometry, tag)
    for name, text in values.items():
        SubElement(element, name).text = text
    if isinstance(g.shape, Mesh) and g.shape.part:
        SubElement(SubElement(element, "submesh"), "name").text = g.shape.part
