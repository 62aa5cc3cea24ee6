"""Platforms with more legs than freedoms: all poses that agree with all legs."""

from __future__ import annotations

import numpy as np
import pytest

from naming import named
from sixvec.errors import DegenerateError, ShapeError
from sixvec.parallel import ParallelRobot, StewartGough
from sixvec.parallel.space import Planar
from sixvec.verdict import Verdict

RNG = np.random.default_rng(20)
B, P = RNG.uniform(-1.0, 1.0, (8, 3)).round(7), RNG.uniform(-0.5, 0.5, (8, 3)).round(7)
HOME = np.eye(4)
HOME[:3, 3] = 0.1, -0.2, 1.3


@pytest.mark.covers("PAR-20")
def test_extra_legs_leave_one_pose() -> None:
    """Of the up to forty of six legs, the one at which the lengths were measured."""
    eight, six = StewartGough(B, P), StewartGough(B[:6], P[:6])
    q = eight.inverse_position(HOME)
    modes = eight.assembly_modes(q)
    assert modes.certified and modes.count == 1 and np.allclose(modes.poses[0], HOME, atol=1e-9)
    assert modes.count < six.assembly_modes(q[:6]).count
    agrees = eight.forward_position(q, HOME)
    assert agrees and np.allclose(agrees.pose, modes.poses[0], atol=1e-9)


@pytest.mark.covers("PAR-20")
def test_lengths_that_disagree_close_in_no_pose() -> None:
    eight = StewartGough(B, P)
    q = eight.inverse_position(HOME)
    modes = eight.assembly_modes(q + 0.01 * np.eye(8)[7])
    assert modes.count == 0 and modes.verdict == Verdict.UNREACHABLE and modes.certified


def test_planar_platforms_with_four_legs() -> None:
    legs = [StewartGough(np.c_[B[:4, :2], np.zeros(4)], np.c_[P[:4, :2], np.zeros(4)]).legs][0]
    robot, X = ParallelRobot(legs, Planar()), np.array([0.2, 1.1, 0.4])
    modes = robot.assembly_modes(robot.inverse_position(X))
    assert modes.count == 1 and modes.certified and np.allclose(modes.poses[0], X, atol=1e-9)


def test_what_has_no_answer() -> None:
    with pytest.raises(ShapeError, match=named("assembly_modes", "q")):
        StewartGough(B, P).assembly_modes(np.ones((2, 8)))
    with pytest.raises(DegenerateError, match=named("assembly_modes")):
        StewartGough(B[:5], P[:5]).assembly_modes(np.ones(5))
