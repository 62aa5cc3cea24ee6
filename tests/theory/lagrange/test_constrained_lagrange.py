"""Lagrange's equations with conditions on velocities: a sleigh on paper, the large linear system, laws."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_states import random_states
from random_trees import random_tree
from sixvec.errors import ArgumentError, DegenerateError, ShapeError
from sixvec.model import Body, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.scalar import cos, sin
from sixvec.spatial import RigidInertia, Sym3, Vec3
from sixvec.theory.lagrange import ConstrainedLagrange
from sixvec.theory.lagrange.constrained import Projected
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
    a = found.a
    assert_close(a[:, 2], spun, SOLVED, scale=np.abs(spun).max())
    along = a[:, 0] * np.cos(theta) + a[:, 1] * np.sin(theta)  # u̇, since the heading turns across the velocity
    assert_close(along, AHEAD * w**2, SOLVED, scale=np.abs(a).max())
    across = MASS * (u * w + AHEAD * spun)
    assert_close(found.multipliers[:, 0], across, SOLVED, scale=np.abs(across).max())


@pytest.mark.covers("DYN-14", "Bruyninckx (6.60)")
def test_results_solve_the_large_linear_system() -> None:
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
    assert_close(found.a, solution[:, :n], SOLVED)
    assert_close(found.multipliers, solution[:, n:], SOLVED)
    assert_close(found.force, np.einsum("nij,nj->ni", A, found.multipliers), IDENTITY)
    assert_close(found.force, robot.inverse_dynamics(q, v, found.a) - tau, 10 * SOLVED)


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
        return np.concatenate([x[3:], system.forward_dynamics(x[:3], x[3:], np.zeros(3)).a])

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
    a = system.forward_dynamics(q, v, tau, stabilisation=5.0).a
    rate = np.einsum("nij,nj->ni", system.forms(q), a) + system.drift(q, v)
    assert_close(rate, -5.0 * system.violation(q, v), 1e-10)


def test_mistakes() -> None:
    robot = sleigh()
    with pytest.raises(ArgumentError, match="forms"):
        ConstrainedLagrange(robot, lambda q: [[1.0, 2.0]])
    twice = ConstrainedLagrange(robot, lambda q: [*blade(q), *blade(q)])
    with pytest.raises(DegenerateError, match="conditions"):
        twice.forward_dynamics(*np.zeros((3, 3)))


def bead() -> sv.Robot:
    """A point mass that slides in a plane, without weight."""
    mass = RigidInertia.from_center_of_mass(1.5, Vec3.zero(), Sym3.zero())
    bodies = (
        Body("x", None, Prismatic(Vec3(1.0, 0.0, 0.0))),
        Body("bead", "x", Prismatic(Vec3(0.0, 1.0, 0.0)), inertia=mass),
    )
    return sv.Robot(Model("bead", bodies)).with_gravity([0.0, 0.0, 0.0])


def on_circle(q: list) -> list:
    return [q[0] * q[0] + q[1] * q[1] - 1.0]


@pytest.mark.covers("DYN-15")
@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler"])
def test_a_bead_stays_on_its_circle(integrator: str) -> None:
    """Ten seconds around the unit circle: the radius stays one, and so does the speed."""
    ring = ConstrainedLagrange(bead(), positions=on_circle)
    path = ring.rollout([1.0, 0.0], [0.0, 2.0], np.zeros((1000, 2)), 0.01, integrator=integrator)
    assert np.abs(np.hypot(*path.q.T) - 1.0).max() < 1e-9
    assert np.abs(ring.violation(path.q, path.v)).max() < 1e-9
    if integrator == "rk4":  # the angle is 2 t
        assert_close(path.q[-1], [np.cos(20.0), np.sin(20.0)], 1e-4, batched=False)


@pytest.mark.covers("DYN-15")
def test_without_projection_positions_drift_and_both_terms_of_baumgarte_bring_them_back() -> None:
    ring = ConstrainedLagrange(bead(), positions=on_circle)
    start = [1.0, 0.0], [0.0, 2.0], np.zeros((1000, 2)), 0.01

    def worst(**options: float) -> float:
        path = ring.rollout(*start, integrator="semi_implicit_euler", projection=False, **options)
        return float(np.abs(np.hypot(*path.q.T) - 1.0).max())

    assert worst() > 0.01
    assert worst(stabilisation=20.0) < 0.1 * worst()
    # An error of the position alone: with the velocity term only it would stay.
    off = ring.rollout([1.05, 0.0], [0.0, 0.0], np.zeros((400, 2)), 0.01, stabilisation=5.0, projection=False)
    assert abs(np.hypot(*off.q[-1]) - 1.0) < 1e-6
    h = ring.error([1.05, 0.0])
    a = ring.forward_dynamics([1.05, 0.0], [0.0, 0.0], [0.0, 0.0], stabilisation=5.0).a
    assert_close(ring.forms([1.05, 0.0]) @ a, -25.0 * h, SOLVED, batched=False)


@pytest.mark.covers("DYN-15")
def test_projection_is_the_nearest_state_on_the_conditions() -> None:
    """On a tree with balls and a free base: h and Aᵀ v vanish, and what was taken away is M⁻¹ A times something."""
    robot = sv.Robot(random_tree(7, bodies=4, floating=True))
    frame = "tool0"

    def at_height(q: list) -> list:
        return [robot.evaluate("pose", q, frame)[2][3]]

    system = ConstrainedLagrange(robot, positions=at_height)
    q, v, _, _ = random_states(robot, 5)
    kept = system.projected(q, v)
    assert kept.solved.all()
    assert np.abs(robot.pose(kept.q, frame)[:, 2, 3]).max() < 1e-11
    assert np.abs(system.violation(kept.q, kept.v)).max() < 1e-10
    again = system.projected(kept.q, kept.v)
    assert_close(again.v, kept.v, SOLVED)
    A = system.forms(kept.q)
    assert_close(A[:, 0], robot.jacobian(kept.q, frame)[:, 5], SOLVED)
    momentum = np.einsum("nij,nj->ni", robot.mass_matrix(kept.q), v - kept.v)  # along A alone
    along = np.einsum("ni,ni->n", momentum, A[:, 0]) / np.einsum("ni,ni->n", A[:, 0], A[:, 0])
    assert_close(momentum, along[:, None] * A[:, 0], 1e-8)
    # Ȧᵀ v by differences along the motion.
    step = 1e-6
    ahead, behind = (system.forms(robot.integrate(q, s * step * v)) for s in (1.0, -1.0))
    assert_close(system.drift(q, v), np.einsum("nmi,ni->nm", (ahead - behind) / (2.0 * step), v), DIFFERENCE)


def test_rollouts_need_forces_of_every_joint_and_a_time_step() -> None:
    cart = sv.load("cart_pole")
    stopped = ConstrainedLagrange(cart, positions=lambda q: [q[0]])
    q, v = [0.0, 0.3], [0.0, 0.0]
    for tau, dt in ((np.zeros((5, 3)), 0.01), (np.zeros(2), 0.01), (np.zeros((5, 2)), 0.0), (np.zeros((5, 2)), np.nan)):
        with pytest.raises((ShapeError, ArgumentError), match="rollout"):
            stopped.rollout(q, v, tau, dt)
    with pytest.raises(ArgumentError, match=named("rollout", "integrator", "verlet")):
        stopped.rollout(q, v, np.zeros((5, 2)), 0.01, integrator="verlet")


def test_words_of_projections() -> None:
    found = Projected(np.zeros((3, 2)), np.zeros((3, 2)), np.array([0.0, 0.5, np.nan]))
    assert repr(found) == "<Projected: 1 of 3 on the conditions>" and found.solved.tolist() == [True, False, False]
