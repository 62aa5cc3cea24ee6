"""Arguments of parallel robots that make no sense: refused with the argument's name."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from parallel_robots import HOME, arm_321, delta, hexa, hexaglide, hexapod, rpr

import sixvec as sv
from sixvec.border.rigid_poses import ROTATION_DEVIATION
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
        "tetrahedron_apex: P has shape",
    ),
    "batches of points and lengths": (
        lambda: sv.parallel.tetrahedron_apex(np.zeros((2, 3)), [1.0, 0, 0], [0.0, 1, 0], np.ones((3, 3))),
        ShapeError,
        "tetrahedron_apex: the batch shapes do not broadcast",
    ),
    "a radius of eight legs": (
        lambda: sv.parallel.singularity_free_radius(EIGHT, HOME, 0.3),
        DegenerateError,
        "exactly 6 legs, not 8",
    ),
    "rows of unlike length": (lambda: delta().inverse_position([[0, 0, 0], [1]]), ShapeError, "differ in length"),
    "no finite pose": (lambda: ROBOT.singularity(np.full((4, 4), np.nan)), ArgumentError, "X is not finite"),
    "another leg": (lambda: ParallelRobot([Wire(base=Vec3.zero(), platform=Vec3.zero())]), ArgumentError, "leg 0 is"),
    "word for a pose": (lambda: ROBOT.inverse_position("a"), DtypeError, "inverse_position: X must hold real"),
    "word for positions": (lambda: ROBOT.assembly_modes("abc"), DtypeError, "q must hold real"),
    "complex positions": (lambda: ROBOT.assembly_modes(Q + 1j), DtypeError, "q must hold real numbers, not complex"),
    "complex pose": (lambda: ROBOT.inverse_position(HOME + 0j), DtypeError, "X must hold real numbers, not complex"),
    "complex position": (lambda: delta().inverse_position(np.zeros(3) + 0j), DtypeError, "not complex"),
    "two stiffnesses": (lambda: ROBOT.stiffness(HOME, [1, 2]), ShapeError, "one for each of 6 legs"),
    "word for a stiffness": (lambda: ROBOT.stiffness(HOME, "a"), DtypeError, "stiffness: k must hold real"),
    "negative stiffness": (lambda: ROBOT.stiffness(HOME, -1.0), ArgumentError, "k is -1.0; it must be finite"),
    "word for a quality": (lambda: quality(ROBOT, HOME, "a"), DtypeError, "stiffness must hold real"),
    "word for a box": (lambda: workspace(ROBOT, "a"), DtypeError, "box must hold real"),
    "no points": (lambda: workspace(ROBOT, BOX, count=0), ArgumentError, "count must be a whole number from 1, not 0"),
    "word for a rotation": (lambda: workspace(ROBOT, BOX, "a"), DtypeError, "orientations must hold real"),
    "flat rotations": (lambda: workspace(ROBOT, BOX, np.ones(9)), ShapeError, r"orientations has shape \(9,\)"),
    "half an iteration": (lambda: ROBOT.forward_position(Q, HOME, iterations=1.5), ArgumentError, "not 1.5"),  # type: ignore[arg-type]
    "word for a tolerance": (lambda: ROBOT.singularity(HOME, tolerance="a"), DtypeError, "tolerance must be one"),  # type: ignore[arg-type]
    "word for a branch": (lambda: hexa().inverse_position(HOME, branch="a"), DtypeError, "branch must hold real"),
    "words for limits": (lambda: hexapod(7).inverse_force(HOME, np.ones(6), limits=("a", 1)), DtypeError, "smallest"),
    "word for an inertia": (lambda: ROBOT.dynamics((BODY, BODY), "a"), ArgumentError, "platform_inertia is 'a'"),
    "word for gravity": (lambda: ROBOT.dynamics((BODY, BODY), BODY, gravity="abc"), DtypeError, "gravity must hold"),
    "no legs": (lambda: ParallelRobot([]), ArgumentError, "at least one leg"),
    "five pivots of a 321": (lambda: Parallel321(np.ones((5, 3)), np.ones((3, 3))), ShapeError, "not 5 and 3"),
    "two points of a 321": (lambda: Parallel321(np.ones((6, 3)), np.ones((2, 3))), ShapeError, "not 6 and 2"),
    "flat pivots": (
        lambda: StewartGough(np.ones((6, 2)), np.ones((6, 3))),
        ShapeError,
        r"base has shape \(6, 2\); give a",
    ),
    "no pivots": (lambda: StewartGough(np.ones((0, 3)), np.ones((0, 3))), ShapeError, r"base has shape \(0, 3\)"),
    "four legs in a plane": (lambda: Planar3RPR(np.ones((4, 2)), np.ones((3, 2))), ShapeError, "three legs"),
    "a pivot that is lost": (
        lambda: StewartGough(np.ones((6, 3)), [[0, 0, 0]] * 4 + [[0, np.nan, 0], [0, 0, 0]]),
        ArgumentError,
        r"platform\[4\] is not finite",
    ),
    "four offsets": (
        lambda: StewartGough(np.ones((6, 3)), np.ones((6, 3)), offsets=np.ones(4)),
        ShapeError,
        r"offsets has shape \(4,\); give one number, or one for each of 6 legs",
    ),
    "homes of a batch": (
        lambda: ROBOT.dynamics((BODY, BODY), BODY, np.stack([HOME, HOME])),
        ShapeError,
        r"X0 has shape \(2, 4, 4\), but \(4, 4\) is needed: one pose",
    ),
    "a home out of reach": (
        lambda: delta().dynamics((BODY, BODY), BODY, [2.0, 0.0, 0.0]),
        ArgumentError,
        "leg 0 cannot reach its pivot at X0",
    ),
    "no home": (
        lambda: Delta(2.0, 0.05, 0.25, 0.6).dynamics((BODY, BODY), BODY),
        ArgumentError,
        "no pose straight above or below",
    ),
    "forces of a batch": (
        lambda: ROBOT.internal_forces(np.stack([HOME, HOME])),
        ShapeError,
        r"internal_forces is for one pose; X has shape \(2, 4, 4\)",
    ),
    "reports of a batch": (
        lambda: ROBOT.singularity(np.stack([HOME, HOME])),
        ShapeError,
        r"singularity: X has shape \(2, 4, 4\), but \(4, 4\) is needed: one pose",
    ),
    "four branches": (
        lambda: hexa().inverse_position(HOME, branch=[0, 1, 0, 1]),
        ShapeError,
        r"branch has shape \(4,\), but \(\.\.\., 6\) is needed: 0 or 1 for each leg",
    ),
    "a box upside down": (
        lambda: sv.parallel.singularity_free_path(rpr(), [1, 1, 0], [1, 1, 0.1], [(0, 1), (1, 0)]),
        ArgumentError,
        "box is",
    ),
    "a box of lists": (
        lambda: sv.parallel.singularity_free_path(rpr(), [1, 1, 0], [1, 1, 0.1], [(0, 1)]),
        ArgumentError,
        "box is",
    ),
    "a mirror in a plane": (
        lambda: sv.parallel.mirrored(rpr(), [1, 1, 0]),
        ArgumentError,
        "mirrored is for platforms in",
    ),
    "a mirror of cranks": (
        lambda: sv.parallel.mirrored(hexa(), np.eye(4)),
        ArgumentError,
        "mirrored is for telescopic legs .UPS.; leg 0 is RUS",
    ),
    "convex with sliders": (
        lambda: sv.parallel.is_convex(hexaglide(), np.eye(4)),
        ArgumentError,
        "is_convex is for telescopic legs .UPS.; leg 0 is PUS",
    ),
    "convex in a plane": (
        lambda: sv.parallel.is_convex(rpr(), [1, 1, 0]),
        ArgumentError,
        "is_convex is for platforms in",
    ),
    "reach in a plane": (lambda: sv.parallel.reach(rpr(), [1, 1, 0]), ArgumentError, "reach is for platforms in space"),
    "a radius in a plane": (
        lambda: sv.parallel.singularity_free_radius(rpr(), [1, 1, 0], 0.3),
        ArgumentError,
        "singularity_free_radius is for platforms in space",
    ),
    "a path in space": (
        lambda: sv.parallel.singularity_free_path(ROBOT, HOME, HOME, [(0, 1), (0, 1)]),
        ArgumentError,
        "for planar platforms",
    ),
    "rows of the plane": (
        lambda: rpr().inverse_position([1.0, 1.0]),
        ShapeError,
        r"\(\.\.\., 3\) is needed: \(x, y",
    ),
    "one row of positions": (
        lambda: sv.parallel.track(ROBOT, Q, HOME),
        ShapeError,
        r"\(k ≥ 1, 6\) is needed",
    ),
    "no row of positions": (
        lambda: sv.parallel.track(ROBOT, Q[None][:0], HOME),
        ShapeError,
        r"\(k ≥ 1, 6\) is needed",
    ),
    "a way of eight legs": (
        lambda: sv.parallel.track(EIGHT, np.ones((2, 8)), HOME),
        DegenerateError,
        "track needs exactly 6 legs, not 8",
    ),
    "poses of one sample": (
        lambda: sv.parallel.calibrated(ROBOT, HOME, Q),
        ShapeError,
        r"calibrated: X has shape \(4, 4\), but \(k, 4, 4\) is needed",
    ),
    "more poses than readings": (
        lambda: sv.parallel.calibrated(ROBOT, np.stack([HOME] * 3), np.stack([Q] * 2)),
        ShapeError,
        r"calibrated: q has shape \(2, 6\), but \(3, 6\) is needed: readings of all legs at each pose",
    ),
    "a reading that was lost": (
        lambda: sv.parallel.calibrated(ROBOT, np.stack([HOME] * 8), np.stack([Q] * 7 + [Q * np.nan])),
        ArgumentError,
        r"calibrated: q is not finite at \[7, 0\]: nan; leave out what was not measured",
    ),
    "readings of cranks": (
        lambda: sv.parallel.calibrated(hexa(), np.stack([HOME] * 8), np.stack([Q] * 8)),
        ArgumentError,
        "telescopic legs in space",
    ),
    "no film": (lambda: rpr().play(np.full((2, 3), np.nan), 0.1), ArgumentError, "there is no pose to show"),
    "a film beyond reach": (
        lambda: delta().play([[0, 0, -0.5], [0, 0, -5.0]], 0.1),
        ArgumentError,
        "the legs do not reach pose 1",
    ),
    "a film of films": (lambda: rpr().play(np.ones((2, 2, 3)), 0.1), ShapeError, "one path of poses"),
    "five joints": (lambda: sv.parallel.partial_wrenches(np.eye(5)), ShapeError, r"J has shape \(5, 5\)"),
    "a singular leg": (
        lambda: sv.parallel.partial_wrenches(np.eye(6) * (1, 1, 0, 1, 1, 1)),
        DegenerateError,
        "singular",
    ),
    "negative radius": (lambda: Delta(-0.2, 0.05, 0.25, 0.6), ArgumentError, "base_radius is -0.2; it must not be"),
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
                with pytest.raises(ArgumentError, match=r"\[7\]"):
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
        with pytest.raises(ArgumentError, match=r"X0?\[7\] is turned"):
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
    with pytest.raises(ShapeError, match=r"base of a UPS leg has shape \(2,\), but \(3,\) is needed"):
        UPS(base=[0.0, 0.0], platform=Vec3.zero())  # type: ignore[arg-type]
    with pytest.raises(DtypeError, match="rod of a PUS leg must be one real number, not 'long'"):
        PUS(origin=Vec3.zero(), axis=Vec3(1.0, 0.0, 0.0), rod="long", platform=Vec3.zero())  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="needs legs, a list of UPS, RUS or PUS, not None"):
        ParallelRobot(None)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=r"angles has shape \(\), but \(3,\) is needed: a Delta has three arms"):
        Delta(0.2, 0.05, 0.25, 0.6, angles=3)


def test_kernels_of_a_delta_take_matrices_if_asked_to() -> None:
    delta = Delta(0.2, 0.05, 0.25, 0.6)
    X = delta.forward_position([0.1, 0.2, 0.3]).pose
    for name, more in (("wrench_basis", ()), ("newton_step", ([0.1, 0.2, 0.35],))):
        usual = [] if name == "newton_step" else [np.ones(3)]
        with_matrix = delta.kernel(name, matrices=True)(X, *more, *usual)
        with_point = delta.kernel(name)(X[:3, 3], *more, *usual)
        assert np.array_equal(with_matrix[0][..., :3, 3] if more else with_matrix[0], with_point[0]), name


@pytest.mark.parametrize("room", ["parallel", "mobile", "contacts", "grasps", "viz"])
def test_rooms_list_what_is_meant_for_users(room: str) -> None:
    module = getattr(sv, room)
    assert dir(module) == sorted(module.__all__)
    name = max(module.__all__, key=len)
    with pytest.raises(AttributeError, match=rf"module 'sixvec.{room}' has no attribute .*; did you mean .*{name}"):
        getattr(module, name[:-2] + name[-1])
    assert not hasattr(module, "__wrapped__")


def test_words_of_answers() -> None:
    assert repr(hexa()) == "<Hexa 6-6: 6 legs RUS>" and repr(arm_321()) == "<Parallel321 321: 6 legs UPS>"
    mode = delta().inverse_position([[0.0, 0.0, -0.5], [0.0, 0.0, -5.0]])
    assert repr(mode) == "<WorkingMode q (2, 3), 1 of 2 reached>" and mode.leg.tolist() == [-1, 0]
    legs = pickle.loads(pickle.dumps(ROBOT.legs))
    assert legs == ROBOT.legs and type(legs) is type(ROBOT.legs) and hash(legs) == hash(ROBOT.legs)
    found = ParallelCalibration(ROBOT, np.array([1e-3, 2.5e-3]), np.array([7, 5]), np.zeros((2, 7)))
    assert repr(found) == "<ParallelCalibration: 12 of 14 parameters identified, residual 0.0025 m>"
    assert not found.identified
