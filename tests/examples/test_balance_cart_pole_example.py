"""The regulator of the cart-pole: every pole stands in the end, and the forces are those of its law."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np

EXAMPLE = Path(__file__).parents[2] / "examples/balance_cart_pole.py"


def test_poles_stand_and_fall_without_the_regulator() -> None:
    example = runpy.run_path(str(EXAMPLE))
    cart, q, path = example["balanced"](starts=20, seconds=8.0)
    assert (path.verdict == 0).all()
    assert np.abs(path.q[:, -1] - q).max() < 1e-3
    assert np.abs(path.tau[..., 0]).max() <= cart.effort_limits[0] and not path.tau[..., 1].any()
    assert cart.potential_energy(q) > cart.potential_energy(q + np.array([0.0, 0.3])), "it stands, it does not hang"
    alone = cart.rollout(q + np.array([0.0, 0.1]), [0.0, 0.0], [0.0, 0.0], 0.01, steps=800)
    assert np.abs(alone.q[:, 1] - q[1]).max() > 2.0


def test_the_gain_stabilises_the_linear_system() -> None:
    example = runpy.run_path(str(EXAMPLE))
    cart = example["sv"].load("cart_pole")
    near = cart.linearize(example["upright"](cart), [0.0, 0.0], [0.0, 0.0], dt=example["STEP"])
    K = example["lqr"](near.A, near.B[:, :1], example["WEIGHTS"], example["EFFORT"])
    assert np.abs(np.linalg.eigvals(near.A)).max() > 1.01
    assert np.abs(np.linalg.eigvals(near.A - near.B[:, :1] @ K)).max() < 0.999
