"""The equations of motion of one body, both forms, against the momentum of a cloud of particles on a path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud import Cloud, full, matrix, random_cloud, random_force, random_motion, six, vec
from differences import derivative
from naming import named
from random_trees import random_pose
from sixvec.errors import DegenerateError, FrameError
from sixvec.geometry.rigid_body.newton_euler import (
    bias_force,
    euler_acceleration,
    euler_moment,
    free_acceleration,
    newton_euler,
    newton_euler_material,
    unloaded,
)
from sixvec.spatial import AccelerationField, Force, Motion, Quaternion, RigidInertia, Sym3, Tagged, Vec3
from tolerances import DIFFERENCE, INTEGRATED, ROUNDING, assert_close

TWICE_DIFFERENCED = 1e-7
"""Second derivatives lose another three digits to rounding."""


def momentum(cloud: Cloud, t: float) -> np.ndarray:
    """(Σ r × m v; Σ m v) of the particles, in the world."""
    r = cloud.positions(t)
    p = cloud.masses[:, None] * derivative(lambda s: cloud.positions(t + s))
    return np.concatenate([np.cross(r, p).sum(axis=0), p.sum(axis=0)])


def velocity(cloud: Cloud, t: float, fixed_to: str) -> Motion:
    """Ẋ X⁻¹ in the world, X⁻¹ Ẋ in the body."""
    X, rate = matrix(cloud.pose(t)), derivative(lambda s: matrix(cloud.pose(t + s)))
    W = rate @ np.linalg.inv(X) if fixed_to == "world" else np.linalg.inv(X) @ rate
    return Motion(vec(np.array([W[2, 1], W[0, 2], W[1, 0]])), vec(W[:3, 3]))


def spatial_acceleration(cloud: Cloud, fixed_to: str) -> Motion:
    return Motion.of(derivative(lambda t: six(velocity(cloud, t, fixed_to))).tolist())


@pytest.fixture(params=range(3))
def cloud(request: pytest.FixtureRequest) -> Cloud:
    return random_cloud(request.param)


@pytest.mark.covers("BODY-26")
def test_momentum_screw_is_that_of_the_particles(cloud: Cloud) -> None:
    V, body = velocity(cloud, 0.0, "world"), cloud.pose(0.0) @ cloud.inertia
    assert_close(six(body @ V), momentum(cloud, 0.0), DIFFERENCE, batched=False)
    assert V.dot(body @ V) == pytest.approx(2.0 * body.kinetic_energy(V), rel=1e-14)


@pytest.mark.covers("BODY-26")
def test_momentum_screw_transforms_like_a_force() -> None:
    rng, body = np.random.default_rng(0), random_cloud(0).inertia
    V, X = random_motion(rng), random_pose(rng)
    assert_close(six((X @ body) @ (X @ V)), six(X @ (body @ V)), ROUNDING, batched=False)


@pytest.mark.covers("BODY-26")
def test_eulerian_form_in_the_world_is_the_rate_of_momentum(cloud: Cloud) -> None:
    body = cloud.pose(0.0) @ cloud.inertia
    force = newton_euler(body, velocity(cloud, 0.0, "world"), spatial_acceleration(cloud, "world"))
    assert_close(six(force), derivative(lambda t: momentum(cloud, t)), TWICE_DIFFERENCED, batched=False)


@pytest.mark.covers(
    "BODY-26",
    "Bruyninckx (4.87)-(4.88)",
    "Lynch-Park (9.17)",
    "Lynch-Park (9.21)",
    "Lynch-Park (9.32)-(9.33)",
)
def test_eulerian_form_in_the_body_is_the_same_wrench(cloud: Cloud) -> None:
    force = newton_euler(cloud.inertia, velocity(cloud, 0.0, "body"), spatial_acceleration(cloud, "body"))
    in_world = cloud.pose(0.0) @ force
    assert_close(six(in_world), derivative(lambda t: momentum(cloud, t)), TWICE_DIFFERENCED, batched=False)


@pytest.mark.covers("BODY-27", "Bruyninckx (4.89)")
def test_material_form_is_the_rate_of_momentum(cloud: Cloud) -> None:
    """With the acceleration of the body point at the world's origin."""
    X, body = matrix(cloud.pose(0.0)), cloud.pose(0.0) @ cloud.inertia
    at_origin = np.linalg.inv(X) @ [0.0, 0.0, 0.0, 1.0]
    second = derivative(lambda t: derivative(lambda s: matrix(cloud.pose(t + s)) @ at_origin))
    w, alpha = velocity(cloud, 0.0, "world").ang, spatial_acceleration(cloud, "world").ang
    field = AccelerationField(w, alpha, vec(second[:3]))
    rate = derivative(lambda t: momentum(cloud, t))
    assert_close(six(newton_euler_material(body, field)), rate, TWICE_DIFFERENCED, batched=False)


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=30)
@pytest.mark.covers("BODY-27", "BODY-26")
def test_the_forms_differ_by_the_kind_of_acceleration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    body, V, A = random_cloud(seed % 7).inertia, random_motion(rng), random_motion(rng)
    material = Motion(A.ang, A.lin + V.ang.cross(V.lin))
    field = AccelerationField(V.ang, material.ang, material.lin)
    eulerian = newton_euler(body, V, A)
    assert_close(six(newton_euler_material(body, field)), six(eulerian), ROUNDING, batched=False)
    assert_close(six(body.force(field)), six(eulerian), ROUNDING, batched=False)
    expected = body @ material + bias_force(body, V.ang)
    assert_close(six(eulerian), six(expected), ROUNDING, batched=False)


@pytest.mark.covers("BODY-27", "Rodriguez-Kreutz (2.23)")
def test_bias_force_vanishes_for_balanced_bodies_and_no_rotation() -> None:
    ball = RigidInertia(2.0, Vec3.zero(), Sym3.diagonal(0.5, 0.5, 0.5))
    assert not any(bias_force(ball, Vec3(1.0, 2.0, 3.0)))
    assert not any(bias_force(random_cloud(0).inertia, Vec3.zero()))
    assert any(bias_force(random_cloud(0).inertia, Vec3(1.0, 2.0, 3.0)))


@pytest.mark.covers("BODY-26")
def test_merry_go_round() -> None:
    """dV/dt = 0, yet a point mass at radius r is pulled inward by m r ω²; it feels no moment about the axis."""
    rider = RigidInertia.from_center_of_mass(2.0, Vec3(1.5, 2.0, 0.0), Sym3.zero())
    force = newton_euler(rider, Motion(Vec3(0.0, 0.0, 3.0), Vec3.zero()), Motion.zero())
    assert_close([*force.lin], [-1.5 * 18.0, -2.0 * 18.0, 0.0], ROUNDING, batched=False)
    assert_close([*force.ang], [0.0, 0.0, 0.0], ROUNDING, batched=False)


@pytest.mark.covers(
    "BODY-25",
    "Bruyninckx (4.69)",
    "Bruyninckx (4.80)-(4.81)",
    "Lynch-Park (9.20)",
    "Lynch-Park (9.34)",
)
def test_euler_equation_in_world_and_body_axes() -> None:
    """n = d(I ω)/dt in the world, where I turns; R times the body form."""
    cloud = random_cloud(5)
    center = cloud.masses @ cloud.points / cloud.masses.sum()
    cloud = Cloud(cloud.masses, cloud.points - center, cloud.spin, np.zeros((2, 3)))

    def spin_momentum(t: float) -> np.ndarray:
        I_w = cloud.pose(t).rot.turn_symmetric(cloud.inertia.rot)
        return np.array([*(I_w @ velocity(cloud, t, "world").ang)])

    w, alpha = velocity(cloud, 0.0, "world").ang, spatial_acceleration(cloud, "world").ang
    R = cloud.pose(0.0).rot
    in_world = euler_moment(R.turn_symmetric(cloud.inertia.rot), w, alpha)
    assert_close([*in_world], derivative(spin_momentum), TWICE_DIFFERENCED, batched=False)
    w_b, alpha_b = velocity(cloud, 0.0, "body").ang, spatial_acceleration(cloud, "body").ang
    in_body = euler_moment(cloud.inertia.rot, w_b, alpha_b)
    assert_close([*(R @ in_body)], [*in_world], TWICE_DIFFERENCED, batched=False)
    assert_close([*(R @ alpha_b)], [*alpha], TWICE_DIFFERENCED, batched=False)


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=30)
@pytest.mark.covers("BODY-25", "BODY-26")
def test_acceleration_undoes_the_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    body, V, F = random_cloud(seed % 7).inertia, random_motion(rng), random_force(rng)
    A = free_acceleration(body, V, F)
    assert_close(six(newton_euler(body, V, A)), six(F), 1e-10, batched=False, scale=abs(six(body @ A)).max())
    assert_close(six(unloaded(body, body @ V)), six(V), 1e-11, batched=False)
    w, n = V.ang, F.ang
    alpha = euler_acceleration(body.about_center, w, n)
    assert_close([*euler_moment(body.about_center, w, alpha)], [*n], 1e-11, batched=False)


@pytest.mark.covers("BODY-25")
def test_free_top_keeps_energy_and_momentum() -> None:
    """Euler's equation integrated without moment; the spin about the middle axis tumbles (Dzhanibekov)."""
    I, dt = Sym3.diagonal(1.0, 2.0, 3.0), 0.005
    state = np.array([0.0, 0.0, 0.0, 1.0, 1e-3, 3.0, 0.0])
    slowest = 3.0

    def rate(state: np.ndarray) -> np.ndarray:
        w = vec(state[4:])
        return np.array([*Quaternion(*state[:4].tolist()).rate(w), *euler_acceleration(I, w, Vec3.zero())])

    def laws(state: np.ndarray) -> list[float]:
        w = vec(state[4:])
        return [w.dot(I @ w), *(Quaternion(*state[:4].tolist()).normalized().as_rotation() @ (I @ w))]

    before = laws(state)
    for _ in range(1500):
        k1 = rate(state)
        k2 = rate(state + dt / 2 * k1)
        k3 = rate(state + dt / 2 * k2)
        k4 = rate(state + dt * k3)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        slowest = min(slowest, state[5])
    assert_close(laws(state), before, INTEGRATED, batched=False)
    assert slowest < -2.9


@pytest.mark.covers("BODY-26", "BODY-27")
def test_kinds_are_not_mixed() -> None:
    body, V = random_cloud(0).inertia, Motion.zero()
    with pytest.raises(FrameError, match=named("dV", "AccelerationField")):
        newton_euler(body, V, AccelerationField.at_rest(Vec3.zero()))
    with pytest.raises(FrameError, match="Motion"):
        newton_euler_material(body, V)
    with pytest.raises(FrameError, match="acceleration"):
        newton_euler(body, V, Tagged(Motion.zero(), "world", "world", kind="classical acceleration"))
    rng = np.random.default_rng(0)
    V, A = random_motion(rng), random_motion(rng)
    kind = Tagged(A, "world", "world", kind="spatial acceleration")
    assert newton_euler(body, V, kind) == newton_euler(body, V, A)
    material = newton_euler_material(body, AccelerationField.from_motion(V, A))
    assert_close(six(material), six(newton_euler(body, V, A)), ROUNDING, batched=False)
    with pytest.raises(TypeError):
        newton_euler(body, Force.zero(), Motion.zero())


@pytest.mark.covers("BODY-25")
def test_singular_inertia_raises() -> None:
    rod = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 0.0))
    with pytest.raises(DegenerateError):
        free_acceleration(rod, Motion.zero(), Force.zero())
    assert full(rod.rot)[2, 2] == 0.0
