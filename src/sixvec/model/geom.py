"""Visual and collision geometry: shapes on the frames of a robot.

Neither the fingerprint of a model nor any of its kernels depends on them: contacts and distances take the shapes as
arguments.  The shapes are
the solids of `sixvec.geometry.rigid_body.solids` and those of this file.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from sixvec.errors import ModelError, unknown
from sixvec.model.surface import Surface
from sixvec.spatial import Pose, Quaternion, Rotation, Vec3

if TYPE_CHECKING:
    from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere

Color: TypeAlias = tuple[float, float, float, float]
"""Red, green, blue and opacity, from 0 to 1."""

FULL_SIZE = Vec3(1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Mesh:
    """Triangles in a file.  The file is searched for when it is drawn (`formats.mesh_location`).

    `uri` is the path in the model file, `scale` multiplies the coordinates of the vertices, and `part` names one object
    of the file, all of them if empty.  `folders` are the search folders for the file, that of the model first.

    >>> from sixvec.model import Mesh
    >>> from sixvec.spatial import Vec3
    >>> Mesh("package://arm/meshes/link.stl", Vec3(0.001, 0.001, 0.001)).uri  # a file in millimetres
    'package://arm/meshes/link.stl'
    """

    uri: str
    scale: Vec3 = FULL_SIZE
    part: str = ""
    folders: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Polyhedron:
    """Triangles whose vertices are stored in the model file: indices into the vertices, counter-clockwise from outside.

    Without triangles it is the convex hull of its vertices.

    >>> from sixvec.model import Polyhedron
    >>> from sixvec.spatial import Vec3
    >>> corners = Vec3(0.0, 0.0, 0.0), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
    >>> len(Polyhedron(corners).vertices)
    4
    """

    vertices: tuple[Vec3, ...]
    triangles: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class HalfSpace:
    """Everything below the plane z = 0, such as a floor.  `size` is the extent to draw along x and y; 0 for all."""

    size: tuple[float, float] = (0.0, 0.0)


Shape: TypeAlias = "Box | Sphere | Cylinder | Capsule | Ellipsoid | Cone | Mesh | Polyhedron | HalfSpace"


@dataclass(frozen=True, slots=True)
class Material:
    """A colour and, as the name of a file that is not read, a texture.

    >>> from sixvec.model import Material
    >>> Material("steel", (0.6, 0.6, 0.65, 1.0)).color
    (0.6, 0.6, 0.65, 1.0)
    """

    name: str = ""
    color: Color | None = None
    texture: str = ""


@dataclass(frozen=True, slots=True)
class Geom:
    """A shape on a frame, at `placement` in it; for display (`visual`), for contacts (`collision`) or both.

    >>> from sixvec.geometry.rigid_body import Sphere
    >>> from sixvec.model import Geom
    >>> Geom("hand", Sphere(0.1), collision=False)
    Geom("hand", Sphere(radius=0.1), visual)
    """

    frame: str
    shape: Shape
    placement: Pose = field(default_factory=Pose.identity)
    name: str = ""
    material: Material = field(default_factory=Material)
    visual: bool = True
    collision: bool = True
    surface: Surface = field(default_factory=Surface)
    """How it touches, if it does."""

    def __repr__(self) -> str:
        purpose = ", ".join(kind for kind in ("visual", "collision") if getattr(self, kind))
        return f'Geom("{self.frame}", {self.shape!r}, {purpose})'

    def numbers(self) -> Iterator[float]:
        """Every number that must be finite; those of a polyhedron are checked by its reader."""
        yield from self.placement.rot.matrix
        yield from self.placement.pos
        for f in fields(self.shape):
            value: Any = getattr(self.shape, f.name)
            if isinstance(value, int | float):
                yield value
            elif isinstance(value, Vec3 | tuple):
                yield from (x for x in value if isinstance(x, int | float))
        yield from self.material.color or ()


def validate_geoms(geoms: tuple[Geom, ...], frames: Collection[str], where: str) -> None:
    """Raise for a geom on a frame that does not exist, or with a number that is not finite."""
    for g in geoms:
        if g.frame not in frames:
            raise ModelError(unknown("frame", g.frame, frames, where) + f" (of the geom {g})")
        if not all(map(math.isfinite, g.numbers())):
            raise ModelError(f"{where}: a geom has a number that is not finite: {g}")


def reflected(shape: Shape) -> Shape:
    """The mirror image of a shape in the plane y = 0 of the shape's frame; solids are their own mirror images."""
    match shape:
        case Mesh():
            return replace(shape, scale=Vec3(shape.scale.x, -shape.scale.y, shape.scale.z))
        case Polyhedron(vertices, triangles):
            turned = tuple((i, k, j) for i, j, k in triangles)
            return Polyhedron(tuple(Vec3(v.x, -v.y, v.z) for v in vertices), turned)
    return shape


def z_towards(direction: Vec3) -> Rotation:
    """The shortest turn that takes +z to a unit vector; the half turn to -z is about x."""
    across = Vec3(0.0, 0.0, 1.0).cross(direction)
    sine = math.sqrt(across.dot(across))
    if sine < 1e-10:
        axis, sine = Vec3(1.0, 0.0, 0.0), 0.0
    else:
        axis = across * (1.0 / sine)
    half = 0.5 * math.atan2(sine, direction.z)
    v = axis * math.sin(half)
    return Quaternion(v.x, v.y, v.z, math.cos(half)).as_rotation()
