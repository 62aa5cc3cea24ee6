"""The load costs time if torques are limits, and torque that is not there if they are not."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/heavy_payload.py"


def test_only_motions_within_the_torques_can_be_driven() -> None:
    figures = runpy.run_path(str(EXAMPLE))["main"]()
    loads = [name.split(",")[0] for name in figures if "torque: seconds" in name]
    assert len(loads) == 2
    for load in loads:
        assert figures[f"{load}, limits of torque: share of the torque"] == pytest.approx(1.0, abs=1e-3)
        assert figures[f"{load}, limits of speed: share of the torque"] > 3.0
    empty, heavy = (figures[f"{load}, limits of torque: seconds"] for load in loads)
    assert heavy > 1.1 * empty
