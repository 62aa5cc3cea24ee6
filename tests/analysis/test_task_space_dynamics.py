"""The front door of task space: several frames, chosen directions, and what happens at singularities."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from matrices import times, transpose
from naming import named
from random_states import random_states
from random_trees import random_tree
from sixvec import Robot
from sixvec.algorithms.parts.reference import REFERENCES
from sixvec.analysis import frames_inertia_inverse, task_space_dynamics
from sixvec.errors import ArgumentError, FrameNotFound
from sixvec.solve import spectral_inverse
from tolerances import SOLVED, assert_close, solved

PANDA, TOOL = sixvec.load("panda"), "panda_link8"
INVERTED = 1e-9
"""After inverting an inverse inertia whose condition number is up to 1e6."""
STRETCHED = np.zeros(7)
"""All axes of the arm in one plane: the tool cannot turn about, or move along, some direction."""


def states(n: int = 4) -> tuple[np.ndarray, ...]:
    return tuple(random_states(PANDA, n))


@pytest.mark.covers("DYN-26")
@pytest.mark.parametrize("reference", REFERENCES)
def test_task_dynamics_agree_with_the_kernels(reference: str) -> None:
    q, v, _, _ = states()
    task = task_space_dynamics(PANDA, q, v, TOOL, reference)
    assert (task.rank == 6).all()
    assert_close(task.inertia, PANDA.operational_space_inertia(q, TOOL, reference), INVERTED)
    assert_close(task.bias, PANDA.task_space_bias(q, v, TOOL, reference), INVERTED)
    assert_close(task.inverse, PANDA.dynamically_consistent_inverse(q, TOOL, reference), INVERTED)
    assert_close(task.null_space, PANDA.dynamically_consistent_null_space(q, TOOL, reference), INVERTED)


@pytest.mark.covers("DYN-26")
def test_position_alone_leaves_four_freedoms_for_the_posture() -> None:
    q, v, _, tau = states()
    wanted = np.random.default_rng(2).normal(size=(4, 3))
    task = task_space_dynamics(PANDA, q, v, TOOL, directions="position")
    a = PANDA.forward_dynamics(q, v, task.forces(wanted, secondary=tau))
    assert_close(PANDA.classical_acceleration(q, v, a, TOOL)[:, 3:], wanted, INVERTED)
    np.testing.assert_allclose(np.trace(task.null_space, axis1=1, axis2=2), 4.0, atol=1e-9)


@pytest.mark.covers("DYN-26", "OP-05")
def test_two_frames_accelerate_as_requested() -> None:
    """Both ends of a free-floating tree: 12 task rows, each frame's velocity changing as asked."""
    robot = Robot(random_tree(2, bodies=9, floating=True))
    q, v, _, _ = random_states(robot, 2)
    wanted = np.random.default_rng(3).normal(size=(2, 12))
    frames = [robot.model.bodies[0].name, "tool0"]
    task = task_space_dynamics(robot, q, v, frames, "local")
    a = robot.forward_dynamics(q, v, task.forces(wanted))
    found = np.concatenate([robot.acceleration(q, v, a, frame, "local") for frame in frames], axis=-1)
    reachable = times(task.jacobian @ task.inverse, wanted - found)
    assert np.abs(reachable).max() < 1e-8 * np.abs(a).max()
    assert (task.rank == np.linalg.matrix_rank(task.jacobian, rtol=1e-9)).all()


@pytest.mark.covers("DYN-26")
@pytest.mark.parametrize("reference", REFERENCES)
def test_laws_that_survive_a_singularity(reference: str) -> None:
    q = np.stack([STRETCHED, STRETCHED + np.array([0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.9])])
    v = np.random.default_rng(0).normal(size=(2, 7))
    task = task_space_dynamics(PANDA, q, v, TOOL, reference)
    J, M, Lambda, N = task.jacobian, PANDA.mass_matrix(q), task.inertia, task.null_space
    Omega = J @ np.linalg.solve(M, transpose(J))
    assert (task.rank < 6).all() and (task.rank == np.linalg.matrix_rank(J, rtol=1e-9)).all()
    size = np.abs(Lambda).max()
    assert np.isfinite(size) and size < 1e4
    assert_close(Lambda @ Omega @ Lambda, Lambda, INVERTED)
    assert_close(Omega @ Lambda @ Omega, Omega, INVERTED)
    assert_close(J @ N, np.zeros_like(J), INVERTED, scale=1.0)
    assert_close(N @ N, N, INVERTED)
    np.testing.assert_allclose(np.trace(N, axis1=1, axis2=2), 7 - task.rank, atol=1e-8)
    # An acceleration that the joints can give is given.
    wanted = times(J, np.random.default_rng(1).normal(size=(2, 7)))
    wanted += times(PANDA.jacobian_derivative(q, v, TOOL, reference), v)
    a = PANDA.forward_dynamics(q, v, task.forces(wanted))
    rate = times(J, a) + times(PANDA.jacobian_derivative(q, v, TOOL, reference), v)
    assert_close(rate, wanted, INVERTED)


@pytest.mark.covers("DYN-26")
def test_damping_is_bounded_and_continuous_through_a_singularity() -> None:
    arm = sixvec.load("planar_2r")
    bend = np.linspace(-0.02, 0.02, 41)
    q = np.stack([np.full_like(bend, 0.3), bend], axis=1)
    damped = task_space_dynamics(arm, q, np.zeros(2), "tip", directions="x z", singular="damped", damping=0.1)
    assert np.linalg.eigvalsh(damped.inertia).max() <= 100.0 * (1.0 + 1e-9)
    steps = np.abs(np.diff(damped.inertia, axis=0)).max()
    exact = task_space_dynamics(arm, q, np.zeros(2), "tip", directions="x z")
    assert exact.rank.tolist() == [2] * 20 + [1] + [2] * 20
    assert steps < 0.2 * np.abs(damped.inertia).max() < np.abs(np.diff(exact.inertia, axis=0)).max()


@pytest.mark.covers("DYN-26")
def test_fewer_joints_than_task_rows() -> None:
    arm = sixvec.load("planar_2r")
    q, v = [0.3, 0.8], [1.0, -1.0]
    task = task_space_dynamics(arm, q, v, "tip")
    assert int(task.rank) == 2 and task.singular_values.shape == (6,)
    drift = arm.jacobian_derivative(q, v, "tip") @ v
    tau = task.forces(task.jacobian @ [2.0, 3.0] + drift)
    np.testing.assert_allclose(arm.forward_dynamics(q, v, tau), [2.0, 3.0], rtol=1e-9)


@pytest.mark.covers("DYN-26")
def test_length_decides_what_counts_as_small_and_nothing_else() -> None:
    q, v, _, _ = states()
    metres, millimetres = (task_space_dynamics(PANDA, q, v, TOOL, length=x) for x in (1.0, 1e-3))
    assert_close(millimetres.inertia, metres.inertia, 1e-6)


@pytest.mark.every(3)
@pytest.mark.covers("OP-05")
@pytest.mark.parametrize(("seed", "reference"), [(1, "local"), (3, "world"), (3, "local_world_aligned")])
def test_block_form_for_several_frames(seed: int, reference: str) -> None:
    """Frames on one branch, on two, on bodies that only the world carries, and on the world itself."""
    robot = Robot(random_tree(seed, bodies=7))
    q = random_states(robot, 3).q
    frames = ["tool0", "tool1", robot.model.bodies[0].name, robot.model.bodies[3].name, "ground"]
    J = np.concatenate([robot.jacobian(q, frame, reference) for frame in frames], axis=1)
    M = robot.mass_matrix(q)
    Omega = frames_inertia_inverse(robot, q, frames, reference)
    np.testing.assert_array_equal(Omega, transpose(Omega))
    assert_close(Omega, J @ np.linalg.solve(M, transpose(J)), solved(SOLVED, M))


def test_a_sample_that_is_not_finite_spoils_only_itself() -> None:
    q, v, _, _ = states()
    q[1, 2] = np.nan
    task = task_space_dynamics(PANDA, q, v, TOOL)
    for value in (task.inertia, task.bias, task.inverse, task.null_space):
        broken = np.isnan(value).reshape(4, -1).any(axis=1)
        assert broken.tolist() == [False, True, False, False]


def test_mistakes_are_named() -> None:
    q, v, _, _ = states()
    for options, message in (
        ({"directions": "x w"}, named("w")), ({"directions": "x x"}, "twice"),
        ({"directions": ()}, "name"),
        ({"singular": "dampened"}, "damped"), ({"singular": "damped"}, "damping"),
        ({"tolerance": 2.0}, "tolerance"), ({"length": 0.0}, "length"), ({"reference": "body"}, "references:"),
    ):  # fmt: skip
        with pytest.raises(ArgumentError, match=message):
            task_space_dynamics(PANDA, q, v, TOOL, **options)
    with pytest.raises(FrameNotFound, match="panda_link8"):
        frames_inertia_inverse(PANDA, q, ["panda_link8", "nowhere"])
    with pytest.raises(ArgumentError, match="frames"):
        frames_inertia_inverse(PANDA, q, TOOL)
    with pytest.raises(ArgumentError, match="frame"):
        task_space_dynamics(PANDA, q, v, [])


def test_spectral_inverse_of_a_zero_matrix_has_rank_zero() -> None:
    found = spectral_inverse(np.zeros((2, 3)))
    assert int(found.rank) == 0 and not found.inverse.any()
