"""The example of the guide runs, and its figures mean what it says."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/operational_space_control.py"


@pytest.mark.covers("DYN-26")
def test_the_tool_follows_the_circle_and_the_posture_comes_back(capsys: pytest.CaptureFixture[str]) -> None:
    figures = runpy.run_path(str(EXAMPLE))["main"]()
    assert np.isclose(figures["length of the path, m"], 2.0 * np.pi * 0.08, rtol=1e-3)
    assert figures["largest tool error, m"] < 5e-4 and figures["largest tilt, rad"] < 1e-3
    assert figures["tool error at the end, m"] < 1e-4 and figures["posture drift at the end, rad"] < 0.01
    assert 0.1 < figures["fastest joint, rad/s"] < 2.175
    assert "largest tool error" in capsys.readouterr().out
