"""Bodies that MuJoCo refuses, named before it does: random bodies, with MuJoCo itself as the judge."""

from __future__ import annotations

import numpy as np
import pytest

from sixvec.formats.mjcf.rejected import MOVING, POSITIVE, TRIANGLE, rejected_bodies

mujoco = pytest.importorskip("mujoco")


def inertial(rng: np.random.Generator) -> str:
    """None, or with masses and moments that are zero, tiny or wrong now and then."""
    mass = float(rng.choice([0.0, 1e-16, 1.0]))
    a, b = rng.uniform(0.1, 1.0, 2)
    moments = [[a, b, a + b - 0.05], [a, b, a + b + 0.05], [0.0, a, a], [0.0, 0.0, 0.0], [1e-16, a, a]][rng.integers(5)]
    moments = rng.permutation(moments)
    head = f'<inertial pos="0 0 0" mass="{mass!r}"'
    kind = rng.integers(4)
    if kind == 0:
        return ""
    if kind == 1:
        return f'{head} diaginertia="{" ".join(map(repr, moments.tolist()))}"/>'
    off = [0.0, 0.0, float(rng.choice([0.0, 0.05, 3.0]))]
    return f'{head} fullinertia="{" ".join(map(repr, [*moments.tolist(), *off]))}"/>'


def test_mujoco_agrees_about_random_bodies() -> None:
    rng = np.random.default_rng(2)
    reasons: dict[str, int] = {}
    for _ in range(300):
        joint = rng.choice(["", "<joint/>", '<joint type="slide"/>', "<freejoint/>"])
        inner = rng.choice(["", "<body>{}</body>", "<body><joint/>{}</body>"]).format(inertial(rng))
        text = f"<mujoco><worldbody><body>{joint}{inertial(rng)}{inner}</body></worldbody></mujoco>"
        found = rejected_bodies(text)
        try:
            mujoco.MjModel.from_xml_string(text)
            accepted = True
        except ValueError:
            accepted = False
        assert accepted == (not found), text
        for why in found:
            reasons[why] = reasons.get(why, 0) + 1
    assert {*reasons} == {MOVING, POSITIVE, TRIANGLE} and min(reasons.values()) > 10, reasons
