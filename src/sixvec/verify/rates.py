"""Momentum, and derivatives of dynamics against central differences."""

from __future__ import annotations

import numpy as np

from sixvec.model import Model
from sixvec.verify.check import Identity, Sides, Subject, apply, rate, size
from sixvec.verify.identities import DIFFERENCE, ROUND_OFF
from sixvec.verify.state import State

LARGE = 12
"""Freedoms above which derivatives are evaluated at one state: they have nv² entries of many operations, and what is
wrong with equations is wrong at almost every state."""


def linear_momentum(s: Subject) -> Sides:
    q, v, _ = s.state
    velocity = rate(lambda h: s.robot.center_of_mass(s.robot.integrate(q, h * v)), q)
    p = s.robot.momentum(q, v)[..., 3:]
    return Sides(moving_mass(s.robot.model) * velocity, p, size(p))


def momentum_matrix(s: Subject) -> Sides:
    q, v, _ = s.state
    h = s.robot.momentum(q, v)
    return Sides(apply(s.robot.centroidal_momentum_matrix(q), v), h, size(h))


def inverse_derivatives(s: Subject) -> Sides:
    """∂ID/∂(q, v, a), with one step per coordinate as a new axis of the batch."""
    inverse, along, state = s.robot.inverse_dynamics, np.eye(s.robot.nv), few(s)
    q, v, a = (x[..., None, :] for x in state)
    slopes = (
        rate(lambda h: inverse(s.robot.integrate(q, h * along), v, a), q),
        rate(lambda h: inverse(q, v + h * along, a), q),
        rate(lambda h: inverse(q, v, a + h * along), q),
    )
    found = np.stack(s.robot.inverse_dynamics_derivatives(*state))
    return Sides(found, np.swapaxes(np.stack(slopes), -1, -2), size(found) + size(inverse(*state)))


def forward_derivatives(s: Subject) -> Sides:
    """FD(q, v, ID(q, v, a)) = a, differentiated.  Not by differences: useless for near-singular mass matrices."""
    q, v, a = few(s)
    M = s.robot.mass_matrix(q)
    by = s.robot.inverse_dynamics_derivatives(q, v, a)
    forward = s.robot.forward_dynamics_derivatives(q, v, s.robot.inverse_dynamics(q, v, a))
    products = np.stack([M @ d for d in forward])
    wanted = np.stack([-by.dq, -by.dv, np.broadcast_to(np.eye(s.robot.nv), M.shape)])
    return Sides(products, wanted, size(np.stack([np.abs(M) @ np.abs(d) for d in forward])))


def few(s: Subject) -> State:
    """The states on which derivatives are evaluated."""
    return s.state if s.robot.nv <= LARGE else State(*(x[:1] for x in s.state))


def moving_mass(model: Model) -> float:
    """The mass of all bodies that a joint moves."""
    return float(sum(b.inertia.mass for b in model.bodies if any(p.joint.nv for p in model.path(b.name))))


RATES = (
    Identity("m dc/dt = p", "linear momentum", DIFFERENCE, linear_momentum),
    Identity("A v = h", "centroidal momentum matrix", ROUND_OFF, momentum_matrix),
    Identity("∂ID = differences", "derivatives of inverse dynamics", DIFFERENCE, inverse_derivatives),
    Identity("M ∂FD = -∂ID", "derivatives of forward dynamics", ROUND_OFF, forward_derivatives),
)
