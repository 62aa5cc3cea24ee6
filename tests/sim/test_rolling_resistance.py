"""Contacts that resist spinning and rolling: a ball comes to rest, and stays there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
import sixvec.formats
from sixvec import sim
from sixvec.constraints.contacts import Contact
from sixvec.geometry.rigid_body import Sphere
from sixvec.model import Body, Model
from sixvec.model.body import Frame
from sixvec.model.geom import HalfSpace
from sixvec.model.joints import Free, Revolute
from sixvec.spatial import Vec3
from sixvec.verdict import Verdict

BALL = """<mujoco><worldbody><body name="ball" pos="0 0 .1"><freejoint/>
  <geom type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>"""

START = ([0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0], [0.0, 5.0, 3.0, 0.5, 0.0, 0.0])


def ball() -> sv.Robot:
    return sv.Robot(sv.formats.parse_model(BALL, "ball.xml"))


def contact(**options: Any) -> Contact:
    return Contact("ball", Sphere(0.1), **({"friction": 0.5, "dimension": 6, "roll": 0.02, "spin": 0.02} | options))


@pytest.mark.parametrize("way", ["rollout", "batch"])
def test_a_rolling_ball_slows_down_evenly_and_stops_for_good(way: str) -> None:
    r, h, steps = ball(), 2e-3, 300
    if way == "rollout":
        path = r.rollout(*START, np.zeros(6), h, steps=steps, contacts=[contact()])
        v, verdict = path.v, path.verdict
    else:
        env = sim.Batch(r, 1, dt=h, contacts=[contact()], start=START)
        found = [(env.step(np.zeros(6))[0, 7:].copy(), env.verdict[0]) for _ in range(steps)]
        v, verdict = np.array([x for x, _ in found]), np.max([x for _, x in found])
    assert verdict == 0
    speed = np.linalg.norm(v[:, 3:], axis=1)
    slowing = 0.02 * 9.81 / (0.1 * 1.4)  # a moment of 0.02 m times the weight, on 7/5 m r²
    assert np.allclose(-np.diff(speed[:100]) / h, slowing, rtol=1e-6)
    assert np.abs(v[-50:]).max() < 1e-3


def test_the_residual_contains_rolling() -> None:
    """A ball turns about a horizontal axis only if the moment of rolling is at its limit."""
    r = ball()
    env = sim.Batch(r, 1, dt=2e-3, contacts=[contact()], start=START, most_sweeps=2)
    for _ in range(300):
        env.step(np.zeros(6))
        turning = np.hypot(*(r.pose(env.q, "ball")[0, :3, :3] @ env.v[0, :3])[:2])
        normal, *_, first, second = env.impulses[0]
        slack = (0.02 * normal - np.hypot(first, second)) / (0.4 * 0.1**2)
        assert min(turning, slack) <= 2.0 * env.residual[0] + 1e-9


def test_driven_bodies_feel_no_resistance_and_others_are_carried_by_them() -> None:
    """A turntable that turns faster and faster carries a ball by sliding, spinning and rolling friction."""
    table = Body("table", joint=Revolute(Vec3(0.0, 0.0, 1.0)), inertia=Sphere(0.1).inertia(1.0), joint_name="axle")
    other = Body("ball", joint=Free(), inertia=Sphere(0.1).inertia(1.0))
    frames = (Frame("table", "table"), Frame("ball", "ball"))
    robot = sv.Robot(Model("turntable", (table, other), frames))
    touch = Contact("ball", Sphere(0.1), HalfSpace(), "table", friction=0.8, dimension=6, spin=0.05, roll=0.05)
    q = robot.neutral()
    q[3] = 0.1
    path = robot.rollout(q, np.zeros(7), [2.0, *[0.0] * 6], 1e-3, steps=400, contacts=[touch], prescribed=["axle"])
    assert path.verdict == 0 and np.allclose(path.v[:, 0], 2e-3 * np.arange(1, 401))
    assert np.allclose(path.v[:, 3], path.v[:, 0], rtol=1e-6)  # it turns with the table


def test_contacts_of_dimension_1_have_no_friction() -> None:
    path = ball().rollout(*START, np.zeros(6), 2e-3, steps=20, contacts=[contact(dimension=1)])
    assert contact(dimension=1).friction == 0.0
    assert np.allclose(np.linalg.norm(path.v[:, :3], axis=1), np.hypot(5.0, 3.0), rtol=1e-12)


@pytest.mark.parametrize("column", range(6))
def test_a_control_that_is_no_number_keeps_the_state_of_a_free_body(column: int) -> None:
    env = sim.Batch(ball(), 3, dt=0.01, contacts="floor")
    before, action = env.state.copy(), np.zeros((3, 6))
    action[1, column] = np.nan
    after = env.step(action)
    assert np.array_equal(after[1], before[1]) and np.isfinite(after).all() and env.verdict[1] == Verdict.INVALID
    env.step(np.zeros((3, 6)))
    assert (env.verdict == 0).all()
