"""d'Alembert and Gauss: no virtual work, least measure, and known motions of constrained things."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import sixvec
from cloud import random_cloud, random_force, random_motion, six
from sixvec.constraints.constraint import WrenchSpace
from sixvec.constraints.least_constraint import (
    constrained_body,
    gauss_measure,
    gauss_measure_of_body,
    least_constraint,
    virtual_work,
)
from sixvec.constraints.pfaffian import PfaffianConstraint
from sixvec.geometry.rigid_body.newton_euler import free_acceleration, newton_euler
from sixvec.spatial import Force, Motion, RigidInertia, Sym3, Vec3
from tolerances import IDENTITY, assert_close


def problem(seed: int, n: int = 5, m: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    return root @ root.T + 0.5 * np.eye(n), rng.normal(size=n), rng.normal(size=(m, n)), rng.normal(size=m)


def forms(A: np.ndarray) -> PfaffianConstraint:
    return PfaffianConstraint(tuple(map(tuple, A.tolist())))


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=30)
@pytest.mark.covers("BODY-33", "BODY-31")
def test_dalembert_and_gauss_agree(seed: int) -> None:
    M, tau, A, drift = problem(seed)
    motion = least_constraint(M.tolist(), tau.tolist(), forms(A), drift.tolist())
    a = np.array(motion.a)
    scale = abs(M @ a).max() + abs(tau).max()
    assert abs(A @ a + drift).max() < 1e-8 * max(1.0, abs(a).max())
    assert abs(M @ a - tau - A.T @ motion.multipliers).max() < 1e-8 * scale
    assert_close(motion.force, A.T @ motion.multipliers, IDENTITY, batched=False)
    rng = np.random.default_rng(seed)
    least = gauss_measure(M.tolist(), tau.tolist(), a.tolist())
    for direction in np.linalg.svd(A)[2][2:]:
        assert abs(virtual_work(M.tolist(), tau.tolist(), a.tolist(), direction.tolist())) < 1e-8 * scale
        step = float(rng.normal())
        other = gauss_measure(M.tolist(), tau.tolist(), (a + step * direction).tolist())
        # The measure is a quadratic with its least value here.
        assert other - least == pytest.approx(0.5 * step * step * direction @ M @ direction, rel=1e-6, abs=1e-8 * scale)


@pytest.mark.covers("BODY-33")
def test_against_the_bordered_system() -> None:
    """[M  A; Aᵀ 0] (q̈; -λ) = (τ; -drift), solved by LAPACK."""
    M, tau, A, drift = problem(1)
    bordered = np.block([[M, -A.T], [A, np.zeros((2, 2))]])
    expected = np.linalg.solve(bordered, np.concatenate([tau, -drift]))
    motion = least_constraint(M.tolist(), tau.tolist(), forms(A), drift.tolist())
    assert_close([*motion.a, *motion.multipliers], expected, IDENTITY, batched=False)


@pytest.mark.covers("BODY-33")
def test_pendulum_in_cartesian_coordinates() -> None:
    """A particle on a rod: θ̈ = -g/l sin θ along the circle, tension m (g cos θ + l θ̇²) along the rod."""
    m, l, g, angle, rate = 1.5, 0.8, 9.81, 0.7, 2.0
    x, y = l * math.sin(angle), -l * math.cos(angle)
    vx, vy = l * rate * math.cos(angle), l * rate * math.sin(angle)
    rod = PfaffianConstraint(((x, y),))
    motion = least_constraint([[m, 0.0], [0.0, m]], [0.0, -m * g], rod, [vx * vx + vy * vy])
    along = motion.a[0] * math.cos(angle) + motion.a[1] * math.sin(angle)
    assert along / l == pytest.approx(-g / l * math.sin(angle), rel=1e-13)
    tension = -(motion.force[0] * x + motion.force[1] * y) / l
    assert tension == pytest.approx(m * (g * math.cos(angle) + l * rate * rate), rel=1e-13)


@pytest.mark.covers("BODY-33")
def test_pendulum_symbolically() -> None:
    """The same with SymPy, for all parameters."""
    m, l, g, h, w = sympy.symbols("m l g h w", positive=True)
    x, y = l * sympy.sin(h), -l * sympy.cos(h)
    motion = least_constraint([[m, 0], [0, m]], [0, -m * g], PfaffianConstraint(((x, y),)), [l**2 * w**2])
    along = motion.a[0] * sympy.cos(h) + motion.a[1] * sympy.sin(h)
    assert sympy.simplify(sympy.nsimplify(along) + g * sympy.sin(h)) == 0


@pytest.mark.covers("BODY-33", "BODY-28")
def test_constrained_body_against_its_wrench_space() -> None:
    rng = np.random.default_rng(2)
    body, V, F = random_cloud(0).inertia, random_motion(rng), random_force(rng)
    space = WrenchSpace(tuple(random_force(rng) for _ in range(3)))
    drift = rng.normal(size=3)
    held = constrained_body(body, V, F, space, drift.tolist())
    assert_close(space.violation(held.acceleration), -drift, IDENTITY, batched=False)
    total = newton_euler(body, V, held.acceleration)
    assert_close(six(total), six(F + held.force), IDENTITY, batched=False)
    # d'Alembert: the constraint wrench has no power on twists of the reciprocal space, and Gauss's measure is least.
    least = gauss_measure_of_body(body, V, F, held.acceleration)
    allowed = np.linalg.svd(np.array([six(w) for w in space.basis]))[2][3:]
    for row in allowed.tolist():
        s = Motion.of(row)
        assert abs(s.dot(held.force)) < 1e-11
        assert gauss_measure_of_body(body, V, F, held.acceleration + s * 0.1) > least


@pytest.mark.covers("BODY-33")
def test_gauss_measure_of_a_body_is_that_of_its_particles() -> None:
    """Σ ½ m |a - a₀|²: particle by particle, as Gauss wrote it."""
    rng, cloud = np.random.default_rng(3), random_cloud(1)
    V, F, A = random_motion(rng), random_force(rng), random_motion(rng)
    off = A - free_acceleration(cloud.inertia, V, F)
    w, a = np.array([*off.ang]), np.array([*off.lin])
    particles = 0.5 * (cloud.masses @ ((a + np.cross(w, cloud.points)) ** 2).sum(axis=1))
    assert gauss_measure_of_body(cloud.inertia, V, F, A) == pytest.approx(particles, rel=1e-10)


@pytest.mark.covers("BODY-33", "BODY-28")
def test_ball_rolls_down_a_slope() -> None:
    """Without slipping it accelerates with 5/7 g sin β, and friction is 2/7 m g sin β."""
    m, r, g, slope = 2.0, 0.3, 9.81, 0.4
    ball = RigidInertia(m, Vec3.zero(), Sym3.diagonal(*[0.4 * m * r * r] * 3))
    weight = Force(Vec3.zero(), Vec3(m * g * math.sin(slope), 0.0, -m * g * math.cos(slope)))
    contact = Vec3(0.0, 0.0, -r)
    axes = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
    space = WrenchSpace(tuple(Force.at_point(a, contact) for a in axes))
    held = constrained_body(ball, Motion.zero(), weight, space, [0.0, 0.0, 0.0])
    assert held.acceleration.lin.x == pytest.approx(5.0 / 7.0 * g * math.sin(slope), rel=1e-13)
    assert held.force.lin.x == pytest.approx(-2.0 / 7.0 * m * g * math.sin(slope), rel=1e-13)
    assert held.force.lin.z == pytest.approx(m * g * math.cos(slope), rel=1e-13)


@sixvec.compiled("M[3,3] tau[3] A[2,3] drift[2] -> a[3] multipliers[2] Z")
def compiled_least(M: object, tau: object, A: object, drift: object) -> tuple[object, object, object]:
    motion = least_constraint(M, tau, PfaffianConstraint(tuple(map(tuple, A))), drift)
    return motion.a, motion.multipliers, gauss_measure(M, tau, motion.a)


@pytest.mark.covers("BODY-33")
def test_compiled_and_batched() -> None:
    problems = [problem(seed, 3, 2) for seed in range(8)]
    M, tau, A, drift = (np.array(x) for x in zip(*problems, strict=True))
    a, multipliers, Z = compiled_least(M, tau, A, drift)
    rows = PfaffianConstraint(tuple(map(tuple, np.moveaxis(A, 0, -1))))
    batch = least_constraint(np.moveaxis(M, 0, -1), tau.T, rows, drift.T)
    assert_close(np.stack(batch.a, axis=-1), a, 1e-9)
    for k, (M1, tau1, A1, drift1) in enumerate(problems):
        one = least_constraint(M1.tolist(), tau1.tolist(), forms(A1), drift1.tolist())
        assert_close([*a[k], *multipliers[k]], [*one.a, *one.multipliers], 1e-9, batched=False)
        assert Z[k] == pytest.approx(gauss_measure(M1.tolist(), tau1.tolist(), [*one.a]), rel=1e-8)
