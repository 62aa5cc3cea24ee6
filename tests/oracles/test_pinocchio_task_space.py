"""Inverse operational-space inertia and bias wrench of published robots: ours, and from Pinocchio's M⁻¹, J and h."""

from __future__ import annotations

import numpy as np
import pytest

from pinocchio_bridge import REFERENCES, peer, pin
from published import ALL, Published
from random_states import random_states
from targets import OnTarget
from tolerances import PEER, assert_close

CHOSEN = [p for p in ALL if p.name in {"panda", "baxter", "anymal", "hyq_no_sensors"}]

INVERTED = 1e-8
"""After inverting an inverse inertia whose condition number is up to 1e6."""


@pytest.mark.every(3)
@pytest.mark.covers("OP-05", "DYN-26", "Lynch-Park (9.99)")
@pytest.mark.parametrize("published", CHOSEN, ids=lambda p: p.name)
@pytest.mark.parametrize("reference", REFERENCES)
def test_inverse_inertia_of_the_tip(published: Published, reference: str) -> None:
    other, tip = peer(published), published.tip
    robot = OnTarget(published.load(), "interpreter")
    q, v, _, _ = random_states(robot, 4)

    def parts(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        where, axes = other.frame(tip), REFERENCES[reference]
        J = other.columns(pin.computeFrameJacobian(other.model, other.data, q, where, axes))
        dJ = other.columns(pin.frameJacobianTimeVariation(other.model, other.data, q, v, where, axes))
        half = np.triu(pin.computeMinverse(other.model, other.data, q))
        inverse = other.matrix(half + np.triu(half, 1).T)
        h = other.vector(pin.nonLinearEffects(other.model, other.data, q, v))
        return J @ inverse @ J.T, J @ inverse @ h - dJ @ other.vector(v)

    Omega, drift = other.each(parts, q, v)
    assert_close(robot.operational_space_inertia_inverse(q, tip, reference), Omega, PEER)
    # Ω η = J M⁻¹ h - J̇ v, whatever the condition of Ω.
    Lambda_bias = robot.task_space_bias(q, v, tip, reference)
    kept = np.linalg.cond(Omega) < 1e6
    assert kept.any()
    assert_close(np.einsum("nij,nj->ni", Omega, Lambda_bias)[kept], drift[kept], INVERTED)
