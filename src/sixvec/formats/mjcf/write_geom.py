"""From the shapes of a model to <geom>s and assets of MJCF."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import PurePosixPath

from sixvec.formats.mjcf.write_contact import surface_attributes
from sixvec.formats.mjcf.write_joint import Attributes
from sixvec.formats.names import free_name
from sixvec.formats.number_text import number, numbers
from sixvec.formats.unsupported import UnsupportedShape
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cylinder, Ellipsoid, Sphere
from sixvec.model import Geom, HalfSpace, Material, Mesh, Model, Polyhedron, SpatialTendon, Wrap
from sixvec.model.geom import FULL_SIZE, Shape
from sixvec.spatial import Pose

VISUAL, COLLISION = "2", "3"
"""Groups."""

LONG = 4.0
"""The length of a drawn cylinder over which a tendon runs, in radii; to the tendon it is infinite."""

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
        self.written: dict[str, str] = {}
        """For each shape with a name, that of its geom in the file."""
        self.wraps: dict[Wrap, str] = {}
        """The geoms over which tendons run."""
        if model.geoms:
            self._add_geoms(model)
        for wrap in (x for t in model.tendons if isinstance(t, SpatialTendon) for x in t.path if isinstance(x, Wrap)):
            if wrap not in self.wraps:
                self.wraps[wrap] = self._wrap(model, wrap)

    def _add_geoms(self, model: Model) -> None:
        from sixvec.formats.fitted_geoms import for_mjcf

        fitted = for_mjcf(model)
        if fitted.notes:
            warnings.warn(f"{model.name} as MJCF: {'; '.join(fitted.notes)}", UnsupportedShape, stacklevel=5)
        for g in fitted.geoms:
            self._place(model, g)

    def _place(self, model: Model, g: Geom) -> str:
        """Add a shape to its body; returns its name in the file."""
        frame, attributes = model.frame(g.frame), self._geom(g)
        self._on.setdefault(frame.body, []).append((attributes, frame.placement @ g.placement))
        self.written.setdefault(g.name, attributes.get("name", ""))
        return attributes.get("name", "")

    def _wrap(self, model: Model, wrap: Wrap) -> str:
        """The geom of a wrapped shape: one that the model has, or a new one that touches nothing."""
        for g in model.geoms:
            if wrap.name and g.name == wrap.name and g.name in self.written and _is_wrap(g, wrap):
                return self.written[g.name]
        shape = Cylinder(wrap.radius, LONG * wrap.radius) if wrap.cylinder else Sphere(wrap.radius)
        name = wrap.name or f"wrap of {wrap.frame}"
        return self._place(model, Geom(wrap.frame, shape, wrap.placement, name, collision=False))

    def on(self, body: str | None) -> Iterator[tuple[Attributes, Pose]]:
        """The attributes of each geom of a body, and its pose there."""
        return iter(self._on.get(body, ()))

    def _geom(self, g: Geom) -> Attributes:
        attributes: Attributes = {}
        if g.name:
            attributes["name"] = free_name(g.name, self._names)
            self._names.add(attributes["name"])
        attributes |= self._shape(g.shape) | self._look(g.material) | {"mass": "0"}
        if not g.collision:
            return attributes | {"contype": "0", "conaffinity": "0", "group": VISUAL}
        attributes |= surface_attributes(g.surface)
        return attributes if g.visual else attributes | {"group": COLLISION}

    def _shape(self, shape: Shape) -> Attributes:
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
        attributes: Attributes = {}
        match shape:
            case Mesh(uri, scale):
                name = free_name(PurePosixPath(uri).stem, self._meshes.values())
                attributes = {"file": uri} | ({} if scale == FULL_SIZE else {"scale": numbers(scale)})
            case Polyhedron(vertices, triangles):
                name = free_name("polyhedron", self._meshes.values())
                attributes = {"vertex": " ".join(map(numbers, vertices))}
                if triangles:
                    attributes["face"] = " ".join(f"{i} {j} {k}" for i, j, k in triangles)
        self._meshes[shape] = name
        self.assets.append(("mesh", {"name": name} | attributes))
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


def _is_wrap(g: Geom, wrap: Wrap) -> bool:
    """Whether a shape is the one that a tendon runs over."""
    kind = Cylinder if wrap.cylinder else Sphere
    return (g.frame, g.placement) == (wrap.frame, wrap.placement) and (
        isinstance(g.shape, kind) and g.shape.radius == wrap.radius
    )
