"""Environments of robots with loops and wheels: the steps of rollouts, from starts that these allow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import sim
from sixvec.constraints.contacts import Contact
from sixvec.errors import ArgumentError
from sixvec.geometry.rigid_body.solids import Sphere
from sixvec.model import Limits
from sixvec.sim.file_rollout import ACCEPTED, PRECISION
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

TOLERANCE = ACCEPTED * PRECISION
"""To which rollouts solve the contacts of files."""


@pytest.fixture(scope="module")
def bars() -> sv.Robot:
    """A four-bar whose drive has stops."""
    model = sv.load("four_bar").model
    drive = next(b.name for b in model.bodies if b.joint_name == "drive")
    bodies = tuple(replace(b, limits=Limits((0.2,), (0.9,))) if b.name == drive else b for b in model.bodies)
    return sv.Robot(replace(model, bodies=bodies))


@pytest.fixture(scope="module")
def closed(bars: sv.Robot) -> Any:
    return bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q


@pytest.fixture(scope="module")
def cart() -> Any:
    """A platform on two driven wheels and a sphere that slides, with a floor below it."""
    platform = sv.mobile.differential_drive(0.5, 0.1)
    body = RigidInertia.from_center_of_mass(20.0, Vec3.zero(), Sym3.diagonal(0.5, 0.5, 0.8))
    return sv.mobile.wheeled_robot(platform, body, 1.0)


def below(robot: sv.Robot, q: Any, frame: str) -> Contact:
    """A floor a millimetre below a frame."""
    height = float(robot.pose(q, frame)[2, 3])
    return Contact(frame, Sphere(0.0), on_placement=Pose.translation(Vec3(0.0, 0.0, height - 1e-3)))


def test_steps_of_loops_have_the_bits_of_rollouts(bars: sv.Robot, closed: Any) -> None:
    zero = np.zeros(3)
    env = sim.Batch(bars, 3, dt=1e-3, limits=True, start=(closed, zero), tolerance=TOLERANCE, passive=False)
    path = bars.rollout(closed, zero, zero, 1e-3, steps=300, limits=True, passive=False)
    hit = False
    for k in range(300):
        env.step(zero)
        hit |= bool(env.force.any())
        assert (env.q == path.q[k]).all() and (env.v == path.v[k]).all() and (env.force == path.force[k]).all()
    assert hit and not env.verdict.any() and np.abs(bars.closure_error(env.q)).max() < 1e-12


def test_noise_keeps_loops_closed(bars: sv.Robot, closed: Any) -> None:
    contact = below(bars, closed, bars.frame_names[-1])
    env = sim.Batch(bars, 8, dt=1e-3, substeps=200, contacts=[contact], start=(closed, np.zeros(3)), noise=0.05, seed=3)
    starts = env.q.copy()
    assert np.ptp(starts, axis=0).max() > 0.01 and np.ptp(env.v, axis=0).max() > 0.01
    for _ in range(2):
        assert np.abs(bars.closure_error(env.q)).max() < 1e-12
        assert np.abs(bars.closure_jacobian(env.q) @ env.v[..., None]).max() < 1e-12
        env.step(np.zeros(3))
    assert not env.verdict.any() and np.abs(env.q - starts).max() > 0.01
    far = sim.Batch(bars, 8, dt=1e-3, start=(closed, np.zeros(3)), noise=3.0)
    assert np.abs(bars.closure_error(far.q)).max() < 1e-6


def test_masses_of_loops_may_differ(bars: sv.Robot, closed: Any) -> None:
    """With doubled masses the same motion, and doubled forces; results do not depend on the others."""
    varied = bars.with_parameters("inertia")
    masses = np.array(varied.parameter_values)
    contact = below(bars, closed, bars.frame_names[-1])
    options: dict[str, Any] = {"dt": 1e-3, "substeps": 200, "contacts": [contact], "start": (closed, np.zeros(3))}
    env = sim.Batch(varied.at(np.stack([masses, 2.0 * masses])), 2, **options)
    alone = sim.Batch(varied.at(masses), 1, **options)
    env.step(np.zeros(3))
    alone.step(np.zeros(3))
    assert (env.q[0] == alone.q[0]).all()
    assert np.allclose(env.q[0], env.q[1], rtol=0.0, atol=1e-12)
    assert env.force[0, 0] > 1.0 and np.allclose(2.0 * env.force[0], env.force[1])


def test_single_precision_keeps_loops_closed(bars: sv.Robot, closed: Any) -> None:
    contact = below(bars, closed, bars.frame_names[-1])
    options: dict[str, Any] = {"dt": 1e-3, "substeps": 100, "contacts": [contact], "start": (closed, np.zeros(3))}
    for count in (1, 3):
        env, single = (sim.Batch(bars, count, dtype=name, **options) for name in ("float64", "float32"))
        for e in (env, single):
            e.step(np.zeros(3))
        assert single.q.dtype == np.float32 and np.allclose(single.q, env.q, atol=1e-6)
        assert np.abs(bars.closure_error(single.q.astype(float))).max() < 1e-6


def test_wheels_roll_and_have_the_bits_of_rollouts(cart: Any) -> None:
    q, v = cart.neutral(), np.zeros(cart.nv)
    tau = np.zeros(cart.nv)
    tau[-2:] = [0.3, 0.5]
    env = sim.Batch(cart, 2, dt=1e-3, start=(q, v), limits=True, tolerance=TOLERANCE, passive=True)
    path = cart.rollout(q, v, tau, 1e-3, steps=100, limits=True)
    for k in range(100):
        env.step(tau)
        assert (env.q == path.q[k]).all() and (env.v == path.v[k]).all()
    assert np.abs(env.v).max() > 0.1
    assert np.abs(cart.sliding.constraint_jacobian(env.q, hold=cart.rolling) @ env.v[..., None]).max() < 1e-12


def test_starts_that_loops_and_wheels_do_not_allow_are_named(bars: sv.Robot, closed: Any, cart: Any) -> None:
    with pytest.raises(ArgumentError, match=r"Batch: at the start .* open by"):
        sim.Batch(bars, 2, dt=1e-3, start=(closed + 0.1, np.zeros(3)))
    with pytest.raises(ArgumentError, match=r"Batch: at the start .* slips"):
        sim.Batch(cart, 2, dt=1e-3, start=(cart.neutral(), np.ones(cart.nv)))
