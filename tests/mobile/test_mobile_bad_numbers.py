"""Numbers that are not there, or beyond what a platform can do: said, not answered with something else."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError


def test_paths() -> None:
    path = sv.mobile.dubins([0, 0, 0], [1, 1, 1], 1.0)
    assert np.isnan(path.at(np.nan)).all() and np.isfinite(path.at([0.1, np.nan])).sum() == 3
    for radius in (np.inf, np.nan, 0.0, [1.0, -1.0]):
        with pytest.raises(ArgumentError, match="radius"):
            sv.mobile.reeds_shepp(np.zeros((2, 3)), np.ones((2, 3)), radius)


def test_a_trailer_takes_one_positive_time_step() -> None:
    truck = sv.mobile.differential_drive(0.5, 0.1).with_trailer(hitch=0.0, length=0.8)
    for dt in (0.0, -0.1, np.nan, [0.1, 0.2]):
        with pytest.raises(ArgumentError, match=named("dt")):
            truck.odometry(np.ones((2, 2)), dt, [0, 0, 0], [0.0])


@pytest.mark.parametrize("limit", [1.5, np.pi / 2, 2.0])
def test_wheels_that_cannot_turn_round_go_backward(limit: float) -> None:
    corners = [(x, y) for x in (0.3, -0.3) for y in (0.2, -0.2)]
    base = sv.mobile.Platform([sv.mobile.SteeredWheel(x, y, 0.0, radius=0.1, limit=limit) for x, y in corners])
    found = base.inverse_velocity([0.0, -1.0, 0.0])
    assert np.abs(found.steer).max() < 1e-12 and (np.asarray(found.rates) < 0.0).all()


def test_a_drive_turns_at_its_goal() -> None:
    drive = sv.mobile.differential_drive(0.5, 0.1)
    path = sv.mobile.approach(drive, [0.0, 0.0, 0.0], [1e-9, 0.0, np.pi / 2], 0.02, 1500)
    assert np.allclose(path[-1], [0.0, 0.0, np.pi / 2], atol=1e-8)
