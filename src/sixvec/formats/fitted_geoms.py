"""The shapes of a model as a format can represent them: others are replaced or left out, and reported.

URDF has boxes, spheres, cylinders and meshes, each either visual or collision.  MJCF has no cones, planes only on fixed
bodies, and meshes only as STL, OBJ and MSH.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from sixvec.formats.mesh_location import mesh_file
from sixvec.formats.mjcf.write_chains import chains
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.model import Geom, HalfSpace, Mesh, Model, Polyhedron
from sixvec.model.joints import Fixed
from sixvec.quoting import quoted
from sixvec.spatial import Pose, Vec3

READ_BY_MUJOCO = (".stl", ".obj", ".msh")

Note = Callable[[str], None]


@dataclass(frozen=True)
class Fitted:
    """Shapes that a format can represent, and a description of what happened to the others."""

    geoms: tuple[Geom, ...]
    notes: tuple[str, ...] = ()


def for_urdf(model: Model) -> Fitted:
    """The shapes that URDF can represent.

    >>> from sixvec.model import Body
    >>> pill = Model("pill", (Body("a"),), geoms=(Geom("a", Capsule(0.1, 0.4), collision=False),))
    >>> [type(g.shape).__name__ for g in for_urdf(pill).geoms], for_urdf(pill).notes
    (['Cylinder', 'Sphere', 'Sphere'], ('1 capsule became a cylinder with two spheres',))
    """
    count: Counter[str] = Counter()

    def parts(g: Geom) -> Iterator[Geom]:
        match g.shape:
            case Capsule(radius, length):
                count["capsule became a cylinder with two spheres"] += 1
                yield replace(g, shape=Cylinder(radius, length))
                for end in (0.5 * length, -0.5 * length):
                    yield replace(g, shape=Sphere(radius), placement=g.placement @ _up(end), name="")
            case Ellipsoid(semi_axes):
                count["ellipsoid became the box around it"] += 1
                yield replace(g, shape=Box(semi_axes * 2.0))
            case HalfSpace() | Polyhedron():
                count[f"{_word(g)} left out"] += 1
            case Mesh() if g.shape.part:
                count["part of a mesh left out"] += 1
            case _:
                yield _without_cone(g, count)

    fitted = [part for g in model.geoms for part in parts(g)]
    made = [one for g in fitted for one in _purposes(g)]
    return Fitted(tuple(made), tuple(f"{n} {what}" for what, n in count.items()))


def for_sdf(model: Model) -> Fitted:
    """The shapes that SDF can represent: all but polyhedra and shapes on the world, each visual or collision."""
    count: Counter[str] = Counter()
    made: list[Geom] = []
    for g in model.geoms:
        if isinstance(g.shape, Polyhedron) or model.frame(g.frame).body is None:
            count[f"{_word(g)} {'in the world ' if model.frame(g.frame).body is None else ''}left out"] += 1
        else:
            made += _purposes(replace(g, material=replace(g.material, name="", texture="")))
    return Fitted(tuple(made), tuple(f"{n} {what}" for what, n in count.items()))


def for_mjcf(model: Model) -> Fitted:
    """The shapes that MJCF can represent and MuJoCo can read; it has no packages, so their meshes get a path."""
    count: Counter[str] = Counter()
    merged = {b.name for chain in chains(model) for b in chain[:-1]}
    made = []
    for g in model.geoms:
        body = model.frame(g.frame).body
        match g.shape:
            case _ if body in merged:
                count["shape left out: its body has no mass and becomes a joint of the next"] += 1
            case HalfSpace() if any(not isinstance(b.joint, Fixed) for b in model.path(body)):
                count["plane on a body that moves left out"] += 1
            case Mesh(uri) if g.shape.part or PurePosixPath(uri).suffix.lower() not in READ_BY_MUJOCO:
                kind = "part of a mesh" if g.shape.part else f"mesh *{PurePosixPath(uri).suffix}"
                count[f"{kind} left out, which MuJoCo does not read"] += 1
            case Mesh(uri) if "://" in uri:
                path = mesh_file(g.shape)
                if path is None:
                    count[f"mesh {quoted(uri)} left out, which is not found"] += 1
                else:
                    found = replace(g.shape, uri=path.as_posix(), folders=(str(path.parent),))
                    made.append(replace(g, shape=found))
            case _:
                made.append(_without_cone(g, count))
    if textures := sum(1 for g in made if g.material.texture):
        count["texture left out"] += textures
        made = [replace(g, material=replace(g.material, texture="")) for g in made]
    return Fitted(tuple(made), tuple(f"{n} {what}" for what, n in count.items()))


def _without_cone(g: Geom, count: Counter[str]) -> Geom:
    if not isinstance(g.shape, Cone):
        return g
    count["cone became the cylinder around it"] += 1
    height = g.shape.height
    return replace(g, shape=Cylinder(g.shape.radius, height), placement=g.placement @ _up(0.5 * height))


def _purposes(g: Geom) -> Iterator[Geom]:
    """One visual geom and one for contacts."""
    if g.visual:
        yield replace(g, collision=False)
    if g.collision:
        yield replace(g, visual=False)


def _up(z: float) -> Pose:
    return Pose.translation(Vec3(0.0, 0.0, z))


def _word(g: Geom) -> str:
    return "plane" if isinstance(g.shape, HalfSpace) else type(g.shape).__name__.lower()
