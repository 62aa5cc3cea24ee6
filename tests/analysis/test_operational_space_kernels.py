"""Ω, Λ, J̄, N and η of one frame: the O(n) recursions against J, M and a dense solve, and against each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from matrices import times, transpose
from random_states import random_states
from random_trees import random_tree
from sixvec import Robot
from sixvec.algorithms.parts.reference import REFERENCES
from sixvec.errors import ArgumentError, FrameNotFound
from sixvec.model import JointDynamics, Mimic
from sixvec.spatial import RigidInertia, Sym3, Vec3
from targets import OnTarget
from tolerances import SOLVED, assert_close, solved

SAMPLES = 5
INVERTED = 1e-9
"""After inverting an inverse inertia whose condition number is up to 1e6."""
RECURSIVE = ("operational_space_inertia_inverse", "wrench_response")


def on_interpreter(name: str) -> OnTarget:
    trees = {
        "tree": lambda: random_tree(1, bodies=10),
        "floating": lambda: random_tree(2, bodies=9, floating=True),
        "forest": lambda: random_tree(3, bodies=11),
        "small": lambda: random_tree(4, bodies=4),
    }
    return OnTarget(Robot(trees[name]()), "interpreter")


@pytest.mark.every(4)
@pytest.mark.covers("OP-05", "OP-06", "DYN-26")
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("name", ["tree", "floating", "forest", "small"])
def test_recursions_agree_with_the_dense_route(name: str, reference: str) -> None:
    robot = on_interpreter(name)
    q = random_states(robot, SAMPLES).q
    M = robot.mass_matrix(q)
    tolerance = solved(SOLVED, M)
    for frame in ("tool0", robot.model.bodies[0].name, "ground"):
        J = robot.jacobian(q, frame, reference)
        R = np.linalg.solve(M, transpose(J))
        Omega = J @ R
        size = np.abs(Omega).max(axis=(1, 2)) + 1.0
        found = robot.operational_space_inertia_inverse(q, frame, reference)
        np.testing.assert_array_equal(found, transpose(found))
        assert_close(found, Omega, tolerance, scale=size)
        assert_close(robot.wrench_response(q, frame, reference), R, tolerance, scale=size)


@pytest.mark.every(2)
@pytest.mark.covers("OP-05", "DYN-26", "Lynch-Park (9.98)")
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("name", ["panda", "floating"])
def test_inertia_inverse_and_null_space_where_the_jacobian_has_full_rank(name: str, reference: str) -> None:
    robot = OnTarget(sixvec.load("panda"), "interpreter") if name == "panda" else on_interpreter(name)
    frame = "panda_link8" if name == "panda" else "tool0"
    q = random_states(robot, SAMPLES).q
    M, J = robot.mass_matrix(q), robot.jacobian(q, frame, reference)
    Omega = J @ np.linalg.solve(M, transpose(J))
    tolerance = solved(SOLVED, M) * np.linalg.cond(Omega).max()
    Lambda = robot.operational_space_inertia(q, frame, reference)
    assert_close(Lambda, np.linalg.inv(Omega), tolerance)
    Jbar = robot.dynamically_consistent_inverse(q, frame, reference)
    assert_close(Jbar, np.linalg.solve(M, transpose(J)) @ np.linalg.inv(Omega), tolerance)
    N = robot.dynamically_consistent_null_space(q, frame, reference)
    scale = np.abs(Jbar).max() * np.abs(J).max()
    assert_close(J @ Jbar, np.broadcast_to(np.eye(6), (*J.shape[:1], 6, 6)), tolerance, scale=scale)
    assert_close(J @ N, np.zeros_like(J), tolerance, scale=scale)
    assert_close(N @ N, N, tolerance, scale=scale)
    assert_close(J @ np.linalg.solve(M, transpose(N)), np.zeros_like(J), tolerance, scale=scale * 100.0)
    np.testing.assert_allclose(np.trace(N, axis1=1, axis2=2), robot.nv - 6, rtol=0, atol=1e-6)


@pytest.mark.covers("DYN-26")
@pytest.mark.parametrize("reference", ["world", "local"])
def test_lynch_and_parks_form_for_six_joints(reference: str) -> None:
    """Λ = J⁻ᵀ M J⁻¹ and η = J⁻ᵀ (C v + g) - Λ J̇ J⁻¹ V, with V the twist; regular, square J."""
    robot = OnTarget(sixvec.load("ur5e"), "interpreter")
    frame = robot.frame_names[-1]
    q, v, _, _ = random_states(robot, SAMPLES)
    J = robot.jacobian(q, frame, reference)
    kept = np.linalg.cond(J) < 100.0
    q, v, J = q[kept], v[kept], J[kept]
    assert len(q) >= 2
    Ji = np.linalg.inv(J)
    Lambda = transpose(Ji) @ robot.mass_matrix(q) @ Ji
    V = robot.velocity(q, v, frame, reference)
    eta = times(transpose(Ji), robot.bias_forces(q, v))
    eta -= times(Lambda @ robot.jacobian_derivative(q, v, frame, reference) @ Ji, V)
    assert_close(robot.operational_space_inertia(q, frame, reference), Lambda, INVERTED)
    assert_close(robot.task_space_bias(q, v, frame, reference), eta, INVERTED)


@pytest.mark.covers("DYN-26")
@pytest.mark.parametrize("reference", REFERENCES)
def test_the_wrench_of_the_task_equation_gives_the_acceleration(reference: str) -> None:
    """F = Λ V̇ + η through Jᵀ: the velocity, in that reference, changes with V̇; by differences along the motion."""
    from differences import derivative

    robot, frame = OnTarget(sixvec.load("panda"), "interpreter"), "panda_link8"
    q, v, _, tau = random_states(robot, SAMPLES)
    wanted = np.random.default_rng(1).normal(size=(SAMPLES, 6))
    F = times(robot.operational_space_inertia(q, frame, reference), wanted)
    F += robot.task_space_bias(q, v, frame, reference)
    N = robot.dynamically_consistent_null_space(q, frame, reference)
    joint_forces = times(transpose(robot.jacobian(q, frame, reference)), F) + times(transpose(N), tau)
    a = robot.forward_dynamics(q, v, joint_forces)
    changed = derivative(lambda t: robot.velocity(q + t * v + 0.5 * t * t * a, v + t * a, frame, reference))
    assert_close(changed, wanted, 1e-7, scale=np.abs(a).max(axis=1))


@pytest.mark.covers("DYN-26")
def test_references_describe_the_same_inertia() -> None:
    """½ Vᵀ Λ V does not care for coordinates: Λ_local = Xᵀ Λ_world X, and N is one matrix."""
    robot, frame = OnTarget(sixvec.load("panda"), "interpreter"), "panda_link8"
    q, v, _, _ = random_states(robot, SAMPLES)
    energy = []
    for reference in REFERENCES:
        V = robot.velocity(q, v, frame, reference)
        energy.append(np.einsum("ni,nij,nj->n", V, robot.operational_space_inertia(q, frame, reference), V))
    N = [robot.dynamically_consistent_null_space(q, frame, reference) for reference in REFERENCES]
    for i in (1, 2):
        assert_close(energy[i], energy[0], INVERTED)
        assert_close(N[i], N[0], INVERTED)
    assert (energy[0] <= 2.0 * robot.kinetic_energy(q, v) * (1.0 + 1e-9)).all()


@pytest.mark.covers("DYN-26")
def test_the_inverse_needs_the_least_kinetic_energy() -> None:
    robot, frame = OnTarget(sixvec.load("panda"), "interpreter"), "panda_link8"
    q, v, _, _ = random_states(robot, SAMPLES)
    J = robot.jacobian(q, frame)
    best = times(robot.dynamically_consistent_inverse(q, frame), times(J, v))
    assert_close(times(J, best), times(J, v), INVERTED)
    assert (robot.kinetic_energy(q, best) <= robot.kinetic_energy(q, v)).all()
    cross = np.einsum("ni,nij,nj->n", best, robot.mass_matrix(q), v - best)
    assert np.abs(cross).max() < 1e-9 * robot.kinetic_energy(q, v).max()


@pytest.mark.covers("DYN-26")
def test_damping_defines_an_answer_for_every_robot() -> None:
    robot = OnTarget(sixvec.load("planar_2r"), "interpreter")
    q = np.array([[0.3, 0.4], [0.3, 0.0]])  # the second is stretched
    J, M = robot.jacobian(q, "tip"), robot.mass_matrix(q)
    expected = np.linalg.inv(J @ np.linalg.solve(M, transpose(J)) + 1e-3 * np.eye(6))
    found = robot.operational_space_inertia(q, "tip", damping=1e-3)
    assert_close(found, expected, INVERTED)
    assert np.linalg.eigvalsh(found).max() <= 1e3 * (1.0 + 1e-9)
    with pytest.raises(ArgumentError, match="damping"):
        robot.operational_space_inertia(q, "tip", damping=-1.0)


@pytest.mark.covers("OP-05")
def test_compiled_kernels_agree_with_the_interpreter() -> None:
    robot = sixvec.load("panda")
    q, v, _, _ = random_states(robot)
    reference = OnTarget(robot, "interpreter")
    for name in RECURSIVE:
        assert_close(getattr(robot, name)(q, "panda_link8"), getattr(reference, name)(q, "panda_link8"), SOLVED)
    eta = robot.task_space_bias(q, v, "panda_link8")
    assert_close(eta, reference.task_space_bias(q, v, "panda_link8"), INVERTED)


@pytest.mark.covers("OP-05")
def test_coupled_joints_rotors_and_loads() -> None:
    panda = sixvec.load("panda")
    follow = {"panda_link4": {"mimic": Mimic("panda_link2", -0.7, 0.2), "dynamics": JointDynamics(armature=(0.3,))}}
    coupled = Robot(
        replace(panda.model, bodies=tuple(replace(b, **follow.get(b.name, {})) for b in panda.model.bodies))
    )
    load = RigidInertia.from_center_of_mass(2.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.01, 0.02, 0.03))
    for robot in (coupled, panda.with_payload("panda_link8", load)):
        q = np.random.default_rng(0).normal(size=(3, robot.nq))
        J, M = robot.jacobian(q, "panda_link8"), robot.mass_matrix(q)
        R = np.linalg.solve(M, transpose(J))
        assert_close(robot.operational_space_inertia_inverse(q, "panda_link8"), J @ R, SOLVED)
        assert_close(robot.wrench_response(q, "panda_link8", "local_world_aligned"), R, SOLVED)


def test_unknown_frames_and_references_are_named() -> None:
    robot = sixvec.load("panda")
    with pytest.raises(FrameNotFound, match="panda_link88"):
        robot.operational_space_inertia(robot.neutral(), "panda_link88")
    with pytest.raises(ArgumentError, match="body"):
        robot.operational_space_inertia_inverse(robot.neutral(), "panda_link8", "body")


SINGULAR = {"ur5e": 4, "puma560": 4, "arm_321": 4}
"""The joint whose neutral position aligns two axes of the wrist."""


@pytest.mark.every(3)
@pytest.mark.covers("DYN-26")
@pytest.mark.parametrize("name", SINGULAR)
def test_without_damping_singular_positions_give_nan(name: str) -> None:
    """At all of them and in every entry, and at no regular one."""
    robot, rng = sixvec.load(name), np.random.default_rng(0)
    frame = robot.frame_names[-1]
    regular = rng.uniform(0.5, 1.0, size=(100, robot.nq))
    singular = regular.copy()
    singular[:, SINGULAR[name]] = 0.0
    assert (np.linalg.matrix_rank(robot.jacobian(singular, frame), tol=1e-9) < 6).all()
    close = regular.copy()
    close[:, SINGULAR[name]] = 1e-2
    v = rng.normal(size=robot.nv)
    calls = {
        "operational_space_inertia": (),
        "task_space_bias": (v,),
        "dynamically_consistent_inverse": (),
        "dynamically_consistent_null_space": (),
    }
    for reference in REFERENCES:
        for call, more in calls.items():
            kernel = getattr(robot, call)
            assert np.isnan(kernel(singular, *more, frame, reference)).all()
            assert np.isnan(kernel(np.zeros(robot.nq), *more, frame, reference)).all()
            assert np.isfinite(kernel(regular, *more, frame, reference)).all()
            assert np.isfinite(kernel(close, *more, frame, reference)).all()
        assert np.isfinite(robot.operational_space_inertia(singular, frame, reference, damping=1e-3)).all()
