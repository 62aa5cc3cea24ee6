"""The symplectic method where positions are rotations and poses: order, symplectic form, momentum, energy."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from differences import gradient
from random_trees import random_tree
from sixvec import Robot
from sixvec.model import Body, Model
from sixvec.model.joints import Free, Joint, Spherical
from sixvec.sim import rollout, symplectic

BALL = 5
"""Seed of a tree with a ball, a prismatic and a revolute joint."""
SUBJECTS = {"ball": lambda: random_tree(BALL, bodies=3), "floating": lambda: random_tree(11, bodies=3, floating=True)}


@cache
def subject(name: str, weightless: bool = False) -> Robot:
    robot = Robot(SUBJECTS[name]())
    return robot.with_gravity([0.0, 0.0, 0.0]) if weightless else robot


def state(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    return robot.random(rng), rng.normal(size=robot.nv)


@pytest.mark.covers("DYN-15")
@pytest.mark.parametrize("name", list(SUBJECTS))
def test_the_order_is_one(name: str) -> None:
    robot = subject(name)
    q, v = state(robot)
    tau = 0.3 * np.random.default_rng(5).normal(size=robot.nv)

    def end(integrator: str, n: int) -> tuple[np.ndarray, np.ndarray]:
        path = rollout(robot, q, v, np.broadcast_to(tau, (n, robot.nv)), 0.2 / n, integrator=integrator)
        return path.q[-1], path.v[-1]

    q_true, v_true = end("rk4", 1600)
    errors = []
    for n in (200, 400, 800):
        q_end, v_end = end("symplectic_euler", n)
        errors.append(np.hypot(np.linalg.norm(robot.difference(q_true, q_end)), np.linalg.norm(v_end - v_true)))
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx(1.0, abs=0.05)


def form(robot: Robot, p: np.ndarray) -> np.ndarray:
    """The canonical form of T*Q for displacements and momenta in body axes: [A, 1; -1, 0], A_ij = p · [e_i, e_j]."""
    n, units = robot.nv, np.eye(robot.nv)
    A = np.zeros((n, n))
    for b in robot.model.moving:
        own = robot.model.v_slices[b.name]
        for i in range(own.start, own.stop):
            for j in range(own.start, own.stop):
                A[i, j] = np.dot(p[own], b.joint.bracket(units[i, own], units[j, own]))
    return np.block([[A, np.eye(n)], [-np.eye(n), np.zeros((n, n))]])


@pytest.mark.parametrize("name", list(SUBJECTS))
def test_the_symplectic_form_is_preserved(name: str) -> None:
    """Jᵀ Ω(p₁) J = Ω(p) for the derivative J of a step, up to what the rounds of its implicit equation leave."""
    robot, n = subject(name), subject(name).nv
    q, v = state(robot)
    p = robot.mass_matrix(q) @ v

    def violation(h: float, integrator: str) -> float:
        def step(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            at = robot.integrate(q, z[..., :n])
            rate = np.linalg.solve(robot.mass_matrix(at), (p + z[..., n:])[..., None])[..., 0]
            path = rollout(robot, at, rate, np.zeros((1, n)), h, integrator=integrator)
            q1 = path.q[..., 0, :]
            return q1, (robot.mass_matrix(q1) @ path.v[..., 0, :, None])[..., 0]

        q1, p1 = (x[0] for x in step(np.zeros((1, 2 * n))))

        def change(z: np.ndarray) -> np.ndarray:
            moved, momentum = step(z)
            return np.concatenate([robot.difference(q1, moved), momentum - p1], axis=-1)

        J = gradient(change, np.zeros((1, 2 * n)))[0]
        return float(np.abs(J.T @ form(robot, p1) @ J - form(robot, p)).max())

    # Four rounds leave an error of order h⁵; methods that are not symplectic violate the form in order h².
    assert violation(0.02, "symplectic_euler") / violation(0.01, "symplectic_euler") > 24.0
    assert violation(0.01, "symplectic_euler") < 1e-2 * violation(0.01, "semi_implicit_euler")


@pytest.mark.parametrize("joint", [Spherical(), Free()], ids=["ball", "free"])
@pytest.mark.parametrize("side", [1.0, -1.0], ids=["right", "left"])
def test_the_series_of_the_momentum(joint: Joint, side: float) -> None:
    """J⁻ᵀ(u) p by the integral J(u) = ∫₀¹ exp(∓s ad_u) ds: what the series leaves out is of order six."""
    model = Model("body", (Body("body", joint=joint),))
    rng = np.random.default_rng(6)
    u, p = rng.normal(size=(2, joint.nv))

    def difference(size: float) -> float:
        step = size * u / np.linalg.norm(u)
        ad = np.transpose([joint.bracket(step, e) for e in np.eye(joint.nv)])
        powers = [np.linalg.matrix_power(-side * ad, k) / math.factorial(k + 1) for k in range(20)]
        exact = np.linalg.solve(sum(powers).T, p)
        return float(np.abs(symplectic.momentum_at_end(model, [*step], [*p], side) - exact).max())

    assert difference(0.1) < 1e-10
    assert np.log2(difference(0.4) / difference(0.2)) == pytest.approx(6.0, abs=0.2)


def test_the_momentum_of_a_floating_robot_stays() -> None:
    """Discrete Noether theorem: in weightlessness the momentum about the world's origin, spin and all, is kept."""
    robot = subject("floating", weightless=True)
    q, v = state(robot)

    def drift(integrator: str) -> float:
        path = rollout(robot, q, v, np.zeros((1000, robot.nv)), 0.002, integrator=integrator)
        h, c = robot.momentum(path.q, path.v), robot.center_of_mass(path.q)
        about_origin = np.hstack([h[:, :3] + np.cross(c, h[:, 3:]), h[:, 3:]])
        return float(np.abs(about_origin - about_origin[0]).max())

    assert drift("symplectic_euler") < 1e-5 * drift("semi_implicit_euler")


def test_the_energy_of_a_floating_robot_does_not_drift() -> None:
    robot = subject("floating", weightless=True)
    q, v = state(robot)
    drift = {}
    for integrator in ("euler", "semi_implicit_euler", "symplectic_euler", "rk4"):
        path = rollout(robot, q, v, np.zeros((20_000, robot.nv)), 0.002, integrator=integrator)
        energy = robot.kinetic_energy(path.q, path.v)
        drift[integrator] = abs(energy[-2000:].mean() / energy[:2000].mean() - 1.0)
    assert drift["symplectic_euler"] < 0.1 * min(drift["euler"], drift["semi_implicit_euler"]), drift
    assert drift["rk4"] < 1e-6, drift
