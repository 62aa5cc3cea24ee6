"""Kinetic and potential energy and the 6x6 mass matrix, against the particles of the body."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from cloud import matrix, random_cloud, random_motion, six, vec
from differences import derivative
from matrices import spatial_inertia
from random_trees import random_pose
from sixvec.spatial import Force, Mat3, Motion, RigidInertia, Sym3, Vec3
from tolerances import DIFFERENCE, ROUNDING, assert_close


def motion_matrix(X: object) -> np.ndarray:
    """The 6x6 matrix of X @ motion."""
    return np.array([six(X @ Motion.of(column)) for column in np.eye(6).tolist()]).T


def velocity_in_world(cloud: object, t: float) -> Motion:
    """Ẋ X⁻¹ by differences."""
    rate = derivative(lambda s: matrix(cloud.pose(t + s))) @ np.linalg.inv(matrix(cloud.pose(t)))
    return Motion(vec(np.array([rate[2, 1], rate[0, 2], rate[1, 0]])), vec(rate[:3, 3]))


@pytest.mark.covers("BODY-23", "Bruyninckx (4.73)", "Bruyninckx (4.77)-(4.78)", "Lynch-Park (9.24)")
def test_kinetic_energy_is_that_of_the_particles() -> None:
    cloud = random_cloud(0)
    V, body = velocity_in_world(cloud, 0.0), cloud.pose(0.0) @ cloud.inertia
    velocities = derivative(cloud.positions)
    expected = 0.5 * (cloud.masses * (velocities**2).sum(axis=1)).sum()
    assert body.kinetic_energy(V) == pytest.approx(expected, rel=DIFFERENCE)
    # König: ½ m v_c² + ½ ωᵀ I_c ω.
    v_c, w = V.lin + V.ang.cross(body.center), V.ang
    split = 0.5 * body.mass * v_c.dot(v_c) + 0.5 * w.dot(body.about_center @ w)
    assert body.kinetic_energy(V) == pytest.approx(split, rel=1e-13)


@pytest.mark.covers("BODY-23")
def test_kinetic_energy_is_the_same_in_every_frame() -> None:
    rng, body = np.random.default_rng(1), random_cloud(1).inertia
    for _ in range(5):
        V, X = random_motion(rng), random_pose(rng)
        assert (X @ body).kinetic_energy(X @ V) == pytest.approx(body.kinetic_energy(V), rel=1e-12)


@pytest.mark.covers("BODY-23", "Bruyninckx (4.75)")
def test_potential_energy_is_work_against_gravity() -> None:
    cloud, g = random_cloud(2), np.array([1.0, 2.0, -9.81])
    height = [-(cloud.masses @ cloud.positions(t) @ g) for t in (0.0, 0.7)]
    energy = [(cloud.pose(t) @ cloud.inertia).potential_energy(vec(g)) for t in (0.0, 0.7)]
    assert_close(energy, height, ROUNDING, batched=False)
    # Its rate is minus the power of the weight.
    body, V = cloud.pose(0.0) @ cloud.inertia, velocity_in_world(cloud, 0.0)
    weight = Force.at_point(vec(g) * body.mass, body.center)
    rate = derivative(lambda t: (cloud.pose(t) @ cloud.inertia).potential_energy(vec(g)))
    assert rate == pytest.approx(-V.dot(weight), rel=DIFFERENCE)


@pytest.mark.covers(
    "BODY-24",
    "Bruyninckx (4.67)",
    "Bruyninckx (4.71)",
    "Bruyninckx (4.82)",
    "Lynch-Park (9.19)",
    "Lynch-Park (9.25)",
)
def test_mass_matrix_blocks() -> None:
    """[[I, m c×], [-m c×, m 1]]; symmetric; at the centre of mass block diagonal."""
    body = random_cloud(3).inertia
    M = np.array(body.as_matrix())
    assert_close(M, spatial_inertia(body), ROUNDING, batched=False)
    assert (M == M.T).all()
    assert RigidInertia.from_matrix(body.as_matrix()) == body
    c = body.center
    at_center = np.array(RigidInertia(body.mass, Vec3.zero(), body.about_center).as_matrix())
    assert not at_center[:3, 3:].any()
    lever = np.array([[*row] for row in Mat3.cross_matrix(c).rows])
    shift = np.block([[np.eye(3), np.zeros((3, 3))], [-lever, np.eye(3)]])  # motion about the origin -> about c
    assert_close(M, shift.T @ at_center @ shift, ROUNDING, batched=False)


@pytest.mark.covers("BODY-24", "Bruyninckx (4.79)")
def test_mass_matrix_transform() -> None:
    """M_B = Xᵀ M_A X with X = X_AB, the same as moving the ten numbers."""
    rng, body = np.random.default_rng(4), random_cloud(3).inertia
    for _ in range(5):
        X_AB = random_pose(rng)
        X = motion_matrix(X_AB)
        M_B = np.array((X_AB.inv() @ body).as_matrix())
        assert_close(M_B, X.T @ np.array(body.as_matrix()) @ X, ROUNDING, batched=False)


@pytest.mark.covers("BODY-24")
def test_columns_and_diagonal_of_the_mass_matrix() -> None:
    """Column i is the wrench for unit acceleration i at rest; M_ii is *twice* the energy of unit velocity i."""
    body = random_cloud(3).inertia
    M = np.array(body.as_matrix())
    for i, unit in enumerate(np.eye(6).tolist()):
        assert_close(six(body @ Motion.of(unit)), M[:, i], ROUNDING, batched=False)
        assert M[i, i] == pytest.approx(2.0 * body.kinetic_energy(Motion.of(unit)), rel=1e-15)


def test_inertia_acts_on_motions_only() -> None:
    with pytest.raises(TypeError, match="RigidInertia"):
        _ = RigidInertia.zero() @ Force.zero()


def test_konig_symbolically() -> None:
    """SymPy: ½ Vᵀ M V = ½ m |v + ω × c|² + ½ ωᵀ I_c ω, for all symbols."""
    m = sympy.Symbol("m", positive=True)
    c, I, w, v = (sympy.symbols(f"{name}:{n}") for name, n in (("c", 3), ("I", 6), ("w", 3), ("v", 3)))
    body = RigidInertia.from_center_of_mass(m, Vec3(*c), Sym3(*I))
    V = Motion(Vec3(*w), Vec3(*v))
    v_c = V.lin + V.ang.cross(Vec3(*c))
    split = m * v_c.dot(v_c) / 2 + V.ang.dot(Sym3(*I) @ V.ang) / 2
    assert sympy.expand(sympy.nsimplify(sympy.expand(body.kinetic_energy(V) - split))) == 0
