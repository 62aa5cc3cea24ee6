"""Contacts that resist spinning and rolling: a ball comes to rest, and stays there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
import sixvec.formats
from sixvec import sim
from sixvec.constraints.contacts import Contact
from sixvec.errors import ArgumentError
from sixvec.geometry.rigid_body import Sphere
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


def test_what_goes_with_sliding_alone_is_named() -> None:
    with pytest.raises(ArgumentError, match="prescribed="):
        ball().rollout(*START, np.zeros(6), 2e-3, steps=2, contacts=[contact()], prescribed=[0, 1, 2, 3, 4, 5])


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
