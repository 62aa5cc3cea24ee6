"""Obstacles around a robot, whose poses and sizes are data: moving, adding and removing them compiles nothing."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_from_zero, real_array, require_finite, require_shape
from sixvec.arguments.answering import OF_WORLDS, Answering
from sixvec.arguments.rigid_poses import require_poses
from sixvec.distance.cloud import Cloud
from sixvec.distance.shapes import CollisionShape, described
from sixvec.errors import ArgumentError, FileFormatError, level_of_user, unknown
from sixvec.formats import load_model
from sixvec.formats.budget import one_budget
from sixvec.formats.unsupported import summary
from sixvec.lazy import lazy
from sixvec.model import WORLD, Model
from sixvec.model.geom import Mesh, Polyhedron
from sixvec.spatial import Pose, Vec3

MOST_NAMED = 5
"""Obstacles that an error lists."""


@dataclass(eq=False)
class Obstacle:
    """A shape in a world.  Setting `pose` (4, 4) moves it.

    >>> import numpy, sixvec
    >>> ball = sixvec.World().sphere(0.1)
    >>> pose = numpy.eye(4)
    >>> pose[0, 3] = 0.5
    >>> ball.pose = pose
    >>> ball
    <sphere 'sphere 1': 0.1 at 0.5, 0, 0>
    """

    name: str
    kind: str
    sizes: tuple[float, ...]
    _pose: Array = field(repr=False)
    vertices: Array | None = field(default=None, repr=False)
    approximation: str = ""

    @property
    def pose(self) -> Array:
        """Its pose in the world, as a matrix (4, 4) that cannot be written to: set another one."""
        return self._pose

    @pose.setter
    def pose(self, pose: Any) -> None:
        self._pose = rigid_pose(f"the pose of {self.name}", pose)

    @property
    def numbers(self) -> Array:
        """The pose as kernels take it (12,)."""
        return np.concatenate([self._pose[:3, :3].ravel(), self._pose[:3, 3]])

    @lazy
    def shape(self) -> CollisionShape:
        """The shape without its pose."""
        return CollisionShape(self.name, "", self.kind, self.sizes, Pose.identity(), self.vertices, self.approximation)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{x:g}" for x in self.sizes)
        if self.vertices is not None:
            sizes = f"{len(self.vertices)} vertices"
        place = ", ".join(f"{x:g}" for x in self._pose[:3, 3])
        return f"<{self.kind} {self.name!r}: {sizes}{' ' * bool(sizes)}at {place}>"


def rigid_pose(what: str, pose: Any) -> Array:
    """A pose (4, 4) of numbers, checked and copied."""
    if pose is None:
        placed = np.eye(4)
    else:
        value = np.array(pose.as_matrix()) if isinstance(pose, Pose) else pose
        placed = np.array(real_array(what, value), float)
    hint = "of a position p: pose = np.eye(4); pose[:3, 3] = p" if np.shape(pose) == (3,) else ""
    require_shape(what, placed, 4, 4, batch=False, why=hint)
    require_finite(what, placed)
    require_poses(placed, what)
    placed.flags.writeable = False
    return placed


class World(Answering):
    """Obstacles: spheres, capsules, boxes, cylinders, ellipsoids, half spaces, convex hulls of meshes, and points.

    Each method adds one and returns a handle, whose `pose` can be set.  Poses are (4, 4), of the middle of the shape.

    >>> import sixvec
    >>> world = sixvec.World()
    >>> table = world.box((1.0, 0.6, 0.05), name="table")
    >>> ball = world.sphere(0.1)
    >>> world
    <World: table, sphere 1>
    """

    _instead = OF_WORLDS

    def __init__(self) -> None:
        self._obstacles: dict[str, Obstacle] = {}
        self._clouds: dict[str, Cloud] = {}
        self._count: dict[str, int] = {}
        """For each kind, a number up to which names are used."""

    def sphere(self, radius: float, pose: ArrayLike | Pose | None = None, *, name: str = "") -> Obstacle:
        """A ball."""
        return self._add("sphere", (_length("sphere: radius", radius),), pose, name)

    def capsule(
        self, radius: float, length: float, pose: ArrayLike | Pose | None = None, *, name: str = ""
    ) -> Obstacle:
        """A cylinder of this length along z between two half balls."""
        sizes = _length("capsule: radius", radius), _length("capsule: length", length) / 2.0
        return self._add("capsule", sizes, pose, name)

    def cylinder(
        self, radius: float, length: float, pose: ArrayLike | Pose | None = None, *, name: str = ""
    ) -> Obstacle:
        """A cylinder along z."""
        sizes = _length("cylinder: radius", radius), _length("cylinder: length", length) / 2.0
        return self._add("cylinder", sizes, pose, name)

    def box(self, size: ArrayLike, pose: ArrayLike | Pose | None = None, *, name: str = "") -> Obstacle:
        """A box with edges of these lengths (3,)."""
        return self._add("box", tuple(x / 2.0 for x in _lengths("box: size", size)), pose, name)

    def ellipsoid(self, semi_axes: ArrayLike, pose: ArrayLike | Pose | None = None, *, name: str = "") -> Obstacle:
        """An ellipsoid with these semi-axes (3,)."""
        return self._add("ellipsoid", _lengths("ellipsoid: semi_axes", semi_axes), pose, name)

    def half_space(self, pose: ArrayLike | Pose | None = None, *, name: str = "") -> Obstacle:
        """Everything below the plane z = 0 of the pose: a floor."""
        return self._add("half space", (), pose, name)

    def mesh(self, path: str | Path, pose: ArrayLike | Pose | None = None, *, name: str = "") -> Obstacle:
        """The convex hull of the mesh in a file."""
        file = Path(path)
        with one_budget():
            _, _, vertices, note = described(Mesh(file.name, folders=(str(file.parent),)), str(path))
        return self._add("convex hull", (), pose, name, vertices, note)

    def convex(self, vertices: ArrayLike, pose: ArrayLike | Pose | None = None, *, name: str = "") -> Obstacle:
        """The convex hull of points (n, 3)."""
        points = real_array("convex: vertices", vertices)
        require_shape("convex: vertices", points, "vertices ≥ 1", 3, batch=False)
        require_finite("convex: vertices", points)
        hull = Polyhedron(tuple(Vec3(*p) for p in points.tolist()))
        return self._add("convex hull", (), pose, name, described(hull, "convex")[2])

    def points(self, cloud: ArrayLike, radius: float, *, name: str = "") -> Cloud:
        """Many balls of one radius, at the points (n, 3) of a cloud in the world."""
        name = self._free_name("points", name)
        created = Cloud(name, cloud, _length("points: radius", radius))
        self._clouds[name] = created
        return created

    def remove(self, obstacle: Obstacle | Cloud | str) -> None:
        """Take an obstacle out of the world."""
        name = obstacle if isinstance(obstacle, str) else obstacle.name
        if not self._has(name):
            raise ArgumentError("remove: " + unknown("obstacle", str(name), self.names))
        self._obstacles.pop(name, None)
        self._clouds.pop(name, None)
        self._count.clear()

    def _add(
        self, kind: str, sizes: tuple[float, ...], pose: Any, name: str, vertices: Array | None = None, note: str = ""
    ) -> Obstacle:
        name = self._free_name(kind, name)
        created = Obstacle(name, kind, sizes, rigid_pose(f"the pose of {name}", pose), vertices, note)
        self._obstacles[name] = created
        return created

    def _free_name(self, kind: str, name: str) -> str:
        if name:
            if self._has(name):
                raise ArgumentError(f'the world has an obstacle "{name}" already; obstacles have different names')
            return name
        later = itertools.count(self._count.get(kind, 0) + 1)
        number = self._count[kind] = next(k for k in later if not self._has(f"{kind} {k}"))
        return f"{kind} {number}"

    def _has(self, name: str) -> bool:
        return name in self._obstacles or name in self._clouds

    @property
    def names(self) -> tuple[str, ...]:
        """Of all obstacles, in the order in which results count them."""
        return (*self._obstacles, *self._clouds)

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """All obstacles but clouds of points."""
        return tuple(self._obstacles.values())

    @property
    def clouds(self) -> tuple[Cloud, ...]:
        return tuple(self._clouds.values())

    def __getitem__(self, name: str) -> Obstacle | Cloud:
        if not self._has(name):
            raise ArgumentError(unknown("obstacle", str(name), self.names))
        return self._obstacles[name] if name in self._obstacles else self._clouds[name]

    def __iter__(self) -> Iterator[Obstacle | Cloud]:
        return iter((*self.obstacles, *self.clouds))

    def __len__(self) -> int:
        return len(self._obstacles) + len(self._clouds)

    def __repr__(self) -> str:
        shown = ", ".join(self.names[:8]) + (", …" if len(self) > 8 else "")
        return f"<World: {shown or 'empty'}>"

    @classmethod
    def load(cls, source: str | Path, **options: Any) -> World:
        """The collision shapes of a file that do not move: a scene in MJCF, SDF or URDF.  Options are those of `load`.

        Shapes on bodies that joints move raise an error, and so do collision shapes that cannot be read.
        """
        model = _whole_model(source, **options)
        return cls._of_model(model, source)

    @classmethod
    @one_budget()
    def _of_model(cls, model: Model, source: str | Path) -> World:
        world = cls()
        still: dict[str | None, Pose] = {WORLD: Pose.identity()}
        for b in model.bodies:
            if b.parent in still and not b.joint.nv:
                still[b.name] = still[b.parent] @ b.placement @ b.joint.pose(b.joint.neutral())
        for g in model.geoms:
            F = model.frame(g.frame)
            if not g.collision:
                continue
            if F.body not in still:
                raise ArgumentError(
                    f"{source}: the shape {g.name or g.frame} is on {F.body}, which a joint moves; a world holds "
                    "shapes that do not move, and robots are loaded with sixvec.load"
                )
            kind, sizes, vertices, note = described(g.shape, g.name or g.frame)
            pose = still[F.body] @ F.placement @ g.placement
            name = "" if world._has(g.name) else g.name
            world._add(kind, sizes, np.array(pose.as_matrix(), float), name, vertices, note)
        return world


def _whole_model(source: str | Path, **options: Any) -> Model:
    """The model of a file; an obstacle of the file that is not part of it is an error instead of a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = load_model(source, **options)
    for warning in (w.message for w in caught):
        lost = [item for item in getattr(warning, "left_out", ()) if item.touches]
        if lost:
            listed = summary(lost[:MOST_NAMED]) + (
                f" and {len(lost) - MOST_NAMED} more" if len(lost) > MOST_NAMED else ""
            )
            raise FileFormatError(f"obstacles cannot be read: {listed}", file=str(source))
        warnings.warn(warning, stacklevel=level_of_user())
    return model


def _length(what: str, value: Any) -> float:
    return number_from_zero(what, value, "m")


def _lengths(what: str, value: Any) -> tuple[float, ...]:
    numbers = real_array(what, value)
    require_shape(what, numbers, 3, batch=False)
    if not (np.isfinite(numbers).all() and (numbers >= 0.0).all()):
        raise ArgumentError(f"{what} is {numbers.tolist()}; lengths are finite, and 0 or more")
    return tuple(numbers.tolist())
