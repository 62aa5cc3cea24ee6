"""Momentum, and derivatives of dynamics against central differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixvec.analysis.verify.check import Identity, Sides, Subject, apply, rate, row_sizes, size
from sixvec.analysis.verify.identities import DIFFERENCE, ROUND_OFF, joint_weights, noise_of_rate
from sixvec.analysis.verify.state import Array
from sixvec.model import Model


def linear_momentum(s: Subject) -> Sides:
    q, v, _ = s.state
    velocity = rate(lambda h: s.robot.center_of_mass(s.robot.integrate(q, h * v)), q)
    p, mass = s.robot.momentum(q, v)[..., 3:], moving_mass(s.robot.model)
    return Sides(mass * velocity, p, size(p) + noise_of_rate(mass * s.robot.center_of_mass(q)))


def momentum_matrix(s: Subject) -> Sides:
    q, v, _ = s.state
    h = s.robot.momentum(q, v)
    return Sides(apply(s.robot.centroidal_momentum_matrix(q), v), h, size(h))


def inverse_derivatives(s: Subject) -> Sides:
    """∂ID/∂(q, v, a), with one step per coordinate as a new axis of the batch."""
    inverse, along, state = s.robot.inverse_dynamics, np.eye(s.robot.nv), s.few
    q, v, a = (x[..., None, :] for x in state)

    def moved(h: Array) -> Any:
        q1, v1, a1 = s.robot.integrate(q, h * along), v + h * along, a + h * along
        q0, v0, a0 = (np.broadcast_to(x, y.shape) for x, y in ((q, q1), (v, v1), (a, a1)))
        return inverse(np.stack([q1, q0, q0], 1), np.stack([v0, v1, v0], 1), np.stack([a0, a0, a1], 1))

    slopes = rate(moved, q)
    partials = np.stack(s.robot.inverse_dynamics_derivatives(*state))
    return Sides(
        partials,
        np.swapaxes(slopes, -1, -2),
        row_sizes(partials, -2) + row_sizes(inverse(*state), -1).reshape(-1, 1),
    )


def forward_derivatives(s: Subject) -> Sides:
    """FD(q, v, ID(q, v, a)) = a, differentiated.  Not by differences: useless for near-singular mass matrices."""
    q, v, a = s.few
    M = s.robot.mass_matrix(s.state.q)[: len(q)]
    by = s.robot.inverse_dynamics_derivatives(q, v, a)
    tau = s.robot.inverse_dynamics(q, v, a)
    forward = s.robot.forward_dynamics_derivatives(q, v, tau)
    products = np.stack([M @ d for d in forward])
    expected = np.stack([-by.dq, -by.dv, np.broadcast_to(np.eye(s.robot.nv), M.shape)])
    weights = joint_weights(M)
    columns = np.stack([weights @ np.abs(d) for d in forward])  # (3, samples, nv)
    # The derivatives may vanish, as those of a universal joint with isotropic inertia; both sides are rounding then.
    # The forces that are differentiated do not: by an angle or a velocity they change by about their own size.
    terms = row_sizes(tau, -1).reshape(-1, 1) + weights[:, None] * max(size(weights * v), size(weights * a))
    return Sides(products, expected, weights[:, None] * np.max(columns, axis=(1, 2))[:, None, None, None] + terms)


def moving_mass(model: Model) -> float:
    """The mass of all bodies that a joint moves."""
    return float(sum(b.inertia.mass for b in model.bodies if any(p.joint.nv for p in model.path(b.name))))


RATES = (
    Identity("m dc/dt = p", "linear momentum", DIFFERENCE, linear_momentum),
    Identity("A v = h", "centroidal momentum matrix", ROUND_OFF, momentum_matrix),
    Identity("∂ID = differences", "derivatives of inverse dynamics", DIFFERENCE, inverse_derivatives),
    Identity("M ∂FD = -∂ID", "derivatives of forward dynamics", ROUND_OFF, forward_derivatives),
)
