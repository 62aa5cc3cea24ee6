"""Gradients where contacts begin: exact for the computed steps, and what that means for the motion.

A ball falls at constant speed, without gravity, from heights z₀.  The motion itself is known: it lands at
t = (z₀ - r)/|v_z|.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.constraints.contacts import Contact
from sixvec.formats import parse_model
from sixvec.geometry.rigid_body import Sphere

torch = pytest.importorskip("torch")

RADIUS, DT, STEPS, FALL = 0.1, 0.01, 20, -3.0
TEXT = """<mujoco model="puck"><option gravity="0 0 0"/><worldbody><body name="ball">
<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/><geom size=".1" mass="2"/>
</body></worldbody></mujoco>"""
PUCK = sv.Robot(parse_model(TEXT, "puck.xml"))
HEIGHTS = np.linspace(0.301, 0.301 + 3 * DT * abs(FALL), 180, endpoint=False)
"""Three lengths of a step: every time of landing between two steps is there."""


def ends(restitution: float, friction: float, speed: float) -> tuple[Any, Any]:
    """x and z at the end (2, n), and their derivatives with respect to the height of the start."""
    q = torch.tensor(np.stack([0.0 * HEIGHTS, HEIGHTS], -1)).requires_grad_()
    contact = Contact("ball", Sphere(RADIUS), friction=friction, restitution=restitution)
    v, force = torch.tensor([speed, FALL], dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    path = PUCK.rollout(q, v, force, DT, steps=STEPS, contacts=[contact])
    assert not path.verdict.any()
    slopes = [torch.autograd.grad(path.q[:, -1, k].sum(), q, retain_graph=True)[0][:, 1].numpy() for k in (0, 1)]
    return path.q[:, -1].detach().numpy().T, np.array(slopes)


def mean_slope(x: Any) -> float:
    """Over whole lengths of a step."""
    return float(np.polyfit(HEIGHTS, x, 1)[0])


@pytest.mark.parametrize("restitution", [0.4, 1.0])
def test_a_bounce_has_the_slope_of_its_piece(restitution: float) -> None:
    """Between its jumps the height grows with z₀, as before the bounce; the motion has the slope -e."""
    (_, z), (_, dz) = ends(restitution, 0.0, 0.0)
    assert np.allclose(dz, 1.0, atol=1e-9)
    exact = RADIUS + restitution * (abs(FALL) * DT * STEPS - (HEIGHTS - RADIUS))
    assert np.abs(z - exact).max() <= (1.0 + restitution) * abs(FALL) * DT * 1.0001
    jumps = np.diff(z)[np.abs(np.diff(z)) > 0.5 * (1.0 + restitution) * abs(FALL) * DT]
    assert len(jumps) == 3 and np.allclose(jumps, -(1.0 + restitution) * abs(FALL) * DT, rtol=0.05)
    assert abs(mean_slope(z) + restitution) < 0.3


def test_a_landing_without_rebound_forgets_the_height() -> None:
    (_, z), (_, dz) = ends(0.0, 0.0, 0.0)
    assert np.allclose(z, RADIUS, atol=1e-12) and np.allclose(dz, 0.0, atol=1e-9)


def test_a_landing_that_goes_on_sliding_has_the_exact_gradient() -> None:
    """Friction takes μ|v_z| when it lands, later from higher up."""
    mu = 0.2
    (x, _), (dx, _) = ends(0.0, mu, 1.0)
    landing = (HEIGHTS - RADIUS) / abs(FALL)
    slid = landing + (1.0 - mu * abs(FALL)) * (DT * STEPS - landing)
    assert np.allclose(x, slid, atol=1e-9) and np.allclose(dx, mu, atol=1e-9)


def test_a_landing_that_stops_has_the_exact_gradient_on_average() -> None:
    """It stops in the step in which it lands: slopes are μ where friction needs two steps for that, and 0 elsewhere."""
    mu, speed = 0.5, 1.0
    (x, _), (dx, _) = ends(0.0, mu, speed)
    assert np.all(np.isclose(dx, 0.0, atol=1e-9) | np.isclose(dx, mu, atol=1e-9))
    assert abs(dx.mean() - speed / abs(FALL)) < 0.01
    assert np.abs(x - (HEIGHTS - RADIUS) / abs(FALL)).max() <= speed * DT
