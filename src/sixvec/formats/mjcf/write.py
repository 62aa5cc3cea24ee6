"""From a model to the text of an MJCF file.

Numbers are written so that reading them gives the same float64 (except for `SMALLEST_MOMENT`).  What MJCF cannot
express
is an error that names the joint.  Two things change: joints are in the order of the file (depth first), and a moving
body without inertia that carries exactly one other moving body becomes an additional joint of that body, because MuJoCo
rejects moving bodies without mass; its frame is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce

from sixvec.errors import ModelError
from sixvec.formats.attribute import element, opening
from sixvec.formats.mjcf.equality import GROUND
from sixvec.formats.mjcf.write_contact import contact_elements, keyframe_elements, option_attributes
from sixvec.formats.mjcf.write_drive import actuator_elements, tendon_elements
from sixvec.formats.mjcf.write_equality import equality_elements, extra_sites, law_tendons
from sixvec.formats.mjcf.write_geom import Geoms
from sixvec.formats.mjcf.write_joint import Attributes, chains, custom_limits, joint_elements, part_names
from sixvec.formats.names import check_names, free_name
from sixvec.formats.number_text import number, numbers
from sixvec.geometry.rigid_body.principal import principal_axes
from sixvec.model import WORLD, Body, Frame, Model
from sixvec.model.actuator import targets
from sixvec.model.joints import Free, Spherical
from sixvec.spatial import Pose, RigidInertia, Vec3

SMALLEST_MOMENT = 2e-15
"""kg m²: MuJoCo rejects moving bodies with a principal moment below 1e-15, as point masses and thin rods have; they
are written with this one."""

CLEARLY_POSITIVE = 1e-13
"""kg m²: a moment above this is not rounding of zero, which MuJoCo would reject in a `fullinertia`."""

DEEPEST_INDENT = 50
"""Deeper bodies are not indented further, otherwise long chains would be mostly blanks."""

IDENTITY = Pose.identity()


def write_mjcf(model: Model) -> str:
    """The robot as the text of an MJCF file; `load_model` reads the same robot from it, and so does MuJoCo.

    Bodies become bodies, other frames sites, mimic joints and closures equalities (of a fixed tendon for a
    differential).  A gear is read back as a mimic joint.  MuJoCo itself does not load moving bodies with zero or
    inconsistent inertia.

    >>> from sixvec.model.joints import Revolute
    >>> print(write_mjcf(Model("arm", (Body("base"), Body("link", "base", Revolute())))))
    <mujoco model="arm">
      <compiler angle="radian"/>
      <option gravity="0.0 0.0 -9.81"/>
      <worldbody>
        <body name="base">
          <body name="link">
            <joint name="link" type="hinge" axis="0.0 0.0 1.0"/>
          </body>
        </body>
      </worldbody>
    </mujoco>
    <BLANKLINE>
    """
    plan, geoms = _plan(model), Geoms(model)
    custom = [("numeric", {"name": n, "data": numbers(x)}) for b in model.bodies for n, x in custom_limits(b, model)]
    option, flags = option_attributes(model)
    joints = {b.joint_label: part_names(b) for b in model.bodies}
    tendons = ["    " + line for line in (*law_tendons(model), *tendon_elements(model, plan.site, geoms.wraps))]
    lines = [
        opening("mujoco", {"model": model.name}),
        "  " + element("compiler", {"angle": "radian"}),
        *_option(option, flags),
        *_section("custom", custom),
        *_section("asset", geoms.assets),
        "  <worldbody>",
        *("    " + line for line in _placed(WORLD, IDENTITY, plan, geoms)),
        *_bodies(model, plan, geoms),
        "  </worldbody>",
        *_section("contact", contact_elements(model, plan.body_names, geoms.written)),
        *(["  <tendon>", *tendons, "  </tendon>"] if tendons else ()),
        *_section("equality", equality_elements(model, plan.site_names)),
        *_section("actuator", actuator_elements(model, plan.site, joints)),
        *_section("keyframe", keyframe_elements(model, plan.joints)),
        "</mujoco>",
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Element:
    """A <body> of the file: the bodies of the model whose joints it contains; the last one defines its inertia."""

    name: str
    chain: tuple[Body, ...]
    frame: Pose
    """The frame of the element in the last body."""


@dataclass(frozen=True)
class _Plan:
    """The layout of the file: elements and sites by the body of the model that carries them."""

    elements: dict[str | None, list[_Element]]
    sites: dict[str | None, list[Frame]]
    site_names: set[str]
    ground: set[str]
    """The body that represents the world."""
    extra: dict[str, str]
    """For frames without a site that tendons or actuators need, the name of an additional site."""

    def site(self, frame: str) -> str:
        """The name of the site at a frame."""
        return frame if frame in self.site_names else self.extra[frame]

    @property
    def body_names(self) -> dict[str | None, str]:
        """For each body of the model its element in the file."""
        names: dict[str | None, str] = {WORLD: GROUND} | dict.fromkeys(self.ground, GROUND)
        return names | {e.chain[-1].name: e.name for group in self.elements.values() for e in group}

    @property
    def joints(self) -> list[Body]:
        """The bodies that move, in the order of their joints in the file: depth first."""
        waiting, bodies = [*reversed(self.elements.get(WORLD, ()))], []
        while waiting:
            e = waiting.pop()
            bodies += [b for b in e.chain if b.joint.nv]
            waiting += reversed(self.elements.get(e.chain[-1].name, ()))
        return bodies


def _plan(model: Model) -> _Plan:
    b, chain_of = model.by_name.get(GROUND), chains(model)
    ground = {GROUND} if b and _is_still(b, model) and b.inertia == RigidInertia.zero() else set()
    body_frames = {f.name: f for f in model.frames if f.name == f.body}
    taken = {f.name for f in model.frames if f.name != f.body} | {GROUND}
    elements: dict[str | None, list[_Element]] = {}
    used = {b.name for chain in chain_of for b in chain[:-1]}  # their frames are lost
    for chain in chain_of:
        b = chain[-1]
        if b.name in ground:
            continue
        name, frame = b.name, body_frames[b.name].placement if b.name in body_frames else IDENTITY
        if name in taken or not _may_stand_at(frame, chain):
            name, frame = free_name(f"{b.name}_body", taken | model.by_name.keys()), IDENTITY
        else:
            used.add(b.name)
        parent = _parent(model, chain[0])
        elements.setdefault(WORLD if parent in ground else parent, []).append(_Element(name, chain, frame))
    frames = [f for f in model.frames if f.name not in used and not _is_world(f, model)]
    names = {f.name for f in frames}
    needed = {name for t in model.tendons for name in t.frames}
    needed |= {name for a in model.actuators for kind, name in targets(a) if kind == "frame"}
    more = [*extra_sites(model, names)]
    extra: dict[str, str] = {}
    for name in sorted(needed - names):
        extra[name] = free_name(f"{name} (site)", names | {f.name for f in more})
        more.append(replace(model.frame(name), name=extra[name]))
    sites: dict[str | None, list[Frame]] = {}
    for f in (*frames, *more):
        sites.setdefault(WORLD if f.body in ground else f.body, []).append(f)
    check_names(model, [e.name for group in elements.values() for e in group], "body")
    check_names(model, [f.name for group in sites.values() for f in group], "site")
    check_names(model, [name for b in model.bodies for name in part_names(b)], "joint")
    return _Plan(elements, sites, names, ground, extra)


def _is_still(b: Body, model: Model) -> bool:
    """Whether the body is fixed at the origin of the world."""
    path = model.path(b.name)
    return all(p.joint.is_fixed for p in path) and all(p.placement == IDENTITY for p in path)


def _is_world(f: Frame, model: Model) -> bool:
    """Whether a frame named "world" is the one that every file has; a frame of that name elsewhere is an error."""
    if f.name != GROUND:
        return False
    if f.placement == IDENTITY and (f.body is WORLD or _is_still(model.by_name[f.body], model)):
        return True
    raise ModelError(f'{model.name}: the frame "{GROUND}" is not where the world is, as it must be in MJCF; rename it')


def _may_stand_at(frame: Pose, chain: Iterable[Body]) -> bool:
    """Whether the element may have that frame without changing the coordinates of its joints."""
    kinds = {type(b.joint) for b in chain}
    return frame == IDENTITY or (Free not in kinds and (Spherical not in kinds or frame.rot == IDENTITY.rot))


def _parent(model: Model, b: Body) -> str | None:
    """The parent of the element; MuJoCo requires free bodies on the world, and their position in it."""
    if not b.joint.is_free:
        return b.parent
    path = model.path(b.parent)
    if b.placement == IDENTITY and (not path or _is_still(path[-1], model)):
        return WORLD
    raise ModelError(
        f'{model.name}: the free joint of body "{b.name}" does not start at the origin of the world, as all free '
        "joints do in MJCF; let its placement be the identity and its parent the world"
    )


def _placed(body: str | None, frame: Pose, plan: _Plan, geoms: Geoms) -> Iterator[str]:
    """The sites and geoms of an element at `frame` in a body, or of the world."""
    back = frame.inv()
    for f in plan.sites.get(body, ()):
        yield element("site", {"name": f.name} | _pose(back @ f.placement))
    for carrier in (body, *(plan.ground if body is WORLD else ())):
        yield from (element("geom", attributes | _pose(back @ X)) for attributes, X in geoms.on(carrier))


def _bodies(model: Model, plan: _Plan, geoms: Geoms) -> Iterator[str]:
    """The lines of all bodies.  Uses a stack: trees may be deeper than Python's recursion limit."""
    waiting: list[tuple[_Element | None, Pose, int]] = []
    waiting += [(e, IDENTITY, 2) for e in plan.elements.get(WORLD, ())][::-1]
    while waiting:
        e, parent, depth = waiting.pop()
        blank = "  " * min(depth, DEEPEST_INDENT)
        if e is None:
            yield f"{blank}</body>"
            continue
        last = e.chain[-1]
        placements = [b.placement for b in e.chain]
        shown = parent.inv() @ reduce(Pose.__matmul__, [*placements, e.frame])
        yield f"{blank}{opening('body', {'name': e.name} | _pose(shown))}"
        inner = [element(*_inertial(e.frame.inv() @ last.inertia, last))] if last.inertia != RigidInertia.zero() else []
        for i, b in enumerate(e.chain):
            behind = reduce(Pose.__matmul__, [*placements[i + 1 :], e.frame])
            if b.joint.nv:
                inner += [element(*each) for each in joint_elements(b, behind, model)]
        inner += _placed(last.name, e.frame, plan, geoms)
        yield from (f"{blank}  {line}" for line in inner)
        waiting.append((None, parent, depth))
        waiting += [(child, e.frame, depth + 1) for child in plan.elements.get(last.name, ())][::-1]


def _inertial(inertia: RigidInertia, b: Body) -> tuple[str, Attributes]:
    """Mass, centre of mass and the moments about it: in the axes of the element, else in principal ones."""
    if inertia.mass == 0.0 and any(inertia.moment):
        raise ModelError(f'body "{b.name}" has a first moment but no mass, which MJCF cannot say; give it a mass')
    center, tensor = Vec3.zero(), inertia.rot
    if inertia.mass != 0.0:
        center, tensor = inertia.center, inertia.about_center
    attributes = {"mass": number(inertia.mass), "pos": numbers(center)}
    xx, xy, xz, yy, yz, zz = tensor
    axes = principal_axes(tensor)
    raised = b.joint.nv > 0 and inertia.mass > 0.0 and abs(axes.moments.x) < CLEARLY_POSITIVE
    if not any((xy, xz, yz)):
        return "inertial", attributes | {"diaginertia": numbers(_raised((xx, yy, zz)) if raised else (xx, yy, zz))}
    if axes.moments.x >= CLEARLY_POSITIVE:
        return "inertial", attributes | {"fullinertia": numbers((xx, yy, zz, xy, xz, yz))}
    moments = _raised(axes.moments) if raised else axes.moments
    return "inertial", attributes | _pose(Pose(axes.rot, center)) | {"diaginertia": numbers(moments)}


def _raised(moments: Iterable[float]) -> list[float]:
    return [max(x, SMALLEST_MOMENT) for x in moments]


def _pose(X: Pose) -> Attributes:
    """Two axes instead of a quaternion, so that right angles stay exact."""
    m = X.rot.matrix
    turn = {} if X.rot == IDENTITY.rot else {"xyaxes": numbers((m.xx, m.yx, m.zx, m.xy, m.yy, m.zy))}
    return ({} if X.pos == IDENTITY.pos else {"pos": numbers(X.pos)}) | turn


def _option(option: Attributes, flags: Attributes) -> list[str]:
    if not flags:
        return ["  " + element("option", option)]
    return ["  " + opening("option", option), "    " + element("flag", flags), "  </option>"]


def _section(tag: str, elements: Iterable[tuple[str, Attributes]]) -> list[str]:
    lines = [f"    {element(*each)}" for each in elements]
    return [f"  <{tag}>", *lines, f"  </{tag}>"] if lines else []
