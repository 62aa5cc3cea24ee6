"""From a model to the text of an MJCF file.

Numbers are written so that reading them gives the same float64 (except for `SMALLEST_MOMENT`).  What MJCF cannot
express
is an error that names the joint.  Two things change: joints are in the order of the file (depth first), and a moving
body without inertia that carries exactly one other moving body becomes an additional joint of that body, because MuJoCo
refuses moving bodies without mass; its frame is lost.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import PurePosixPath

from sixvec.errors import ModelError
from sixvec.formats.attribute import quoteattr
from sixvec.formats.mjcf.equality import GROUND
from sixvec.formats.mjcf.write_equality import equality_elements, extra_sites, tendon_lines
from sixvec.formats.mjcf.write_joint import Attributes, chains, custom_limits, joint_elements, part_names
from sixvec.formats.names import check_names, free_name
from sixvec.formats.number_text import number, numbers
from sixvec.formats.unsupported import UnsupportedShape
from sixvec.geometry.rigid_body.principal import principal_axes
from sixvec.model import WORLD, Body, Frame, Geom, HalfSpace, Material, Mesh, Model, Polyhedron
from sixvec.model.geom import FULL_SIZE, Shape
from sixvec.model.joints import Fixed, Free, Spherical
from sixvec.spatial import Pose, RigidInertia, Vec3

SMALLEST_MOMENT = 2e-15
"""kg m²: MuJoCo refuses moving bodies with a principal moment below 1e-15, as point masses and thin rods have; they
are written with this one."""

CLEARLY_POSITIVE = 1e-13
"""kg m²: a moment above this is not rounding of zero, which MuJoCo would refuse in a `fullinertia`."""

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
    lines = [
        f"<mujoco model={quoteattr(model.name)}>",
        "  " + _empty("compiler", {"angle": "radian"}),
        "  " + _empty("option", {"gravity": numbers(model.gravity)}),
        *_section("custom", custom),
        *_section("asset", geoms.assets),
        "  <worldbody>",
        *("    " + line for line in _placed(WORLD, IDENTITY, plan, geoms)),
        *_bodies(model, plan, geoms),
        "  </worldbody>",
        *tendon_lines(model),
        *_section("equality", equality_elements(model, plan.site_names)),
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


def _plan(model: Model) -> _Plan:
    b, made = model.by_name.get(GROUND), chains(model)
    ground = {GROUND} if b and _is_still(b, model) and b.inertia == RigidInertia.zero() else set()
    own = {f.name: f for f in model.frames if f.name == f.body}
    taken = {f.name for f in model.frames if f.name != f.body} | {GROUND}
    elements: dict[str | None, list[_Element]] = {}
    used = {b.name for chain in made for b in chain[:-1]}  # their frames are lost
    for chain in made:
        b = chain[-1]
        if b.name in ground:
            continue
        name, frame = b.name, own[b.name].placement if b.name in own else IDENTITY
        if name in taken or not _may_stand_at(frame, chain):
            name, frame = free_name(f"{b.name}_body", taken | model.by_name.keys()), IDENTITY
        else:
            used.add(b.name)
        parent = _parent(model, chain[0])
        elements.setdefault(WORLD if parent in ground else parent, []).append(_Element(name, chain, frame))
    frames = [f for f in model.frames if f.name not in used and not _is_world(f, model)]
    names = {f.name for f in frames}
    sites: dict[str | None, list[Frame]] = {}
    for f in (*frames, *extra_sites(model, names)):
        sites.setdefault(WORLD if f.body in ground else f.body, []).append(f)
    check_names(model, [e.name for group in elements.values() for e in group], "body")
    check_names(model, [f.name for group in sites.values() for f in group], "site")
    check_names(model, [name for b in model.bodies for name in part_names(b)], "joint")
    return _Plan(elements, sites, names, ground)


def _is_still(b: Body, model: Model) -> bool:
    """Whether the body is fixed at the origin of the world."""
    path = model.path(b.name)
    return all(isinstance(p.joint, Fixed) for p in path) and all(p.placement == IDENTITY for p in path)


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
    if not isinstance(b.joint, Free):
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
        yield _empty("site", {"name": f.name} | _pose(back @ f.placement))
    for carrier in (body, *(plan.ground if body is WORLD else ())):
        yield from (_empty("geom", given | _pose(back @ X)) for given, X in geoms.on(carrier))


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
        yield f"{blank}{_open('body', {'name': e.name} | _pose(shown))}>"
        inner = [_empty(*_inertial(e.frame.inv() @ last.inertia, last))] if last.inertia != RigidInertia.zero() else []
        for i, b in enumerate(e.chain):
            behind = reduce(Pose.__matmul__, [*placements[i + 1 :], e.frame])
            if b.joint.nv:
                inner += [_empty(*element) for element in joint_elements(b, behind, model)]
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
    given = {"mass": number(inertia.mass), "pos": numbers(center)}
    xx, xy, xz, yy, yz, zz = tensor
    axes = principal_axes(tensor)
    raised = b.joint.nv > 0 and inertia.mass > 0.0 and abs(axes.moments.x) < CLEARLY_POSITIVE
    if not any((xy, xz, yz)):
        return "inertial", given | {"diaginertia": numbers(_raised((xx, yy, zz)) if raised else (xx, yy, zz))}
    if axes.moments.x >= CLEARLY_POSITIVE:
        return "inertial", given | {"fullinertia": numbers((xx, yy, zz, xy, xz, yz))}
    moments = _raised(axes.moments) if raised else axes.moments
    return "inertial", given | _pose(Pose(axes.rot, center)) | {"diaginertia": numbers(moments)}


def _raised(moments: Iterable[float]) -> list[float]:
    return [max(x, SMALLEST_MOMENT) for x in moments]


def _pose(X: Pose) -> Attributes:
    """Two axes instead of a quaternion, so that right angles stay exact."""
    m = X.rot.matrix
    turn = {} if X.rot == IDENTITY.rot else {"xyaxes": numbers((m.xx, m.yx, m.zx, m.xy, m.yy, m.zy))}
    return ({} if X.pos == IDENTITY.pos else {"pos": numbers(X.pos)}) | turn


def _section(tag: str, elements: Iterable[tuple[str, Attributes]]) -> list[str]:
    lines = [f"    {_empty(*element)}" for element in elements]
    return [f"  <{tag}>", *lines, f"  </{tag}>"] if lines else []


def _open(tag: str, attributes: Attributes) -> str:
    return f"<{tag}" + "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())


def _empty(tag: str, attributes: Attributes) -> str:
    return _open(tag, attributes) + "/>"


VISUAL, COLLISION = "2", "3"
"""Groups."""

FLAT = 0.1
"""The third size of a plane in MuJoCo, the spacing of the lines drawn on it."""


class Geoms:
    """The shapes of a model that MJCF can represent; others give a warning."""

    def __init__(self, model: Model) -> None:
        self.assets: list[tuple[str, Attributes]] = []
        self._names: set[str] = set()
        self._meshes: dict[Shape, str] = {}
        self._materials: dict[str, Material] = {}
        self._on: dict[str | None, list[tuple[Attributes, Pose]]] = {}
        if not model.geoms:
            return
        from sixvec.formats.fitted_geoms import for_mjcf

        fitted = for_mjcf(model)
        if fitted.notes:
            warnings.warn(f"{model.name} as MJCF: {'; '.join(fitted.notes)}", UnsupportedShape, stacklevel=4)
        for g in fitted.geoms:
            frame = model.frame(g.frame)
            self._on.setdefault(frame.body, []).append((self._geom(g), frame.placement @ g.placement))

    def on(self, body: str | None) -> Iterator[tuple[Attributes, Pose]]:
        """The attributes of each geom of a body, and its pose there."""
        return iter(self._on.get(body, ()))

    def _geom(self, g: Geom) -> Attributes:
        given: Attributes = {}
        if g.name:
            given["name"] = free_name(g.name, self._names)
            self._names.add(given["name"])
        given |= self._shape(g.shape) | self._look(g.material) | {"mass": "0"}
        if not g.collision:
            return given | {"contype": "0", "conaffinity": "0", "group": VISUAL}
        return given if g.visual else given | {"group": COLLISION}

    def _shape(self, shape: Shape) -> Attributes:
        from sixvec.geometry.rigid_body.solids import Box, Capsule, Cylinder, Ellipsoid, Sphere

        match shape:
            case Box(size):
                return {"type": "box", "size": numbers(0.5 * x for x in size)}
            case Sphere(radius):
                return {"type": "sphere", "size": number(radius)}
            case Cylinder(radius, length):
                return {"type": "cylinder", "size": numbers((radius, 0.5 * length))}
            case Capsule(radius, length):
                return {"type": "capsule", "size": numbers((radius, 0.5 * length))}
            case Ellipsoid(semi_axes):
                return {"type": "ellipsoid", "size": numbers(semi_axes)}
            case HalfSpace(edges):
                return {"type": "plane", "size": numbers((*(0.5 * x for x in edges), FLAT))}
        return {"type": "mesh", "mesh": self._mesh(shape)}

    def _mesh(self, shape: Shape) -> str:
        """The name of the asset of a mesh, written once however often it is used."""
        if shape in self._meshes:
            return self._meshes[shape]
        given: Attributes = {}
        match shape:
            case Mesh(uri, scale):
                name = free_name(PurePosixPath(uri).stem, self._meshes.values())
                given = {"file": uri} | ({} if scale == FULL_SIZE else {"scale": numbers(scale)})
            case Polyhedron(vertices, triangles):
                name = free_name("polyhedron", self._meshes.values())
                given = {"vertex": " ".join(map(numbers, vertices))}
                if triangles:
                    given["face"] = " ".join(f"{i} {j} {k}" for i, j, k in triangles)
        self._meshes[shape] = name
        self.assets.append(("mesh", {"name": name} | given))
        return name

    def _look(self, m: Material) -> Attributes:
        """A colour, by the name of its material unless another one has that name."""
        if m.color is None:
            return {}
        if not m.name or self._materials.setdefault(m.name, m) != m:
            return {"rgba": numbers(m.color)}
        asset = ("material", {"name": m.name, "rgba": numbers(m.color)})
        if asset not in self.assets:
            self.assets.append(asset)
        return {"material": m.name}
