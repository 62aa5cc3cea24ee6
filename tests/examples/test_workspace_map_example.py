"""The workspace map: its outline is that of the arm."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/workspace_map.py"
SHOULDER = 0.333
UPPER_ARM, FOREARM = (0.316**2 + 0.0825**2) ** 0.5, (0.384**2 + 0.0825**2) ** 0.5
HAND = (0.088**2 + 0.107**2) ** 0.5
"""Lengths of the Panda between shoulder, elbow, wrist and flange, in metres."""


def test_the_map_stays_within_the_stretched_arm_and_comes_near_it(capsys: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(EXAMPLE))
    figures = example["main"]()
    stretched = UPPER_ARM + FOREARM + HAND
    assert 0.9 * stretched < figures["furthest from the axis, m"] < stretched
    assert figures["highest, m"] < SHOULDER + stretched
    assert 0.0 < figures["part of the slice marked #"] < 1.0
    sphere = 4.0 / 3.0 * 3.14159 * (stretched + example["CELL"]) ** 3
    assert 0.5 * sphere < figures["volume of the cells, m3"] < sphere
    lines = [line for line in capsys.readouterr().out.splitlines() if "|" in line]
    assert {mark for line in lines for mark in line.partition("|")[2]} == set("#+. ")
    # The outermost cells are the worst: there the arm is nearly stretched.
    ends = [line.rstrip()[-1] for line in lines]
    assert "#" not in ends and ends.count(".") > len(ends) / 4
