"""Bounds of rates as a pair, and samples that are not finite."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec.analysis import dynamic_manipulability
from sixvec.ik.redundancy import (
    VelocityBounds,
    extended_inverse,
    joint_springs,
    rates_within_limits,
    velocity_bounds,
)

TOOL = "panda_link8"
BENT = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])


@pytest.fixture
def arm() -> sixvec.Robot:
    return sixvec.load("panda")


def test_a_small_margin_leaves_no_conflict(arm: sixvec.Robot) -> None:
    assert not velocity_bounds(arm, BENT, 0.01, margin=0.1).conflict()


def test_bounds_may_be_a_pair(arm: sixvec.Robot) -> None:
    J, t, upper = arm.jacobian(BENT, TOOL), np.array([0.0, 0.0, 0.0, 0.0, 5.0, 0.0]), np.full(7, 0.3)
    for policy in ("scaled", "nearest"):
        pair = rates_within_limits(J, t, (-upper, upper.tolist()), policy=policy)
        listed = rates_within_limits(J, t, VelocityBounds(-upper, upper, ("",) * 7, ("",) * 7, arm.joint_names),
                                    policy=policy)  # fmt: skip
        np.testing.assert_array_equal(pair.v, listed.v)
        assert np.abs(pair.v).max() == pytest.approx(0.3)


def test_springs_without_stiffness_have_no_energy(arm: sixvec.Robot) -> None:
    assert joint_springs(arm, stiffness=0.0).value(BENT) == 0.0


def test_nan_stays_in_its_sample(arm: sixvec.Robot) -> None:
    q = np.stack([BENT, BENT * np.nan])
    J = arm.jacobian(q, TOOL)
    B = extended_inverse(J, np.eye(7)[:1])
    assert np.isfinite(B[0]).all() and np.isnan(B[1]).all()
    moved = dynamic_manipulability(arm, q, TOOL, np.eye(6))
    assert np.isfinite(moved.volume[0]) and np.isnan(moved.volume[1]) and np.isnan(moved.isotropy[1])
    alone = dynamic_manipulability(arm, BENT, TOOL, np.eye(6))
    np.testing.assert_allclose(moved.radii[0], alone.radii)
