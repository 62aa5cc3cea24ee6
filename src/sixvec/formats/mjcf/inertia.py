"""The inertia of a body in MJCF: given by <inertial>, or computed from its <geom>s, within the compiler's bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sixvec.errors import UnknownInertia
from sixvec.formats.mjcf.assets import Assets
from sixvec.formats.mjcf.compiler import BOOLEANS, Compiler, choice
from sixvec.formats.mjcf.mesh import mesh_volume_inertia
from sixvec.formats.mjcf.pose import fromto, moved, orientation, pose, position
from sixvec.formats.mjcf.shell import shell_inertia
from sixvec.formats.mjcf.tree import Tree
from sixvec.formats.node import Node, counted
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
    _of_mesh: dict[str, RigidInertia] = field(default_factory=dict)

    def of_body(self, body: Node, inertial: tuple[Node, Pose] | None, geoms: list[tuple[Node, Pose]]) -> RigidInertia:
        """The inertia in the frame of the body; each element is given with the pose of the <frame> around it."""
        source = self.compiler.inertiafromgeom
        found, center = RigidInertia.zero(), None
        if source == "true" or (source == "auto" and inertial is None):
            parts = [moved(X, self.of_geom(geom)) for geom, X in geoms]
            found = sum(parts[1:], parts[0]) if parts else found
        elif inertial is not None:
            node, X = inertial
            found, center = moved(X, given(node, self.compiler)), X * position(node)
        if not self.compiler.bounds_inertia:
            return found
        # MuJoCo uses the numbers of the body's own `pos` as the centre of a body without mass.
        return bounded(found, self.compiler, position(body) if center is None else center)

    def of_geom(self, geom: Node) -> RigidInertia:
        """The inertia of a shape in the frame around it."""
        first, last = self.compiler.inertiagrouprange
        if not first <= (geom.number("group") if geom.has("group") else 0.0) <= last:
            return RigidInertia.zero()
        kind = choice(geom, "type", SHAPES, "sphere" if not geom.has("mesh") else "mesh")
        mass = geom.number("mass") if geom.has("mass") else None
        density = geom.number("density") if geom.has("density") else WATER
        if kind == WEIGHTLESS or mass == 0.0 or (mass is None and density == 0.0):
            return RigidInertia.zero()
        for what, value in (("mass", mass), ("density", density if mass is None else None)):
            if value is not None and value < 0.0:
                raise geom.error(f"the {what} is {value}", "give 0 or more")
        is_shell = choice(geom, "shellinertia", BOOLEANS, False)
        if kind == "hfield":
            terrain = _terrain(self.assets.of(geom, "hfield"))
            return moved(pose(geom, self.compiler), terrain.inertia(terrain.volume * density if mass is None else mass))
        if kind in MESHES:
            if is_shell:
                raise geom.error("shellinertia is not for meshes", 'say inertia="shell" in the <mesh>')
            unit = moved(pose(geom, self.compiler), self._mesh(geom))
            return _scaled(unit, density if mass is None else mass / unit.mass)
        if geom.has("mesh"):
            message = f"a {kind} fitted to a mesh has sizes that are not in the file"
            raise geom.error(message, "give size= and no mesh=", UnknownInertia)
        X, size = shape_size(geom, kind, self.compiler)
        if is_shell:
            return moved(X, shell_inertia(kind, size, density, mass))
        solid = SOLIDS[kind](*size)
        return moved(X, solid.inertia(solid.volume * density if mass is None else mass))

    def _mesh(self, geom: Node) -> RigidInertia:
        node, name = self.assets.of(geom, "mesh"), geom.text("mesh")
        if geom.attributes.get("type") == "sdf" and not (node.has("vertex") or node.has("file")):
            message = f'weighs what a plugin makes of the mesh "{quoted(name)}", and nothing is executed here'
            raise geom.error(message, 'give its body an <inertial>, or the geom mass="0"', UnknownInertia)
        if name not in self._of_mesh:
            self._of_mesh[name] = mesh_volume_inertia(node, self.tree, self.compiler)
        return self._of_mesh[name]


def _terrain(hfield: Node) -> Box:
    """MuJoCo's volume of a terrain: a box about its origin, of half its greatest height and its base.

    >>> from sixvec.formats.xml import parse_xml
    >>> _terrain(parse_xml('<hfield size="1 2 3 0.5"/>', "arm.xml")).size
    Vec3(x=2.0, y=4.0, z=2.0)
    """
    x, y, top, bottom = size = hfield.numbers("size", 4)
    if not all(s > 0.0 for s in size):
        raise hfield.error(f'size="{hfield.text("size")}" is not positive', "an hfield needs 4 numbers above 0")
    return Box(Vec3(2.0 * x, 2.0 * y, 0.5 * top + bottom))


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
    size = geom.numbers("size", len(geom.text("size").split()))
    if len(size) < needed:
        raise geom.error(f"{text} holds {counted(len(size))}", f"a {kind} needs {needed}")
    if not all(x > 0.0 for x in size[:needed]):
        raise geom.error(f"{text} is not positive", f"a {kind} needs {counted(needed)} above zero")
    if not between:
        return None, size[:count]
    X, length = fromto(geom)
    return X, (*size[:1] * (count - 1), 0.5 * length)


def given(inertial: Node, compiler: Compiler) -> RigidInertia:
    """The <inertial> of a body: mass, centre of mass, and moments about it in its own axes.

    >>> from sixvec.formats.xml import parse_xml
    >>> node = parse_xml('<inertial pos="0 0 1" mass="2" diaginertia="1 1 1"/>', "arm.xml")
    >>> given(node, Compiler()).rot
    Sym3(xx=3.0, xy=0.0, xz=0.0, yy=3.0, yz=0.0, zz=1.0)
    """
    rot = Sym3.zero()
    if inertial.has("fullinertia"):
        if inertial.has("diaginertia"):
            raise inertial.error("gives diaginertia and fullinertia", "give one of them")
        xx, yy, zz, xy, xz, yz = inertial.numbers("fullinertia", 6)
        rot = Sym3(xx, xy, xz, yy, yz, zz)
    elif inertial.has("diaginertia"):
        rot = Sym3.diagonal(*inertial.numbers("diaginertia", 3))
    mass = inertial.number("mass")
    if mass < 0.0:
        raise inertial.error(f"the mass is {mass}", "give 0 or more")
    if not inertial.has("pos"):
        raise inertial.error('has no pos, which is required: say where the centre of mass is, such as pos="0 0 0"')
    X = Pose(orientation(inertial, compiler), position(inertial))
    return X @ RigidInertia(mass, Vec3.zero(), rot)


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


def _scaled(inertia: RigidInertia, k: float) -> RigidInertia:
    return RigidInertia(inertia.mass * k, inertia.moment * k, inertia.rot * k)


def with_total_mass(inertias: list[RigidInertia], total: float) -> list[RigidInertia]:
    """All inertias times the factor that makes the sum of the masses `total`.

    >>> [i.mass for i in with_total_mass([RigidInertia(1.0, Vec3.zero(), Sym3.zero())] * 2, 6.0)]
    [3.0, 3.0]
    """
    now = sum(i.mass for i in inertias)
    return [_scaled(i, total / now) for i in inertias] if now > 0.0 else inertias
