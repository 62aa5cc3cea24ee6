"""Wheels whose grip has a limit: rolling below it, Coulomb's force beyond."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.constraints.contacts import contact_impulses
from sixvec.errors import ArgumentError
from sixvec.mobile import Rolling, slipping_rollout, wheeled_robot
from sixvec.spatial import RigidInertia, Sym3, Vec3
from sixvec.verdict import Verdict

SLAB = RigidInertia.from_center_of_mass(20.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.5, 0.6, 0.8))
BASE = wheeled_robot(sv.mobile.differential_drive(0.5, 0.1), SLAB, 1.0)
MASS, SPIN = 22.0, 1.0 * 0.1**2 / 2


def run(v: Any, tau: Any, steps: int, friction: float, dt: float = 0.002) -> Any:
    held = np.tile(tau, (steps, 1))
    return slipping_rollout(BASE, np.zeros(5), v, held, dt, {"left": friction, "right": friction})


@pytest.mark.covers("MOB-16")
def test_wheels_that_are_held_roll() -> None:
    tau = np.array([0.0, 0.0, 0.0, 0.5, 0.8])
    rolled = BASE.rollout(np.zeros(5), np.zeros(5), np.tile(tau, (200, 1)), 0.002, integrator="rk4").q[-1]
    errors = []
    for steps in (200, 400):
        found = run(np.zeros(5), tau, steps, 1e3, 0.4 / steps)
        errors.append(np.abs(found.q[-1] - rolled).max())
    assert errors[0] < 5e-3 and 1.8 < errors[0] / errors[1] < 2.2  # of first order
    slip = (BASE.constraint_jacobian(found.q, hold=BASE.rolling) @ found.v[..., None])[..., 0]
    assert np.abs(slip).max() < 2e-3


@pytest.mark.covers("MOB-16")
def test_too_much_torque_spins_the_wheels() -> None:
    found = run(np.zeros(5), [0.0, 0.0, 0.0, 3.0, 3.0], 200, 8.0)
    assert np.allclose(found.v[-1, 0], 16.0 / MASS * 0.4)
    assert np.allclose(found.v[-1, 3:], (3.0 - 8.0 * 0.1) / SPIN * 0.4)


@pytest.mark.covers("MOB-16")
def test_a_slide_sideways_is_braked() -> None:
    start = np.array([0.0, 0.5, 0.0, 0.0, 0.0])
    found = run(start, np.zeros(5), 250, 11.0)
    decay = np.maximum(0.5 - 22.0 / MASS * 0.002 * np.arange(1, 251), 0.0)
    assert np.allclose(found.v[:, 1], decay, atol=1e-9)
    energy = BASE.kinetic_energy(found.q, found.v)
    assert (np.diff(energy) <= 1e-12).all()


def test_single_precision_stays() -> None:
    q, v, tau = (np.zeros(s, np.float32) for s in (5, 5, (3, 5)))
    found, again = (slipping_rollout(BASE, x, v, tau, 0.01, {"left": 8.0, "right": 8.0}) for x in (q, q.astype(float)))
    assert found.q.dtype == found.v.dtype == np.float32 and again.q.dtype == np.float64


def test_bad_friction_raises() -> None:
    given = (np.zeros(5), np.zeros(5), np.zeros((2, 5)), 0.1)
    with pytest.raises(ArgumentError, match=named("slipping_rollout", "friction", "right")):
        slipping_rollout(BASE, *given, {"left": 1.0})
    with pytest.raises(ArgumentError, match=named("slipping_rollout", "left")):
        slipping_rollout(BASE, *given, {"left": 1.0}, {"left": Rolling(0.1, ("normal",))})


def by_projected_gradients(G: Any, slip: Any, limits: Any, count: int = 20000) -> Any:
    """The impulses of wheels with two rows each, by Nesterov's accelerated descent of  ½ pᵀ G p + slipᵀ p."""
    p, t, fastest = np.zeros(len(slip)), 1.0, np.linalg.eigvalsh(G)[-1]
    ahead = p
    for _ in range(count):
        free = (ahead - (G @ ahead + slip) / fastest).reshape(-1, 2)
        new = (free * np.minimum(1.0, limits / np.linalg.norm(free, axis=-1))[:, None]).ravel()
        t, before = (1.0 + np.sqrt(1.0 + 4.0 * t * t)) / 2.0, t
        ahead, p = new + (before - 1.0) / t * (new - p), new
    return p


@pytest.mark.covers("MOB-16")
@pytest.mark.parametrize("seed", range(4))
def test_impulses_are_those_of_the_largest_dissipation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wheels, freedoms = 2 + seed, 3 + seed % 2
    J = rng.normal(size=(2 * wheels, freedoms))  # more rows than freedoms: forces are not unique, velocities are
    G, slip = J @ J.T, J @ rng.normal(size=freedoms)
    limits = rng.uniform(0.02, 0.3, wheels) * np.array([0.0, *[1.0] * (wheels - 1)] if seed == 2 else 1.0)
    solution = contact_impulses(G, slip, limits, kinds=["disc"] * wheels)
    p = solution.force
    assert (
        solution
        and solution.residual < 1e-8
        and (np.linalg.norm(np.reshape(p, (-1, 2)), axis=-1) <= limits * (1.0 + 1e-12)).all()
    )
    assert np.allclose(G @ p, G @ by_projected_gradients(G, slip, limits), atol=1e-6)


@pytest.mark.covers("MOB-16")
def test_a_wheel_that_grips_does_not_creep_while_the_other_slips() -> None:
    body = RigidInertia.from_center_of_mass(20.0, Vec3(0.1, 0.03, 0.15), Sym3.diagonal(0.5, 0.5, 0.8))
    base = wheeled_robot(sv.mobile.differential_drive(0.5, 0.1), body, 1.0)
    v = base.rolling_velocity(np.zeros(5), np.array([2.0, 0.0, 1.0, 0.0, 0.0]))
    tau = np.tile([0.0, 0.0, 0.0, 0.0, 2.0], (20, 1))
    path = slipping_rollout(base, np.zeros(5), v, tau, 0.01, {"left": 20.0, "right": 0.5})
    assert path and path.residual.shape == (20,) and path.residual.max() < 1e-12
    first = base.slip(np.zeros(5), path.v[0])
    assert np.abs(first[:2]).max() < 1e-12 and abs(first[2]) > 0.1
    # by hand: the left wheel rolls, the right one pushes with 0.5 N against its slip: rows of the left wheel alone
    A = base.constraint_jacobian(np.zeros(5), hold=base.rolling)
    M, h = base.mass_matrix(np.zeros(5)), base.bias_forces(np.zeros(5), v)
    ground = -0.5 * np.array([first[2], 0.0]) / abs(first[2])
    known = M @ v + 0.01 * (tau[0] - h + A[2:].T @ ground)
    rows = A[:2]
    system = np.block([[M, -rows.T], [rows, np.zeros((2, 2))]])
    expected = np.linalg.solve(system, np.r_[known, np.zeros(2)])[:5]
    assert np.allclose(path.v[0], expected, atol=1e-10)
    lost = slipping_rollout(base, np.zeros(5), v, tau * np.nan, 0.01, {"left": 20.0, "right": 0.5})
    assert (lost.verdict == Verdict.INVALID).all() and not lost


def test_wheels_that_all_grip_roll_to_rounding() -> None:
    """Whatever the scale: impulses within the limits are those of rolling; a limit far away is none."""
    rng = np.random.default_rng(6)
    root = rng.normal(size=(4, 4))
    G, slip = root @ root.T + np.eye(4), rng.normal(size=4)
    rolling, wheels = np.linalg.solve(G, -slip), ("disc", "disc")
    sizes = np.linalg.norm(rolling.reshape(2, 2), axis=1)
    for scale in (1e-6, 1.0, 1e6):
        for more in (1.001, 1e3, 1e12):
            grip = contact_impulses(G, scale * slip, more * scale * sizes, kinds=wheels, tolerance=1e-14)
            assert np.allclose(grip.force, scale * rolling, rtol=1e-13, atol=0.0) and grip.residual < 1e-14 * scale
        limits = scale * np.array([0.5 * sizes[0], 1e9 * sizes[1]])
        slips = contact_impulses(G, scale * slip, limits, kinds=wheels)
        p, u = slips.force, G @ slips.force + scale * slip
        assert slips.residual < 1e-9 * scale and np.abs(u[2:]).max() < 1e-9 * scale  # the second wheel rolls
        assert np.hypot(*p[:2]) == pytest.approx(limits[0]) and abs(p[0] * u[1] - p[1] * u[0]) < 1e-7 * scale**2
        assert p[0] * u[0] + p[1] * u[1] < 0.0  # the first one slips against its force


def test_the_force_of_the_ground_is_that_of_the_motion() -> None:
    """M (v₁ - v) / h + bias = tau + Aᵀ force, whether wheels roll or slip; a roller has one direction."""
    rng = np.random.default_rng(3)
    base = wheeled_robot(sv.mobile.mecanum(0.5, 0.4, 0.1), SLAB, 1.0)
    q, v, tau = rng.normal(size=base.nq), 0.3 * rng.normal(size=base.nv), 2.0 * rng.normal(size=(10, base.nv))
    grip = dict.fromkeys(base.rolling, 3.0)
    path = slipping_rollout(base, q, v, tau, 0.01, grip)
    assert path and path.force.shape == (10, 4) and 0 < (np.abs(path.force) > 2.999).sum() < 40
    before_q, before_v = np.vstack([q, path.q[:-1]]), np.vstack([v, path.v[:-1]])
    A = base.constraint_jacobian(before_q, hold=base.rolling)
    free = base.sliding
    pushed = np.einsum("nij,nj->ni", free.mass_matrix(before_q), (path.v - before_v) / 0.01)
    expected = tau + np.einsum("nij,ni->nj", A, path.force)
    assert np.allclose(pushed + free.bias_forces(before_q, before_v), expected, atol=1e-9)
    with pytest.raises(ArgumentError, match=named("slipping_rollout", "directions")):
        slipping_rollout(BASE, *np.zeros((2, 5)), np.zeros((2, 5)), 0.1, {"left": 1.0},
                         {"left": Rolling(0.1, ("roll", "side", "roller"))})  # fmt: skip
