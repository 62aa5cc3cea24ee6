"""Lagrange's equations with conditions on velocities: a sleigh on paper, the large linear system, laws."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from random_states import random_states
from random_trees import random_tree
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.lagrange import ConstrainedLagrange
from sixvec.model import Body, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.scalar import cos, sin
from sixvec.spatial import RigidInertia, Sym3, Vec3
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

MASS, AHEAD, SPIN = 2.0, 0.3, 0.15


def sleigh() -> sv.Robot:
    """Chaplygin's sleigh: a body in the plane whose blade lies at the origin, its centre of mass `AHEAD` of it."""
    body = RigidInertia.from_center_of_mass(MASS, Vec3(AHEAD, 0.0, 0.0), Sym3.diagonal(0.0, 0.0, SPIN))
    bodies = (
        Body("x", None, Prismatic(Vec3(1.0, 0.0, 0.0))),
        Body("y", "x", Prismatic(Vec3(0.0, 1.0, 0.0))),
        Body("sleigh", "y", Revolute(Vec3(0.0, 0.0, 1.0)), inertia=body),
    )
    return sv.Robot(Model("sleigh", bodies))


def blade(q: list) -> list:
    """No motion across the heading: -sin θ ẋ + cos θ ẏ = 0."""
    return [[-sin(q[2]), cos(q[2]), 0.0]]


@pytest.mark.covers("DYN-14")
def test_chaplygins_sleigh() -> None:
    """u̇ = b ω²,  (I + m b²) ω̇ = -m b u ω,  and the blade's force is m (u ω + b ω̇) (on paper)."""
    robot = ConstrainedLagrange(sleigh(), blade)
    rng = np.random.default_rng(0)
    theta, u, w = rng.normal(size=(3, 20))
    q = np.stack([rng.normal(size=20), rng.normal(size=20), theta], axis=1)
    v = np.stack([u * np.cos(theta), u * np.sin(theta), w], axis=1)
    found = robot.forward_dynamics(q, v, np.zeros((20, 3)))
    spun = -MASS * AHEAD * u * w / (SPIN + MASS * AHEAD**2)
    a = found.acceleration
    assert_close(a[:, 2], spun, SOLVED, scale=np.abs(spun).max())
    along = a[:, 0] * np.cos(theta) + a[:, 1] * np.sin(theta)  # u̇, since the heading turns across the velocity
    assert_close(along, AHEAD * w**2, SOLVED, scale=np.abs(a).max())
    across = MASS * (u * w + AHEAD * spun)
    assert_close(found.multipliers[:, 0], across, SOLVED, scale=np.abs(across).max())


@pytest.mark.covers("DYN-14")
def test_answers_solve_the_large_linear_system() -> None:
    """[[M, -A], [Aᵀ, 0]] (a, φ) = (τ - c - g, -Ȧᵀ v), on a tree with balls and a free base."""
    robot = sv.Robot(random_tree(7, bodies=4, floating=True))
    n = robot.nv

    def forms(q: list) -> list:
        return [[sin(q[7]) * (i + 1.0) + q[i % 7] for i in range(n)], [cos(q[8] * (i - 2.0)) for i in range(n)]]

    system = ConstrainedLagrange(robot, forms)
    q, v, _, tau = random_states(robot)
    found = system.forward_dynamics(q, v, tau)
    A = np.swapaxes(system.forms(q), -1, -2)
    h = 1e-5
    slope = (system.forms(robot.integrate(q, h * v)) - system.forms(robot.integrate(q, -h * v))) / (2 * h)
    drift = np.einsum("nij,nj->ni", slope, v)
    assert_close(system.drift(q, v), drift, 1e-7)  # differences of order 2
    zero = np.zeros((len(q), 2, 2))
    matrix = np.block([[robot.mass_matrix(q), -A], [np.swapaxes(A, -1, -2), zero]])
    right = np.concatenate([tau - robot.bias_forces(q, v), -system.drift(q, v)], axis=1)
    solution = np.linalg.solve(matrix, right[..., None])[..., 0]
    assert_close(found.acceleration, solution[:, :n], SOLVED)
    assert_close(found.multipliers, solution[:, n:], SOLVED)
    assert_close(found.force, np.einsum("nij,nj->ni", A, found.multipliers), IDENTITY)
    assert_close(found.force, robot.inverse_dynamics(q, v, found.acceleration) - tau, 10 * SOLVED)


@pytest.mark.covers("DYN-14")
def test_the_force_of_constraint_does_no_work_on_allowed_velocities() -> None:
    system = ConstrainedLagrange(sleigh(), blade)
    q, v, _, tau = random_states(system.robot)
    allowed = np.array(
        [
            system.constraint(x).admitted(system.robot.mass_matrix(x).tolist(), w)
            for x, w in zip(q, v.tolist(), strict=True)
        ]
    )
    found = system.forward_dynamics(q, allowed, tau)
    assert np.abs(np.sum(found.force * allowed, axis=1)).max() < 1e-12 * np.abs(found.force).max()
    assert np.abs(np.sum(found.force * v, axis=1)).max() > 1e-2


@pytest.mark.covers("DYN-14")
def test_energy_and_constraint_hold_along_a_motion() -> None:
    system = ConstrainedLagrange(sleigh(), blade)
    robot, h = system.robot, 1e-3
    q, v = np.array([0.0, 0.0, 0.4]), np.array([np.cos(0.4), np.sin(0.4), 2.0])
    energy = robot.kinetic_energy(q, v)

    def rate(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[3:], system.forward_dynamics(x[:3], x[3:], np.zeros(3)).acceleration])

    x = np.concatenate([q, v])
    for _ in range(300):
        k1 = rate(x)
        k2 = rate(x + 0.5 * h * k1)
        k3 = rate(x + 0.5 * h * k2)
        x = x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rate(x + h * k3))
    assert abs(robot.kinetic_energy(x[:3], x[3:]) - energy) < DIFFERENCE * energy
    assert np.abs(system.violation(x[:3], x[3:])).max() < DIFFERENCE
    assert abs(x[5] - 2.0) > 0.1  # it did turn its spin into speed


def test_stabilisation_pulls_back() -> None:
    """d/dt (Aᵀ v) = -α Aᵀ v."""
    system = ConstrainedLagrange(sleigh(), blade)
    q, v, _, tau = random_states(system.robot)
    a = system.forward_dynamics(q, v, tau, stabilisation=5.0).acceleration
    rate = np.einsum("nij,nj->ni", system.forms(q), a) + system.drift(q, v)
    assert_close(rate, -5.0 * system.violation(q, v), 1e-10)


def test_mistakes() -> None:
    robot = sleigh()
    with pytest.raises(ArgumentError, match="one row of 3 numbers per condition, not rows of 2"):
        ConstrainedLagrange(robot, lambda q: [[1.0, 2.0]])
    twice = ConstrainedLagrange(robot, lambda q: [*blade(q), *blade(q)])
    with pytest.raises(DegenerateError, match="2 conditions are not independent"):
        twice.forward_dynamics(*np.zeros((3, 3)))
