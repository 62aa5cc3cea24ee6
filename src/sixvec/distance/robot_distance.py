"""Distances of a robot: what `Robot.distance` and its relatives compute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, common_batch, number_from_zero, positive_number, real_array
from sixvec.distance.collision_pairs import CollisionPairs, FramePair, ShapePairs, edited_rules, selected_pairs
from sixvec.distance.part import Nearest, Part, nearest_of_all
from sixvec.distance.result import Distance, Distances
from sixvec.distance.round_kernels import RoundKernels, digest, is_round
from sixvec.distance.round_self import RoundSelf
from sixvec.distance.shapes import CollisionShape, collision_shapes
from sixvec.errors import ArgumentError
from sixvec.kernels.devices import device_values
from sixvec.kernels.portable import library_of

if TYPE_CHECKING:
    from sixvec.distance.search import PlacedRobot
    from sixvec.distance.world import World
    from sixvec.robot import Robot

# What only some robots and worlds need is imported where it is used: a first result waits for the imports.

_DOUBLE = np.dtype(np.float64)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What a robot has for distances: its shapes, its pairs, and the programs that compare it with itself."""

    shapes: tuple[CollisionShape, ...]
    pairs: CollisionPairs
    itself: Part
    between: ShapePairs


def comparison(robot: Robot) -> Comparison:
    """The shapes and pairs of a robot, found once."""
    return robot._kernels.stored("distances", lambda: _comparison(robot))


def shapes_of(robot: Robot) -> tuple[CollisionShape, ...]:
    """The collision shapes of a robot; meshes are read when they are first needed."""
    return robot._kernels.stored("collision shapes", lambda: collision_shapes(robot.model))


def _comparison(robot: Robot) -> Comparison:
    shapes = shapes_of(robot)
    if not shapes:
        raise ArgumentError(
            f"{robot.name} has no collision shapes, so there are no distances; they are the <collision> of a link, the "
            "<geom> of a body, or Model.geoms"
        )
    model = robot.model

    def overlaps(pairs: ShapePairs) -> Any:
        return part_of(robot, shapes, pairs).overlaps

    bounds = np.array([robot.lower, robot.upper]).tobytes().hex()
    identity = f"{model.fingerprint} {digest(shapes, model.contact)} {bounds}"
    pairs, between = selected_pairs(model, shapes, lambda rng, n: robot.random(rng, n), identity, overlaps)
    return Comparison(shapes, pairs, part_of(robot, shapes, between), between)


def part_of(robot: Robot, shapes: tuple[CollisionShape, ...], pairs: ShapePairs) -> Part:
    """The programs that compare these shapes of a robot."""
    if all(is_round(s) for s in shapes):
        return RoundSelf(RoundKernels(robot.model, shapes, pairs))
    from sixvec.distance.search import self_search

    return self_search(robot.model, shapes, pairs)


def states(robot: Robot, where: str, q: Any) -> tuple[Array, tuple[int, ...]]:
    """Positions as rows (n, nq) of the precision given, which are a copy, and the batch axes.

    Arrays on a CUDA device stay there.
    """
    nq = robot.nq
    if type(q) is np.ndarray and q.dtype is _DOUBLE and q.shape[-1:] == (nq,):  # as most are: nothing to check
        shape = q.shape[:-1]
        return (q.reshape(-1, nq).copy() if shape else np.array(q, ndmin=2)), shape
    if library_of(q) == "cupy":
        there: Any = device_values(where, q, "q", robot.nq)
        return there.reshape(-1, robot.nq).copy(), tuple(there.shape[:-1])
    single = isinstance(q, np.ndarray) and q.dtype == np.float32
    values = real_array(f"{where}: q", q, robot.nq)
    rows = np.array(values.reshape(-1, robot.nq), np.float32 if single else np.float64)
    return rows, values.shape[:-1]


def on_one_machine(where: str, parts: list[Part], q: Any) -> list[Part]:
    """The parts, if they compute where the states are."""
    if type(q) is np.ndarray or library_of(q) != "cupy":
        return parts
    from sixvec.distance.sphere_world import SphereWorld

    on_cpu = [x for x in parts if x.names and not isinstance(x, RoundSelf | SphereWorld)]
    if on_cpu:
        raise ArgumentError(
            f"{where}: on a CUDA device there are distances of spheres and capsules to each other, and of spheres to "
            f"spheres, capsules, boxes and cylinders of a world, but not of {' and '.join(on_cpu[0].names[0])}; use "
            'robot.with_shapes("spheres"), or give NumPy arrays: cupy.asnumpy'
        )
    return parts


def parts_of(robot: Robot, where: str, world: Any) -> list[Part]:
    """What is compared: the robot with itself, and with a world if there is one."""
    parts: list[Part] = [comparison(robot).itself]
    if world is None:
        return parts
    from sixvec.distance.world import World

    if not isinstance(world, World):
        raise ArgumentError(f"{where}: world must be a sixvec.World, not a {type(world).__name__}")
    parts.extend(_parts_of_world(robot, world))
    return parts


def _parts_of_world(robot: Robot, world: World) -> Iterator[Part]:
    """What compares the shapes that joints move with the obstacles and clouds of a world."""
    from sixvec.distance.cloud_search import CloudSearch
    from sixvec.distance.search import world_search
    from sixvec.distance.sphere_world import KINDS as SIMPLE
    from sixvec.distance.sphere_world import SphereKernels, SphereWorld

    placed = placed_robot(robot)
    which = moving_shapes(placed)
    frames = list(dict.fromkeys(placed.shapes[i].frame for i in which))
    frame = np.array([frames.index(placed.shapes[i].frame) for i in which], np.intp)
    if not len(which):
        return
    is_spheres = all(placed.shapes[i].kind == "sphere" for i in which)
    simple = [o for o in world.obstacles if is_spheres and o.kind in SIMPLE]
    others = [o for o in world.obstacles if o not in simple]
    if simple:
        kernels = robot._kernels.stored("spheres in a world", lambda: SphereKernels(placed, which))
        yield SphereWorld(kernels, simple, frames, frame)
    if others:
        names = tuple((f, o.name) for f in frames for o in others)
        poses, shapes = np.array([o.numbers for o in others]), [o.shape for o in others]
        yield world_search(placed, which, shapes, poses, frame * len(others), names)
    for cloud in world.clouds:
        yield CloudSearch(placed, cloud, which, frame, tuple((f, cloud.name) for f in frames))


def placed_robot(robot: Robot) -> PlacedRobot:
    """The shapes of a robot with the programs that place them, made once."""
    from sixvec.distance.search import PlacedRobot

    return robot._kernels.stored("placed shapes", lambda: PlacedRobot(robot.model, shapes_of(robot)))


def moving_shapes(placed: PlacedRobot) -> NDArray[np.intp]:
    """The shapes that joints move: only these are compared with a world, because no motion changes other gaps."""
    return np.flatnonzero([placed.tree.frame(s.frame).body is not None for s in placed.shapes])


def _named(robot: Robot, where: str, parts: list[Part]) -> tuple[tuple[str, str], ...]:
    names = parts[0].names if len(parts) == 1 else tuple(pair for x in parts for pair in x.names)
    if not names:
        raise ArgumentError(
            f"{where}: no shapes of {robot.name} are compared: {comparison(robot).pairs}; "
            "robot.collision_pairs.omitted has the reasons, and robot.with_collision_pairs(also=[...]) adds pairs"
        )
    return names


def pairs_of(robot: Robot, where: str, world: Any) -> tuple[tuple[str, str], ...]:
    """The names of all pairs that are compared."""
    return _named(robot, where, parts_of(robot, where, world))


def distance(robot: Robot, q: ArrayLike, world: Any, gradient: bool) -> Distance:
    """As `Robot.distance`."""
    parts = on_one_machine("distance", parts_of(robot, "distance", world), q)
    names = _named(robot, "distance", parts)
    rows, batch = states(robot, "distance", q)
    nearest = nearest_of_all(parts, rows)
    witness = Witness(nearest, batch)
    slope = nearest.details()[2].reshape(*batch, robot.nv) if gradient else None
    gap, pair = (
        (nearest.gap.reshape(batch), nearest.pair.reshape(batch)) if batch else (nearest.gap[0], nearest.pair[0])
    )
    return Distance(gap, pair, slope, names, witness)


class Witness:
    """Nearest points and normals of a result, computed when they are asked for."""

    def __init__(self, nearest: Nearest, batch: tuple[int, ...]) -> None:
        self._nearest, self._batch = nearest, batch

    def __call__(self) -> tuple[Array, Array]:
        points, normal, _ = self._nearest.details()
        lost = ~np.isfinite(self._nearest.gap)
        if lost.any():
            points, normal = np.where(lost[:, None, None], np.nan, points), np.where(lost[:, None], np.nan, normal)
        return points.reshape(*self._batch, 2, 3), normal.reshape(*self._batch, 3)


def distances(robot: Robot, q: ArrayLike, world: Any) -> Distances:
    """As `Robot.distances`."""
    parts = on_one_machine("distances", parts_of(robot, "distances", world), q)
    names = _named(robot, "distances", parts)
    rows, batch = states(robot, "distances", q)
    columns = [x.each(rows) for x in parts if x.names]
    gaps = columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1)
    return Distances(gaps.reshape(*batch, len(names)), names)


def is_clear(robot: Robot, q: ArrayLike, world: Any, margin: float) -> Any:
    """As `Robot.is_clear`."""
    parts = on_one_machine("is_clear", parts_of(robot, "is_clear", world), q)
    margin = number_from_zero("is_clear: margin", margin, "m")
    rows, batch = states(robot, "is_clear", q)
    clear: Any = None
    for each in parts:
        if each.names:
            one = each.clear(rows, margin)
            clear = one if clear is None else clear & one
    clear = np.isfinite(rows).all(axis=1) if clear is None else clear
    return clear.reshape(batch)[()]


def is_clear_between(robot: Robot, q0: ArrayLike, q1: ArrayLike, world: Any) -> Any:
    """As `Robot.is_clear_between`."""
    from sixvec.distance.between import Motions, clear_between

    where = "is_clear_between"
    if robot.model.closures:
        raise ArgumentError(
            f"{where}: {robot.name} has closed loops, which a straight motion of its joints opens; check states of a "
            "motion that closes them with is_clear"
        )
    start, end = real_array(f"{where}: q0", q0, robot.nq), real_array(f"{where}: q1", q1, robot.nq)
    batch = common_batch(where, [start.shape[:-1], end.shape[:-1]], ["q0", "q1"], [start.shape, end.shape])
    first, last = (np.broadcast_to(x, (*batch, robot.nq)).reshape(-1, robot.nq) for x in (start, end))
    parts = [x for x in parts_of(robot, where, world) if x.names]
    motions = Motions(first, last, robot.difference(first, last), robot.integrate)
    return clear_between(placed_robot(robot), parts, motions)[0].reshape(batch)[()]


def with_collision_pairs(robot: Robot, without: Iterable[FramePair], also: Iterable[FramePair]) -> Robot:
    """As `Robot.with_collision_pairs`."""
    from sixvec.robot import Robot

    rules = edited_rules(robot.model, shapes_of(robot), without, also, "with_collision_pairs")
    return Robot(replace(robot.model, contact=rules))


def with_shapes(robot: Robot, kind: str, error: float) -> Robot:
    """As `Robot.with_shapes`."""
    from sixvec.distance.sphere_cover import with_shapes as covering_shapes
    from sixvec.robot import Robot

    return Robot(covering_shapes(robot.model, kind, positive_number("with_shapes: error", error, "m")))
