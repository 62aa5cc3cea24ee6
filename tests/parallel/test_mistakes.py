"""Arguments of parallel robots that make no sense: refused with the argument's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from parallel_robots import HOME, delta, hexa, hexapod

import sixvec as sv
from sixvec.errors import ArgumentError, DegenerateError, DtypeError, ShapeError, SixvecError
from sixvec.linear.rigid_poses import ROTATION_DEVIATION
from sixvec.parallel import PUS, UPS, Delta, ParallelRobot, quality, workspace
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
    "negative stiffness": (lambda: ROBOT.stiffness(HOME, -1.0), ArgumentError, "k is -1.0; a stiffness"),
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
    with pytest.raises(ShapeError, match=r"base of a UPS leg has shape \(2,\); give three coordinates"):
        UPS(base=[0.0, 0.0], platform=Vec3.zero())  # type: ignore[arg-type]
    with pytest.raises(DtypeError, match="rod of a PUS leg must be one real number, not 'long'"):
        PUS(origin=Vec3.zero(), axis=Vec3(1.0, 0.0, 0.0), rod="long", platform=Vec3.zero())  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="needs legs, a list of UPS, RUS or PUS, not None"):
        ParallelRobot(None)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=r"angles has shape \(\); a Delta has three arms, at angles \(3,\)"):
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
