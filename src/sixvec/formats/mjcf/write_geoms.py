"""From the shapes of a model to <geom> elements of MJCF, and the assets that they need.

Geoms have no mass: the mass of a body is in its <inertial>.  Visual geoms are in group 2 without contacts, collision
geoms in group 3, as is customary.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import PurePosixPath

from sixvec.formats.mjcf.write_joint import Attributes
from sixvec.formats.names import free_name
from sixvec.formats.number_text import number, numbers
from sixvec.formats.unsupported import UnsupportedShape
from sixvec.model import Geom, HalfSpace, Material, Mesh, Model, Polyhedron
from sixvec.model.geom import FULL_SIZE, Shape
from sixvec.spatial import Pose

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
