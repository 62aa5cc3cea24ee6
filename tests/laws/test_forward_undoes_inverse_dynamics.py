"""FD(q, v, ID(q, v, a)) = a, and the other way round."""

from __future__ import annotations

import pytest

from random_states import States
from targets import OnTarget
from tolerances import SOLVED, assert_close


@pytest.mark.every(2)
@pytest.mark.covers(
    "DYN-05",
    "DYN-06",
    "DYN-16",
    "DYN-18",
    "Bruyninckx (6.26)-(6.32)",
    "Featherstone (1)",
    "Featherstone (9)-(13)",
    "Featherstone (35)",
    "Featherstone (49)-(68)",
    "Lynch-Park (9.1)-(9.2)",
    "Rodriguez-Kreutz (2.1)-(2.13)",
    "Rodriguez-Kreutz (2.28)-(2.30)",
    "Rodriguez-Kreutz (4.4)-(4.6)",
    "Rodriguez-Kreutz (b.9)",
)
def test_forward_undoes_inverse_dynamics(robot: OnTarget, states: States) -> None:
    q, v, a, _ = states
    assert_close(robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a)), a, SOLVED)


@pytest.mark.every(2)
@pytest.mark.covers("DYN-05", "DYN-06", "DYN-16", "DYN-18")
def test_inverse_undoes_forward_dynamics(robot: OnTarget, states: States) -> None:
    q, v, _, tau = states
    a = robot.forward_dynamics(q, v, tau)
    assert_close(robot.inverse_dynamics(q, v, a), tau, SOLVED)
