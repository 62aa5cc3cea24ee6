"""Ellipsoids of velocity, force and acceleration."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec.analysis import dynamic_manipulability, force_manipulability, velocity_manipulability
from sixvec.errors import ArgumentError
from sixvec.ik import inverse_force
from sixvec.solve import Metric
from tolerances import SOLVED, assert_close

TOOL = "panda_link8"
METRIC = Metric.from_length(0.2, 7, rates=np.arange(1.0, 8.0))


@pytest.fixture
def arm() -> sixvec.Robot:
    return sixvec.load("panda")


@pytest.mark.covers("CHAIN-15")
def test_volume_is_yoshikawas_index(arm: sixvec.Robot) -> None:
    q = arm.random(0, 6)
    J = arm.jacobian(q, TOOL)
    e = velocity_manipulability(arm, q, TOOL, METRIC)
    inside = J @ np.linalg.inv(METRIC.joint) @ np.swapaxes(J, 1, 2)
    expected = np.sqrt(np.linalg.det(METRIC.task) * np.linalg.det(inside))
    assert_close(e.volume, expected, 1e-10)


@pytest.mark.covers("CHAIN-15")
def test_no_joint_velocity_of_size_one_leaves_the_ellipsoid(arm: sixvec.Robot) -> None:
    """The largest twist of many random joint velocities approaches the largest radius from below."""
    q = arm.random(0)
    e = velocity_manipulability(arm, q, TOOL, METRIC)
    v = np.random.default_rng(1).normal(size=(2000, 7))
    v /= np.sqrt(np.einsum("ni,ij,nj->n", v, METRIC.joint, v))[:, None]
    t = v @ arm.jacobian(q, TOOL).T
    sizes = np.sqrt(np.einsum("ni,ij,nj->n", t, METRIC.task, t))
    assert sizes.max() <= e.radii[0] * (1 + 1e-12)
    assert sizes.max() > 0.9 * e.radii[0]


@pytest.mark.covers("CHAIN-15")
def test_where_the_robot_is_slow_it_is_strong(arm: sixvec.Robot) -> None:
    """A wrench on an axis of the force ellipsoid, as long as its radius, needs joint forces of size one."""
    q = arm.random(2)
    speed, strength = (f(arm, q, TOOL, METRIC) for f in (velocity_manipulability, force_manipulability))
    assert_close(speed.radii * strength.radii, np.ones(6), SOLVED, batched=False)
    for radius, axis in zip(strength.radii, strength.axes.T, strict=True):
        tau = inverse_force(arm, q, radius * axis, TOOL, acting="by_robot")
        assert tau @ np.linalg.inv(METRIC.joint) @ tau == pytest.approx(1.0)
        assert axis @ np.linalg.inv(METRIC.task) @ axis == pytest.approx(1.0)


@pytest.mark.covers("CHAIN-15")
def test_dynamic_ellipsoid_bounds_forward_dynamics(arm: sixvec.Robot) -> None:
    """Accelerations at rest by forward dynamics, motors holding gravity, for joint forces of size one."""
    q = arm.random(3)
    e = dynamic_manipulability(arm, q, TOOL, METRIC.task)
    rng = np.random.default_rng(4)
    tau = rng.normal(size=(2000, 7))
    tau *= arm.effort_limits / np.linalg.norm(tau, axis=1, keepdims=True)
    still = np.zeros_like(tau)
    a = arm.forward_dynamics(np.broadcast_to(q, tau.shape), still, tau + arm.gravity_forces(q))
    A = arm.acceleration(np.broadcast_to(q, tau.shape), still, a, TOOL)
    sizes = np.sqrt(np.einsum("ni,ij,nj->n", A, METRIC.task, A))
    assert sizes.max() <= e.radii[0] * (1 + 1e-9)
    assert sizes.max() > 0.8 * e.radii[0]
    # Inside the ellipsoid in all directions, not only in size.
    inside = np.linalg.inv(e.axes * e.radii)
    assert (np.linalg.norm(A @ inside.T, axis=1) <= 1 + 1e-9).all()


@pytest.mark.covers("CHAIN-15")
def test_dynamic_volume_is_the_kinematic_one_over_the_mass(arm: sixvec.Robot) -> None:
    """For as many joints as directions det(J M⁻¹) splits; here on the PUMA with unit efforts."""
    puma = sixvec.load("puma560")
    tool, q = puma.frame_names[-1], puma.random(1, 4)
    weight = Metric.from_length(0.3, 6)
    dynamic = dynamic_manipulability(puma, q, tool, weight.task, efforts=1.0).volume
    kinematic = velocity_manipulability(puma, q, tool, weight).volume
    assert_close(dynamic, kinematic / np.linalg.det(puma.mass_matrix(q)), 1e-8)


@pytest.mark.covers("CHAIN-15")
def test_unweighted_index_depends_on_the_unit_of_length(arm: sixvec.Robot) -> None:
    """The index of two configurations even changes its order; that is why a metric must be named."""
    q = arm.random(5, 50)
    small, large = (velocity_manipulability(arm, q, TOOL, Metric.from_length(L, 7)).isotropy for L in (0.05, 5.0))
    assert (np.argsort(small) != np.argsort(large)).any()


def test_efforts_must_be_finite(arm: sixvec.Robot) -> None:
    with pytest.raises(ArgumentError, match="efforts"):
        dynamic_manipulability(arm, arm.neutral(), TOOL, np.eye(6), efforts=np.inf)
