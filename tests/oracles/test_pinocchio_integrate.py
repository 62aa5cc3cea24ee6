"""Steps and differences of positions of published robots: ours and Pinocchio's."""

from __future__ import annotations

import numpy as np
import pytest

from pinocchio_bridge import Peer, peer, pin
from published import ALL, Published
from random_states import random_states
from tolerances import PEER, assert_close


@pytest.mark.parametrize("published", ALL, ids=lambda p: p.name)
@pytest.mark.covers("BODY-11", "ROT-05")
def test_integrate_and_difference(published: Published) -> None:
    other, robot = peer(published), published.load()
    q, v, _, _ = random_states(robot)
    step = 0.5 * v  # no rotation by more than half a turn
    q1 = robot.integrate(q, step)
    gaps = [pin.difference(other.model, other.to_q(x), y) for x, y in zip(q1, stepped(other, q, step), strict=True)]
    assert_close(gaps, np.zeros((len(q), robot.nv)), PEER, scale=1.0)
    pairs = zip(q, q1, strict=True)
    differences = [other.vector(pin.difference(other.model, other.to_q(a), other.to_q(b))) for a, b in pairs]
    assert_close(robot.difference(q, q1), differences, PEER)


def stepped(other: Peer, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    return other.each(lambda q, v: pin.integrate(other.model, q, v), q, step)
