"""Wheels whose grip has a limit: rolling below it, Coulomb's force beyond."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import ArgumentError
from sixvec.mobile import Rolling, slipping_rollout, wheeled_robot
from sixvec.spatial import RigidInertia, Sym3, Vec3

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


def test_bad_friction_is_refused() -> None:
    given = (np.zeros(5), np.zeros(5), np.zeros((2, 5)), 0.1)
    with pytest.raises(ArgumentError, match='a force for "right"'):
        slipping_rollout(BASE, *given, {"left": 1.0})
    with pytest.raises(ArgumentError, match="along the ground alone"):
        slipping_rollout(BASE, *given, {"left": 1.0}, {"left": Rolling(0.1, ("normal",))})
