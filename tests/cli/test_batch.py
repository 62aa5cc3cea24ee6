"""`sixvec batch`: the answers of a call, from store to store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]


def test_the_command_gives_the_bits_of_a_call(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    robot, states = sv.load("double_pendulum"), tmp_path / "states.zarr"
    q, v = robot.random(0, 5000), robot.random(1, 5000)
    group = zarr.open_group(states, mode="w")
    group.create_array("q", data=q, chunks=(300, 2))
    group.create_array("v", data=v, chunks=(300, 2))
    command = ("batch", "double_pendulum", "forward_dynamics_derivatives", states, tmp_path / "out.zarr")
    assert 'no array "tau"' in sixvec(*command).stderr
    group.create_array("tau", data=np.array([1.0, -2.0]))  # the same for all samples
    done = sixvec(*command)
    assert done.returncode == 0, done.stderr
    out = zarr.open_group(tmp_path / "out.zarr", mode="r")
    expected = robot.forward_dynamics_derivatives(q, v, np.broadcast_to([1.0, -2.0], q.shape))
    for name, array in zip(expected._fields, expected, strict=True):
        assert f"{name} {array.shape} float64" in done.stdout
        assert np.array_equal(out[name][:], array)
    assert out.attrs["complete"] is True and any("joint1" in line for line in out.attrs["notes"])
    assert "exists" in sixvec(*command).stderr
