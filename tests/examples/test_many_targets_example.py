"""Many arms follow their targets at once, within every limit."""

from __future__ import annotations

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples/many_targets.py"


def test_arms_follow_their_targets_within_limits() -> None:
    figures = runpy.run_path(str(EXAMPLE))["main"](256)
    assert figures["part of the steps solved"] == 1.0 and figures["largest excess of a limit"] < 1e-9
    assert figures["targets followed within 1 cm"] > 0.7
