"""Arguments of parallel robots that make no sense: refused with the argument's name."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from parallel_robots import HOME, arm_321, delta, hexa, hexaglide, hexapod, rpr

import sixvec as sv
from naming import named
from sixvec.arguments.rigid_poses import ROTATION_DEVIATION
from sixvec.errors import ArgumentError, DegenerateError, DtypeError, ShapeError, SixvecError
from sixvec.parallel import (
    PUS,
    UPS,
    Delta,
    Parallel321,
    ParallelCalibration,
    ParallelRobot,
    Planar3RPR,
    StewartGough,
    quality,
    workspace,
)
from sixvec.spatial import RigidInertia, Sym3, Vec3

ROBOT = hexapod()
Q = ROBOT.inverse_position(HOME)
BODY = RigidInertia.from_center_of_mass(1.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.1, 0.1, 0.1))
BOX = [(-1, 1)] * 3


class Wire(UPS):
    """A leg of the user's own, whose code the names of compiled programs would not contain."""


EIGHT = ParallelRobot(
    [*ROBOT.legs, *(UPS(base=ROBOT.legs[k].base, platform=ROBOT.legs[k + 2].platform) for k in (0, 1))]
)

MISTAKES: dict[str, tuple[Callable[[], Any], type[SixvecError], str]] = {
    "a base point in the plane": (
        lambda: sv.parallel.tetrahedron_apex([0.0, 0], [1.0, 0, 0], [0.0, 1, 0], [1.0, 1, 1]),
        ShapeError,
        named("tetrahedron_apex", "P"),
    ),
    "batches of points and lengths": (
        lambda: sv.parallel.tetrahedron_apex(np.zeros((2, 3)), [1.0, 0, 0], [0.0, 1, 0], np.ones((3, 3))),
        ShapeError,
        "tetrahedron_apex",
    ),
    "a radius of eight legs": (
        lambda: sv.parallel.singularity_free_radius(EIGHT, HOME, 0.3),
        DegenerateError,
        "singularity_free_radius",
    ),
    "rows of unlike length": (lambda: delta().inverse_position([[0, 0, 0], [1]]), ShapeError, named("X")),
    "no finite pose": (lambda: ROBOT.singularity(np.full((4, 4), np.nan)), ArgumentError, named("singularity", "X")),
    "another leg": (lambda: ParallelRobot([Wire(base=Vec3.zero(), platform=Vec3.zero())]), ArgumentError, "legs"),
    "word for a pose": (lambda: ROBOT.inverse_position("a"), DtypeError, named("inverse_position", "X", "a")),
    "word for positions": (lambda: ROBOT.assembly_modes("abc"), DtypeError, named("q")),
    "complex positions": (lambda: ROBOT.assembly_modes(Q + 1j), DtypeError, named("q")),
    "complex pose": (lambda: ROBOT.inverse_position(HOME + 0j), DtypeError, named("inverse_position", "X")),
    "complex position": (
        lambda: delta().inverse_position(np.zeros(3) + 0j),
        DtypeError,
        named("inverse_position", "X"),
    ),
    "two stiffnesses": (lambda: ROBOT.stiffness(HOME, [1, 2]), ShapeError, named("stiffness", "k")),
    "word for a stiffness": (lambda: ROBOT.stiffness(HOME, "a"), DtypeError, named("stiffness", "k", "a")),
    "negative stiffness": (lambda: ROBOT.stiffness(HOME, -1.0), ArgumentError, named("stiffness", "k")),
    "word for a quality": (lambda: quality(ROBOT, HOME, "a"), DtypeError, named("stiffness", "a")),
    "word for a box": (lambda: workspace(ROBOT, "a"), DtypeError, named("box", "a")),
    "no points": (lambda: workspace(ROBOT, BOX, count=0), ArgumentError, "count"),
    "word for a rotation": (lambda: workspace(ROBOT, BOX, "a"), DtypeError, named("orientations", "a")),
    "flat rotations": (lambda: workspace(ROBOT, BOX, np.ones(9)), ShapeError, "orientations"),
    "half an iteration": (
        lambda: ROBOT.forward_position(Q, HOME, iterations=1.5),
        ArgumentError,
        named("forward_position", "iterations"),
    ),  # type: ignore[arg-type]
    "word for a tolerance": (
        lambda: ROBOT.singularity(HOME, tolerance="a"),
        DtypeError,
        named("singularity", "tolerance", "a"),
    ),  # type: ignore[arg-type]
    "word for a branch": (lambda: hexa().inverse_position(HOME, branch="a"), DtypeError, named("branch", "a")),
    "words for limits": (lambda: hexapod(7).inverse_force(HOME, np.ones(6), limits=("a", 1)), DtypeError, "smallest"),
    "word for an inertia": (lambda: ROBOT.dynamics((BODY, BODY), "a"), ArgumentError, named("platform_inertia", "a")),
    "word for gravity": (lambda: ROBOT.dynamics((BODY, BODY), BODY, gravity="abc"), DtypeError, "gravity"),
    "no legs": (lambda: ParallelRobot([]), ArgumentError, "leg"),
    "five pivots of a 321": (lambda: Parallel321(np.ones((5, 3)), np.ones((3, 3))), ShapeError, named("base", "5")),
    "two points of a 321": (lambda: Parallel321(np.ones((6, 3)), np.ones((2, 3))), ShapeError, named("platform", "2")),
    "flat pivots": (
        lambda: StewartGough(np.ones((6, 2)), np.ones((6, 3))),
        ShapeError,
        "base",
    ),
    "no pivots": (lambda: StewartGough(np.ones((0, 3)), np.ones((0, 3))), ShapeError, "base"),
    "four legs in a plane": (lambda: Planar3RPR(np.ones((4, 2)), np.ones((3, 2))), ShapeError, "base"),
    "a pivot that is lost": (
        lambda: StewartGough(np.ones((6, 3)), [[0, 0, 0]] * 4 + [[0, np.nan, 0], [0, 0, 0]]),
        ArgumentError,
        named("platform[4]"),
    ),
    "four offsets": (
        lambda: StewartGough(np.ones((6, 3)), np.ones((6, 3)), offsets=np.ones(4)),
        ShapeError,
        "offsets",
    ),
    "homes of a batch": (
        lambda: ROBOT.dynamics((BODY, BODY), BODY, np.stack([HOME, HOME])),
        ShapeError,
        named("X0"),
    ),
    "a home out of reach": (
        lambda: delta().dynamics((BODY, BODY), BODY, [2.0, 0.0, 0.0]),
        ArgumentError,
        named("X0"),
    ),
    "no home": (
        lambda: Delta(2.0, 0.05, 0.25, 0.6).dynamics((BODY, BODY), BODY),
        ArgumentError,
        "pose",
    ),
    "forces of a batch": (
        lambda: ROBOT.internal_forces(np.stack([HOME, HOME])),
        ShapeError,
        named("internal_forces", "X"),
    ),
    "reports of a batch": (
        lambda: ROBOT.singularity(np.stack([HOME, HOME])),
        ShapeError,
        named("singularity", "X"),
    ),
    "four branches": (
        lambda: hexa().inverse_position(HOME, branch=[0, 1, 0, 1]),
        ShapeError,
        "branch",
    ),
    "a box upside down": (
        lambda: sv.parallel.singularity_free_path(rpr(), [1, 1, 0], [1, 1, 0.1], [(0, 1), (1, 0)]),
        ArgumentError,
        "box",
    ),
    "a box of lists": (
        lambda: sv.parallel.singularity_free_path(rpr(), [1, 1, 0], [1, 1, 0.1], [(0, 1)]),
        ArgumentError,
        "box",
    ),
    "a mirror in a plane": (
        lambda: sv.parallel.mirrored(rpr(), [1, 1, 0]),
        ArgumentError,
        "mirrored",
    ),
    "a mirror of cranks": (
        lambda: sv.parallel.mirrored(hexa(), np.eye(4)),
        ArgumentError,
        "mirrored",
    ),
    "convex with sliders": (
        lambda: sv.parallel.is_convex(hexaglide(), np.eye(4)),
        ArgumentError,
        "is_convex",
    ),
    "convex in a plane": (
        lambda: sv.parallel.is_convex(rpr(), [1, 1, 0]),
        ArgumentError,
        "is_convex",
    ),
    "reach in a plane": (lambda: sv.parallel.reach(rpr(), [1, 1, 0]), ArgumentError, "reach"),
    "a radius in a plane": (
        lambda: sv.parallel.singularity_free_radius(rpr(), [1, 1, 0], 0.3),
        ArgumentError,
        "singularity_free_radius",
    ),
    "a path in space": (
        lambda: sv.parallel.singularity_free_path(ROBOT, HOME, HOME, [(0, 1), (0, 1)]),
        ArgumentError,
        "singularity_free_path",
    ),
    "rows of the plane": (
        lambda: rpr().inverse_position([1.0, 1.0]),
        ShapeError,
        named("inverse_position", "X"),
    ),
    "one row of positions": (
        lambda: sv.parallel.track(ROBOT, Q, HOME),
        ShapeError,
        named("track", "q"),
    ),
    "no row of positions": (
        lambda: sv.parallel.track(ROBOT, Q[None][:0], HOME),
        ShapeError,
        named("track", "q"),
    ),
    "a way of eight legs": (
        lambda: sv.parallel.track(EIGHT, np.ones((2, 8)), HOME),
        DegenerateError,
        "track",
    ),
    "poses of one sample": (
        lambda: sv.parallel.calibrated(ROBOT, HOME, Q),
        ShapeError,
        named("calibrated", "X"),
    ),
    "more poses than readings": (
        lambda: sv.parallel.calibrated(ROBOT, np.stack([HOME] * 3), np.stack([Q] * 2)),
        ShapeError,
        named("calibrated", "q"),
    ),
    "a reading that was lost": (
        lambda: sv.parallel.calibrated(ROBOT, np.stack([HOME] * 8), np.stack([Q] * 7 + [Q * np.nan])),
        ArgumentError,
        named("calibrated", "q"),
    ),
    "readings of cranks": (
        lambda: sv.parallel.calibrated(hexa(), np.stack([HOME] * 8), np.stack([Q] * 8)),
        ArgumentError,
        "calibrated",
    ),
    "no film": (lambda: rpr().play(np.full((2, 3), np.nan), 0.1), ArgumentError, "play"),
    "a film beyond reach": (
        lambda: delta().play([[0, 0, -0.5], [0, 0, -5.0]], 0.1),
        ArgumentError,
        "play",
    ),
    "a film of films": (lambda: rpr().play(np.ones((2, 2, 3)), 0.1), ShapeError, "play"),
    "five joints": (lambda: sv.parallel.partial_wrenches(np.eye(5)), ShapeError, named("J")),
    "a singular leg": (
        lambda: sv.parallel.partial_wrenches(np.eye(6) * (1, 1, 0, 1, 1, 1)),
        DegenerateError,
        "singular",
    ),
    "negative radius": (lambda: Delta(-0.2, 0.05, 0.25, 0.6), ArgumentError, "base_radius"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_refused_by_name(name: str) -> None:
    call, kind, message = MISTAKES[name]
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("where", ["rotation", "last row", "mirror"])
def test_poses_are_refused_exactly_where_they_are_not_rigid(where: str) -> None:
    """However small the deviation, whatever is in the rest of the batch, in every call that takes poses."""
    rng = np.random.default_rng(0)
    for size in (1e-8, 3e-7, 1e-6, 1.9e-6, 2.1e-6, 1e-5):
        X = np.tile(HOME, (20, 1, 1))
        if where == "rotation":
            change = rng.uniform(-1.0, 1.0, size=(3, 3))
            change = change + change.T
            X[7, :3, :3] += size * change / np.abs(2.0 * change).max()
            bad = np.abs(X[7, :3, :3].T @ X[7, :3, :3] - np.eye(3)).max() > ROTATION_DEVIATION
        elif where == "last row":
            X[7, 3, rng.integers(4)] += size
            bad = size > ROTATION_DEVIATION
        else:
            X[7, :3, 0] *= -1.0
            bad = True
        X[3] = np.nan
        q = np.tile(Q, (20, 1))
        for call in (ROBOT.inverse_position, ROBOT.wrench_basis, lambda x: ROBOT.forward_position(q, x)):  # noqa: B023
            if bad:
                with pytest.raises(ArgumentError):
                    call(X)
            else:
                call(X)
        assert bad or (np.isfinite(ROBOT.inverse_position(X)).all(axis=-1) == (np.arange(20) != 3)).all()


def test_a_delta_refuses_turned_platforms_and_no_others() -> None:
    robot, X = delta(), np.tile(np.eye(4), (20, 1, 1))
    X[:, 2, 3], X[3, 0, 1] = -0.5, np.nan
    X[5, 0, 1] = 1.9e-6
    X[5, 3, 3] += 1.9e-6
    assert (np.isfinite(robot.inverse_position(X).q).all(axis=-1) == (np.arange(20) != 3)).all()
    X[7, 0, 1], X[7, 1, 0] = 1e-3, -1e-3
    for call in (robot.inverse_position, robot.wrench_basis, lambda x: robot.forward_position(np.zeros(3), x)):
        with pytest.raises(ArgumentError):
            call(X)


def test_one_number_that_is_not_finite_spoils_its_pose_alone() -> None:
    X = np.stack([HOME, HOME])
    X[0, 3, 3] = np.nan
    answers = ROBOT.inverse_position(X), ROBOT.inverse_velocity(X, np.ones(6)), ROBOT.forward_force(X, np.ones(6))
    for answer in answers:
        assert np.isnan(answer[0]).all() and np.isfinite(answer[1]).all()
    assert np.isnan(quality(ROBOT, X).dexterity[0]) and quality(ROBOT, X).dexterity[1] > 0.0


def test_no_poses_have_no_wrenches() -> None:
    assert ROBOT.wrench_basis(np.zeros((0, 4, 4))).shape == (0, 6, 6)


def test_branches_are_choices_for_arrays_of_every_library() -> None:
    jnp = pytest.importorskip("jax.numpy")
    x, robot = jnp.array([0.05, 0.02, -0.5]), delta()
    mode = robot.inverse_position(x)
    assert robot.branch(x, mode.q).tolist() == mode.branch.tolist()
    speeds = robot.inverse_velocity(x, jnp.ones(3), branch=mode.branch)
    assert np.allclose(speeds, robot.inverse_velocity(np.asarray(x, float), np.ones(3), branch=mode.branch), rtol=1e-5)


def test_legs_take_coordinates_and_name_what_is_none() -> None:
    leg = UPS(base=[0.0, 0.0, -1.0], platform=np.zeros(3))  # type: ignore[arg-type]
    assert leg == UPS(base=Vec3(0.0, 0.0, -1.0), platform=Vec3.zero()) and ParallelRobot([leg]).n == 1
    with pytest.raises(ShapeError, match="base"):
        UPS(base=[0.0, 0.0], platform=Vec3.zero())  # type: ignore[arg-type]
    with pytest.raises(DtypeError, match=named("rod", "long")):
        PUS(origin=Vec3.zero(), axis=Vec3(1.0, 0.0, 0.0), rod="long", platform=Vec3.zero())  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=named("UPS", "RUS", "PUS", "None")):
        ParallelRobot(None)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="angles"):
        Delta(0.2, 0.05, 0.25, 0.6, angles=3)


def test_kernels_of_a_delta_take_matrices_if_asked_to() -> None:
    delta = Delta(0.2, 0.05, 0.25, 0.6)
    X = delta.forward_position([0.1, 0.2, 0.3]).pose
    for name, more in (("wrench_basis", ()), ("newton_step", ([0.1, 0.2, 0.35],))):
        usual = [] if name == "newton_step" else [np.ones(3)]
        with_matrix = delta.kernel(name, matrices=True)(X, *more, *usual)
        with_point = delta.kernel(name)(X[:3, 3], *more, *usual)
        assert np.array_equal(with_matrix[0][..., :3, 3] if more else with_matrix[0], with_point[0]), name


def test_words_of_answers() -> None:
    assert repr(hexa()) == "<Hexa 6-6: 6 legs RUS>" and repr(arm_321()) == "<Parallel321 321: 6 legs UPS>"
    mode = delta().inverse_position([[0.0, 0.0, -0.5], [0.0, 0.0, -5.0]])
    assert repr(mode) == "<WorkingMode q (2, 3), 1 of 2 reached>" and mode.leg.tolist() == [-1, 0]
    legs = pickle.loads(pickle.dumps(ROBOT.legs))
    assert legs == ROBOT.legs and type(legs) is type(ROBOT.legs) and hash(legs) == hash(ROBOT.legs)
    deviation, verdict = np.zeros((2, 7)), np.zeros(2, np.int8)
    found = ParallelCalibration(ROBOT, np.array([1e-3, 2.5e-3]), np.array([7, 5]), deviation, verdict)
    assert repr(found) == "<ParallelCalibration: 12 of 14 parameters identified, residual 0.0025 m>"
    assert not found.identified
