"""Bodies that have next to no spin: ratios of numbers whose squares vanish."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from sixvec import sim
from sixvec.formats import parse_model

BOX = """<mujoco model="box"><worldbody><geom type="plane" size="9 9 1"/>
<body pos="0 0 1"><freejoint/><geom type="box" size=".1 .15 .2" mass="1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_body_turns_as_slowly_as_numbers_allow(dtype: str) -> None:
    spins = np.array([0.0, *np.logspace(-150 if dtype == "float64" else -30, -3, 55)])
    start = sv.Robot(parse_model(BOX, "box.xml"))
    v = np.zeros((len(spins), 6))
    v[:, :3] = spins[:, None] * [1.0, 2.0, 3.0]
    q = np.tile([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], (len(spins), 1))
    env = sim.Batch(start, len(spins), dt=0.01, contacts="file", start=(q, v), dtype=dtype)
    for _ in range(5):
        env.step(np.zeros((len(spins), 6), dtype))
    assert not env.verdict.any() and np.isfinite(env.q).all() and np.isfinite(env.v).all()
    assert np.allclose(env.v[:, :3], v[:, :3], rtol=0.01, atol=1e-30)
