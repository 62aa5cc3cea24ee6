"""The example of the guide runs, and its figures mean what it says."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples/elbow_avoidance.py"


@pytest.mark.covers("KIN-05", "KIN-15")
def test_the_elbow_clears_the_ball_and_the_tool_stays(capsys: pytest.CaptureFixture[str]) -> None:
    figures = runpy.run_path(str(EXAMPLE))["main"]()
    assert figures["clearance before, m"] < -0.01 < 0.0 < figures["clearance after, m"]
    assert figures["largest tool error (m, rad)"] < 5e-3 and figures["tool error after"] < 1e-3
    assert figures["fastest joint, rad/s"] < 2.175 and figures["largest joint motion, rad"] > 0.1
    assert "clearance after" in capsys.readouterr().out
