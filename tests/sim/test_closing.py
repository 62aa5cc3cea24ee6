"""Loops that close along the rows of the start of a step keep the energy, for integrators of velocities and momenta."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec

FOUR_BAR = sixvec.load("four_bar").with_gravity([0.0, 0.0, 0.0])
START = FOUR_BAR.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
TURNING = sixvec.constraints.velocity_map(FOUR_BAR, START)[:, 0]


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("integrator", ["symplectic_euler", "semi_implicit_euler"])
def test_a_linkage_that_turns_freely_keeps_its_energy_and_stays_closed(integrator: str, sign: float) -> None:
    path = FOUR_BAR.rollout(START, sign * TURNING, np.zeros(3), 1e-3, steps=1000, integrator=integrator)
    energy = FOUR_BAR.kinetic_energy(path.q, path.v)
    assert abs(FOUR_BAR.closure_error(path.q)).max() < 1e-12
    assert abs(energy / FOUR_BAR.kinetic_energy(START, TURNING) - 1.0).max() < 0.02
    assert abs(path.q[-1] - START).max() > 0.3
