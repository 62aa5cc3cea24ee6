"""The inertia of a body in MJCF: given by <inertial>, or computed from its <geom>s, within the compiler's bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from sixvec.errors import FileFormatError, UnknownInertia
from sixvec.formats.doctor import masses, units
from sixvec.formats.mjcf.compiler import BOOLEANS, Compiler, choice
from sixvec.formats.mjcf.defaults import Assets
from sixvec.formats.mjcf.mesh import mesh_volume_inertia
from sixvec.formats.mjcf.pose import fromto, moved, orientation, pose, position
from sixvec.formats.mjcf.tree import Tree
from sixvec.formats.node import Node, counted
from sixvec.formats.problems import examine, raise_or_note
from sixvec.formats.unsupported import Unsupported
from sixvec.geometry.rigid_body.principal import principal_axes
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cylinder, Ellipsoid, Solid, Sphere
from sixvec.quoting import quoted
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

WATER = 1000.0
"""kg/m³, the density of a shape that gives neither density nor mass."""

SIZES = {"sphere": 1, "ellipsoid": 3, "box": 3, "capsule": 2, "cylinder": 2}
SOLIDS: dict[str, Callable[..., Solid]] = {
    "sphere": Sphere,
    "ellipsoid": lambda a, b, c: Ellipsoid(Vec3(a, b, c)),
    "box": lambda a, b, c: Box(Vec3(2.0 * a, 2.0 * b, 2.0 * c)),
    "capsule": lambda radius, half: Capsule(radius, 2.0 * half),
    "cylinder": lambda radius, half: Cylinder(radius, 2.0 * half),
}
"""For each shape with volume, the solid of its sizes; the format gives half lengths."""

MESHES = ("mesh", "sdf")
"""Shapes with the mass enclosed by a mesh; the distance function of an "sdf" may have one."""

WEIGHTLESS = "plane"
SHAPES = {kind: kind for kind in (*SOLIDS, *MESHES, "hfield", WEIGHTLESS)}


@dataclass(frozen=True)
class Inertias:
    """Reads inertias of bodies; each mesh is read at most once."""

    tree: Tree
    compiler: Compiler
    assets: Assets
    unsupported: Unsupported
    meshes: set[str] = field(default_factory=set)
    """The names of the meshes whose inertias are needed."""
    _of_mesh: dict[str, RigidInertia] = field(default_factory=dict)

    def of_body(self, body: Node, inertial: tuple[Node, Pose] | None, geoms: list[tuple[Node, Pose]]) -> RigidInertia:
        """The inertia in the frame of the body; each element is given with the pose of the <frame> around it."""
        source = self.compiler.inertiafromgeom
        inertia, center = RigidInertia.zero(), None
        if source == "true" or (source == "auto" and inertial is None):
            inertia = self._of_geoms(geoms)
        elif inertial is not None:
            node, X = inertial
            inertia, center = moved(X, given(node, self.compiler)), X * position(node)
        if not self.compiler.bounds_inertia:
            return inertia
        # MuJoCo uses the numbers of the body's own `pos` as the centre of a body without mass.
        return bounded(inertia, self.compiler, position(body) if center is None else center)

    def _of_geoms(self, geoms: list[tuple[Node, Pose]]) -> RigidInertia:
        """The sum; all are read, also after one that cannot be."""
        parts, problems = [], []
        for geom, X in geoms:
            try:
                parts.append(moved(X, self.of_geom(geom)))
            except FileFormatError as problem:
                problems.append(problem)
        if problems:
            raise problems[0]
        return sum(parts[1:], parts[0]) if parts else RigidInertia.zero()

    def of_geom(self, geom: Node) -> RigidInertia:
        """The inertia of a shape in the frame around it."""
        first, last = self.compiler.inertiagrouprange
        if not first <= geom.number("group", 0.0) <= last:
            return RigidInertia.zero()
        kind = shape_kind(geom)
        mass = geom.number("mass") if geom.has("mass") else None
        density = geom.number("density", WATER)
        if kind == WEIGHTLESS or mass == 0.0 or (mass is None and density == 0.0):
            return RigidInertia.zero()
        geom.not_negative(*(("density", density) if mass is None else ("mass", mass)))
        is_shell = choice(geom, "shellinertia", BOOLEANS, False)
        if kind == "hfield":
            terrain = _terrain(self.assets.of(geom, "hfield"))
            return moved(pose(geom, self.compiler), terrain.inertia(terrain.volume * density if mass is None else mass))
        if kind in MESHES:
            if is_shell:
                raise geom.error("shellinertia is not for meshes", 'say inertia="shell" in the <mesh>')
            unit = moved(pose(geom, self.compiler), self._mesh(geom))
            return scaled(unit, density if mass is None else mass / unit.mass)
        if geom.has("mesh"):
            message = f"a {kind} fitted to a mesh has sizes that are not in the file"
            raise geom.error(message, "give size= and no mesh=", UnknownInertia)
        X, size = shape_size(geom, kind, self.compiler)
        if is_shell:
            return moved(X, shell_inertia(kind, size, density, mass))
        solid = SOLIDS[kind](*size)
        return moved(X, solid.inertia(solid.volume * density if mass is None else mass))

    def _mesh(self, geom: Node) -> RigidInertia:
        self.meshes.add(geom.get("mesh"))
        node, name = self.assets.of(geom, "mesh"), geom.text("mesh")
        if geom.attributes.get("type") == "sdf" and not is_written(node):
            message = f'weighs what a plugin makes of the mesh "{quoted(name)}", and nothing is executed here'
            raise geom.error(message, 'give its body an <inertial>, or the geom mass="0"', UnknownInertia)
        if name not in self._of_mesh:
            self._of_mesh[name] = mesh_volume_inertia(node, self.tree, self.compiler, self.unsupported)
        return self._of_mesh[name]


def is_written(mesh: Node) -> bool:
    """Whether a mesh is in the file or in another one; if not, a plugin generates it."""
    return mesh.has("vertex") or mesh.has("file")


def _terrain(hfield: Node) -> Box:
    """MuJoCo's volume of a terrain: a box about its origin, of half its greatest height and its base."""
    x, y, top, bottom = size = hfield.numbers("size", 4)
    if not all(s > 0.0 for s in size):
        raise hfield.error(f'size="{hfield.text("size")}" is not positive', "an hfield needs 4 numbers above 0")
    return Box(Vec3(2.0 * x, 2.0 * y, 0.5 * top + bottom))


def shape_kind(geom: Node) -> str:
    """The type of a geom."""
    kind: str = choice(geom, "type", SHAPES, "mesh" if geom.has("mesh") else "sphere")
    return kind


def plane_size(geom: Node) -> tuple[float, float]:
    """The half lengths of a plane, zero for without end; the third number is the spacing of a grid."""
    size = geom.numbers("size", None, (0.0, 0.0))
    if len(size) < 2:
        raise geom.error(NO_PLANE, PLANE)
    return size[0], size[1]


NO_PLANE = "a plane needs size with 3 numbers that are not negative, the last above zero"
PLANE = "give two half lengths, zero for without end, and a spacing of the grid above zero"


def shape_size(geom: Node, kind: str, compiler: Compiler) -> tuple[Pose, tuple[float, ...]]:
    """The pose of a shape, and its radii and half lengths."""
    X, size = sized(geom, kind)
    return pose(geom, compiler) if X is None else X, size


def sized(geom: Node, kind: str) -> tuple[Pose | None, tuple[float, ...]]:
    """The radii and half lengths of a shape, and its pose if it is given by its two ends."""
    between, count = geom.has("fromto"), SIZES[kind]
    if between and kind == "sphere":
        raise geom.error(f"fromto is not for a {kind}", "give pos and size, or a capsule, cylinder, ellipsoid or box")
    needed = 1 if between else count
    text = f'size="{quoted(geom.get("size"))}"'
    if not geom.get("size"):
        raise geom.error("has no size", f"a {kind} needs {counted(needed)} above zero")
    size = geom.numbers("size", None)
    if len(size) < needed:
        raise geom.error(f"{text} holds {counted(len(size))}", f"a {kind} needs {needed}")
    if not all(x > 0.0 for x in size[:needed]):
        raise geom.error(f"{text} is not positive", f"a {kind} needs {counted(needed)} above zero")
    if not between:
        return None, size[:count]
    X, length = fromto(geom)
    return X, (*size[:1] * (count - 1), 0.5 * length)


def given(inertial: Node, compiler: Compiler) -> RigidInertia:
    """The <inertial> of a body: mass, centre of mass, and moments about it in its own axes."""
    if inertial.has("fullinertia") and inertial.has("diaginertia"):
        raise_or_note(inertial.error("gives diaginertia and fullinertia", "give one of them"))
    body = _central_inertia(inertial)
    if not compiler.bounds_inertia:  # the compiler makes it consistent
        examine(masses.inertia_is_possible, inertial, body)
        examine(masses.mass_has_inertia, inertial, body)
        examine(units.mass_is_kilograms, inertial, body, "MJCF")
    inertial.not_negative("mass", body.mass)
    inertial.text("pos")
    return Pose(orientation(inertial, compiler), position(inertial)) @ body


def _central_inertia(inertial: Node) -> RigidInertia:
    """Mass and moments about the centre of mass; the orientation of their axes is another matter."""
    rot = Sym3.diagonal(*inertial.numbers("diaginertia", 3, (0.0, 0.0, 0.0)))
    if inertial.has("fullinertia"):
        xx, yy, zz, xy, xz, yz = inertial.numbers("fullinertia", 6)
        rot = Sym3(xx, xy, xz, yy, yz, zz)
    return RigidInertia(inertial.number("mass"), Vec3.zero(), rot)


def bounded(inertia: RigidInertia, compiler: Compiler, center: Vec3) -> RigidInertia:
    """The inertia within the compiler's bounds: mass and principal moments no smaller than `boundmass` and
    `boundinertia`; with `balanceinertia`, inconsistent moments are replaced by their mean.  `center` is the centre for
    a body without mass.
    """
    center = inertia.center if inertia.mass else center
    axes = principal_axes(inertia.about_center if inertia.mass else inertia.rot)
    moments = [max(float(x), compiler.boundinertia) for x in axes.moments]
    mass = max(inertia.mass, compiler.boundmass)
    if compiler.balanceinertia and 2.0 * max(moments) > sum(moments):
        moments = [sum(moments) / 3.0] * 3
    return Pose(axes.rot, center) @ RigidInertia(mass, Vec3.zero(), Sym3.diagonal(*moments))


def scaled(inertia: RigidInertia, k: float) -> RigidInertia:
    return RigidInertia(inertia.mass * k, inertia.moment * k, inertia.rot * k)


def with_total_mass(inertias: list[RigidInertia], total: float) -> list[RigidInertia]:
    """All inertias times the factor that makes the sum of the masses `total`."""
    now = sum(i.mass for i in inertias)
    return [scaled(i, total / now) for i in inertias] if now > 0.0 else inertias


THOMSEN = 1.6075
"""The exponent of K. Thomsen's formula for the area of an ellipsoid, off by at most 1.1 %."""

LAYER = 1e-6
"""Metres: the thickness of an ellipsoid's shell."""


def shell_inertia(kind: str, size: tuple[float, ...], density: float, mass: float | None) -> RigidInertia:
    """The inertia of the surface of a shape about its centre; `size` contains radii and half lengths.

    Cylinders have lids.  An ellipsoid follows MuJoCo: the area by Thomsen's formula, the mass in the layer
    between this ellipsoid and one with axes a micrometre longer, whose thickness varies.
    """
    area, xx, yy, zz = SHELLS[kind](*size)
    m = density * area if mass is None else mass
    return RigidInertia(m, Vec3.zero(), Sym3.diagonal(m * xx, m * yy, m * zz))


Shell = tuple[float, float, float, float]
"""The area, and the moments per unit of mass."""


def _sphere(r: float) -> Shell:
    moment = 2.0 / 3.0 * r * r
    return 4.0 * math.pi * r * r, moment, moment, moment


def _box(a: float, b: float, c: float) -> Shell:
    """Three pairs of faces: across a face ∫x² is a² of its mass, along it a²/3."""
    faces = (8.0 * b * c, 8.0 * c * a, 8.0 * a * b)
    area = sum(faces)
    squares = [
        h * h * (face + (area - face) / 3.0) / area for h, face in zip((a, b, c), faces, strict=True)
    ]  # mean x², y², z²
    return area, squares[1] + squares[2], squares[2] + squares[0], squares[0] + squares[1]


def _cylinder(r: float, h: float) -> Shell:
    tube, lids = 4.0 * math.pi * r * h, 2.0 * math.pi * r * r
    area = tube + lids
    across = (tube * (r * r / 2.0 + h * h / 3.0) + lids * (r * r / 4.0 + h * h)) / area
    return area, across, across, (tube * r * r + lids * r * r / 2.0) / area


def _capsule(r: float, h: float) -> Shell:
    """A tube and two half spheres, whose centres of mass are r/2 beyond its ends."""
    tube, ends = 4.0 * math.pi * r * h, 4.0 * math.pi * r * r
    area = tube + ends
    # For a half sphere ∫z² about its own plane is r²/3 of its mass, so at distance h: h² + 2·h·r/2 + r²/3.
    squares = tube * h * h / 3.0 + ends * (h * h + h * r + r * r / 3.0)
    radial = tube * r * r / 2.0 + ends * r * r / 3.0
    return area, (squares + radial) / area, (squares + radial) / area, 2.0 * radial / area


def _ellipsoid(a: float, b: float, c: float) -> Shell:
    pairs = ((a * b) ** THOMSEN + (b * c) ** THOMSEN + (c * a) ** THOMSEN) / 3.0
    outer, inner = (_solid_ellipsoid(a + t, b + t, c + t) for t in (LAYER, 0.0))
    volume, *moments = (x - y for x, y in zip(outer, inner, strict=True))
    xx, yy, zz = (moment / volume for moment in moments)
    return 4.0 * math.pi * pairs ** (1.0 / THOMSEN), xx, yy, zz


def _solid_ellipsoid(a: float, b: float, c: float) -> Shell:
    """Volume and moments of the solid, all over 4π/3."""
    volume = a * b * c
    xx, yy, zz = (volume * (s * s + t * t) / 5.0 for s, t in ((b, c), (c, a), (a, b)))
    return volume, xx, yy, zz


SHELLS: dict[str, Callable[..., Shell]] = {
    "sphere": _sphere,
    "box": _box,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "ellipsoid": _ellipsoid,
}
