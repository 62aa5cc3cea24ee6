"""Two arms cross each other's way while a ball passes: nothing comes nearer than the margin, and the hands arrive."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/two_arms_and_a_ball.py"


def test_nothing_touches_and_the_hands_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE)])
    figures = runpy.run_path(str(EXAMPLE))["main"]()
    assert figures["least gap without clearance, m"] < -0.05
    assert figures["least gap, m"] > 0.0295  # its margin, less what the curves of a step add
    assert figures["median error of the hands, m"] < 0.06 and figures["steps with a gap at its margin"] > 50
