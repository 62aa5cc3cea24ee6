"""Parallel robots: poses, actuator positions, pivots, branches, boxes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import sixvec as sv
from mistakes import Mistake, mistake
from parallel_robots import HOME, delta, hexa, hexaglide, hexapod, rpr
from sixvec.errors import ArgumentError, DegenerateError, DtypeError, ShapeError
from sixvec.parallel import (
    PUS,
    UPS,
    Delta,
    Parallel321,
    ParallelRobot,
    Planar3RPR,
    StewartGough,
    angular_velocity_from_points,
    quality,
    track,
    workspace,
)
from sixvec.spatial import RigidInertia, Sym3, Vec3

ROBOT = hexapod()
Q = ROBOT.inverse_position(HOME)
BODY = RigidInertia.from_center_of_mass(1.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.1, 0.1, 0.1))
BOX = [(-1, 1)] * 3
DELTA = Delta(0.2, 0.05, 0.25, 0.6)
LOW = np.array([0.0, 0.01, -0.5])
POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


class Wire(UPS):
    """A leg of the user, whose code the names of compiled programs would not contain."""


EIGHT = ParallelRobot(
    [*ROBOT.legs, *(UPS(base=ROBOT.legs[k].base, platform=ROBOT.legs[k + 2].platform) for k in (0, 1))]
)


def rows() -> Iterator[Mistake]:
    yield from _of_designs()
    yield from _of_calls()


def _of_designs() -> Iterator[Mistake]:
    yield mistake(
        "another leg", lambda: ParallelRobot([Wire(base=Vec3.zero(), platform=Vec3.zero())]), ArgumentError, "legs"
    )
    yield mistake("no legs", lambda: ParallelRobot([]), ArgumentError, "leg")
    yield mistake(
        "five pivots of a 321", lambda: Parallel321(np.ones((5, 3)), np.ones((3, 3))), ShapeError, "base", "5"
    )
    yield mistake(
        "two points of a 321", lambda: Parallel321(np.ones((6, 3)), np.ones((2, 3))), ShapeError, "platform", "2"
    )
    yield mistake("flat pivots", lambda: StewartGough(np.ones((6, 2)), np.ones((6, 3))), ShapeError, "base")
    yield mistake("no pivots", lambda: StewartGough(np.ones((0, 3)), np.ones((0, 3))), ShapeError, "base")
    yield mistake("four legs in a plane", lambda: Planar3RPR(np.ones((4, 2)), np.ones((3, 2))), ShapeError, "base")
    yield mistake(
        "a pivot that is lost",
        lambda: StewartGough(np.ones((6, 3)), [[0, 0, 0]] * 4 + [[0, np.nan, 0], [0, 0, 0]]),
        ArgumentError,
        "platform[4]",
    )
    yield mistake(
        "four offsets",
        lambda: StewartGough(np.ones((6, 3)), np.ones((6, 3)), offsets=np.ones(4)),
        ShapeError,
        "offsets",
    )
    yield mistake("negative radius", lambda: Delta(-0.2, 0.05, 0.25, 0.6), ArgumentError, "base_radius")
    yield mistake("UPS: base in a plane", lambda: UPS(base=[0.0, 0.0], platform=Vec3.zero()), ShapeError, "base")
    yield mistake(
        "PUS: text as rod",
        lambda: PUS(origin=Vec3.zero(), axis=Vec3(1.0, 0.0, 0.0), rod="long", platform=Vec3.zero()),
        DtypeError,
        "rod",
        "long",
    )
    yield mistake("ParallelRobot: None", lambda: ParallelRobot(None), ArgumentError, "UPS", "RUS", "PUS", "None")
    yield mistake("Delta: a number as angles", lambda: Delta(0.2, 0.05, 0.25, 0.6, angles=3), ShapeError, "angles")
    yield mistake(
        "Delta: infinite angle", lambda: Delta(0.2, 0.05, 0.25, 0.6, angles=[0.0, 2.0, np.inf]), ArgumentError, "angles"
    )


def _of_calls() -> Iterator[Mistake]:
    yield mistake(
        "a base point in the plane",
        lambda: sv.parallel.tetrahedron_apex([0.0, 0], [1.0, 0, 0], [0.0, 1, 0], [1.0, 1, 1]),
        ShapeError,
        "tetrahedron_apex",
        "P",
    )
    yield mistake(
        "batches of points and lengths",
        lambda: sv.parallel.tetrahedron_apex(np.zeros((2, 3)), [1.0, 0, 0], [0.0, 1, 0], np.ones((3, 3))),
        ShapeError,
        "tetrahedron_apex",
    )
    yield mistake(
        "a radius of eight legs",
        lambda: sv.parallel.singularity_free_radius(EIGHT, HOME, 0.3),
        DegenerateError,
        "singularity_free_radius",
    )
    yield mistake("rows of unlike length", lambda: delta().inverse_position([[0, 0, 0], [1]]), ShapeError, "X")
    yield mistake(
        "no finite pose", lambda: ROBOT.singularity(np.full((4, 4), np.nan)), ArgumentError, "singularity", "X"
    )
    yield mistake("word for a pose", lambda: ROBOT.inverse_position("a"), DtypeError, "inverse_position", "X", "a")
    yield mistake("word for positions", lambda: ROBOT.assembly_modes("abc"), DtypeError, "q")
    yield mistake("complex positions", lambda: ROBOT.assembly_modes(Q + 1j), DtypeError, "q")
    yield mistake("complex pose", lambda: ROBOT.inverse_position(HOME + 0j), DtypeError, "inverse_position", "X")
    yield mistake(
        "complex position", lambda: delta().inverse_position(np.zeros(3) + 0j), DtypeError, "inverse_position", "X"
    )
    yield mistake("two stiffnesses", lambda: ROBOT.stiffness(HOME, [1, 2]), ShapeError, "stiffness", "k")
    yield mistake("word for a stiffness", lambda: ROBOT.stiffness(HOME, "a"), DtypeError, "stiffness", "k", "a")
    yield mistake("negative stiffness", lambda: ROBOT.stiffness(HOME, -1.0), ArgumentError, "stiffness", "k")
    yield mistake("word for a quality", lambda: quality(ROBOT, HOME, "a"), DtypeError, "stiffness", "a")
    yield mistake("word for a box", lambda: workspace(ROBOT, "a"), DtypeError, "box", "a")
    yield mistake("no points", lambda: workspace(ROBOT, BOX, count=0), ArgumentError, "count")
    yield mistake("word for a rotation", lambda: workspace(ROBOT, BOX, "a"), DtypeError, "orientations", "a")
    yield mistake("flat rotations", lambda: workspace(ROBOT, BOX, np.ones(9)), ShapeError, "orientations")
    yield mistake(
        "half an iteration",
        lambda: ROBOT.forward_position(Q, HOME, iterations=1.5),
        ArgumentError,
        "forward_position",
        "iterations",
    )
    yield mistake(
        "word for a tolerance",
        lambda: ROBOT.singularity(HOME, tolerance="a"),
        DtypeError,
        "singularity",
        "tolerance",
        "a",
    )
    yield mistake("word for a branch", lambda: hexa().inverse_position(HOME, branch="a"), DtypeError, "branch", "a")
    yield mistake(
        "words for limits", lambda: hexapod(7).inverse_force(HOME, np.ones(6), limits=("a", 1)), DtypeError, "smallest"
    )
    yield mistake(
        "word for an inertia", lambda: ROBOT.dynamics((BODY, BODY), "a"), ArgumentError, "platform_inertia", "a"
    )
    yield mistake("word for gravity", lambda: ROBOT.dynamics((BODY, BODY), BODY, gravity="abc"), DtypeError, "gravity")
    yield mistake(
        "homes of a batch", lambda: ROBOT.dynamics((BODY, BODY), BODY, np.stack([HOME, HOME])), ShapeError, "X0"
    )
    yield mistake(
        "a home out of reach", lambda: delta().dynamics((BODY, BODY), BODY, [2.0, 0.0, 0.0]), ArgumentError, "X0"
    )
    yield mistake("no home", lambda: Delta(2.0, 0.05, 0.25, 0.6).dynamics((BODY, BODY), BODY), ArgumentError, "pose")
    yield mistake(
        "forces of a batch", lambda: ROBOT.internal_forces(np.stack([HOME, HOME])), ShapeError, "internal_forces", "X"
    )
    yield mistake(
        "reports of a batch", lambda: ROBOT.singularity(np.stack([HOME, HOME])), ShapeError, "singularity", "X"
    )
    yield mistake("four branches", lambda: hexa().inverse_position(HOME, branch=[0, 1, 0, 1]), ShapeError, "branch")
    yield mistake(
        "a box upside down",
        lambda: sv.parallel.singularity_free_path(rpr(), [1, 1, 0], [1, 1, 0.1], [(0, 1), (1, 0)]),
        ArgumentError,
        "box",
    )
    yield mistake(
        "a box of lists",
        lambda: sv.parallel.singularity_free_path(rpr(), [1, 1, 0], [1, 1, 0.1], [(0, 1)]),
        ArgumentError,
        "box",
    )
    yield mistake("a mirror in a plane", lambda: sv.parallel.mirrored(rpr(), [1, 1, 0]), ArgumentError, "mirrored")
    yield mistake("a mirror of cranks", lambda: sv.parallel.mirrored(hexa(), np.eye(4)), ArgumentError, "mirrored")
    yield mistake(
        "convex with sliders", lambda: sv.parallel.is_convex(hexaglide(), np.eye(4)), ArgumentError, "is_convex"
    )
    yield mistake("convex in a plane", lambda: sv.parallel.is_convex(rpr(), [1, 1, 0]), ArgumentError, "is_convex")
    yield mistake("reach in a plane", lambda: sv.parallel.reach(rpr(), [1, 1, 0]), ArgumentError, "reach")
    yield mistake(
        "a radius in a plane",
        lambda: sv.parallel.singularity_free_radius(rpr(), [1, 1, 0], 0.3),
        ArgumentError,
        "singularity_free_radius",
    )
    yield mistake(
        "a path in space",
        lambda: sv.parallel.singularity_free_path(ROBOT, HOME, HOME, [(0, 1), (0, 1)]),
        ArgumentError,
        "singularity_free_path",
    )
    yield mistake("rows of the plane", lambda: rpr().inverse_position([1.0, 1.0]), ShapeError, "inverse_position", "X")
    yield mistake("one row of positions", lambda: sv.parallel.track(ROBOT, Q, HOME), ShapeError, "track", "q")
    yield mistake("no row of positions", lambda: sv.parallel.track(ROBOT, Q[None][:0], HOME), ShapeError, "track", "q")
    yield mistake(
        "a way of eight legs", lambda: sv.parallel.track(EIGHT, np.ones((2, 8)), HOME), DegenerateError, "track"
    )
    yield mistake("poses of one sample", lambda: sv.parallel.calibrated(ROBOT, HOME, Q), ShapeError, "calibrated", "X")
    yield mistake(
        "more poses than readings",
        lambda: sv.parallel.calibrated(ROBOT, np.stack([HOME] * 3), np.stack([Q] * 2)),
        ShapeError,
        "calibrated",
        "q",
    )
    yield mistake(
        "a reading that was lost",
        lambda: sv.parallel.calibrated(ROBOT, np.stack([HOME] * 8), np.stack([Q] * 7 + [Q * np.nan])),
        ArgumentError,
        "calibrated",
        "q",
    )
    yield mistake(
        "readings of cranks",
        lambda: sv.parallel.calibrated(hexa(), np.stack([HOME] * 8), np.stack([Q] * 8)),
        ArgumentError,
        "calibrated",
    )
    yield mistake("no film", lambda: rpr().play(np.full((2, 3), np.nan), 0.1), ArgumentError, "play")
    yield mistake("a film beyond reach", lambda: delta().play([[0, 0, -0.5], [0, 0, -5.0]], 0.1), ArgumentError, "play")
    yield mistake("a film of films", lambda: rpr().play(np.ones((2, 2, 3)), 0.1), ShapeError, "play")
    yield mistake("five joints", lambda: sv.parallel.partial_wrenches(np.eye(5)), ShapeError, "J")
    yield mistake(
        "a singular leg",
        lambda: sv.parallel.partial_wrenches(np.eye(6) * (1, 1, 0, 1, 1, 1)),
        DegenerateError,
        "singular",
    )
    yield mistake(
        "internal_forces: out of reach",
        lambda: DELTA.internal_forces([0.0, 0.0, -5.0]),
        DegenerateError,
        "internal_forces",
    )
    yield mistake("track: starts", lambda: track(DELTA, np.zeros((2, 3)), [LOW, LOW]), ShapeError, "track", "X0")
    yield mistake(
        "dynamics: gravity",
        lambda: DELTA.dynamics((BODY, BODY), BODY, LOW, gravity=[[0.0, 0.0, -9.8]]),
        ShapeError,
        "gravity",
    )
    yield mistake(
        "angular_velocity_from_points: velocities",
        lambda: angular_velocity_from_points(POINTS, np.zeros((5, 3))),
        ShapeError,
        "velocities",
    )
    yield mistake(
        "angular_velocity_from_points: points",
        lambda: angular_velocity_from_points([POINTS] * 2, np.zeros((3, 4, 3))),
        ShapeError,
        "angular_velocity_from_points",
        "points",
    )
