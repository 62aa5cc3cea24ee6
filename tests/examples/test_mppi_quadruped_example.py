"""Planned targets keep the quadruped of the example upright after a push that throws it over without them."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/mppi_quadruped.py"


def test_it_recovers_with_a_plan_and_falls_without(capsys: pytest.CaptureFixture[str]) -> None:
    runs = runpy.run_path(str(EXAMPLE))["main"](samples=256, seconds=1.2)
    alone, planned = runs["servos alone"], runs["with a plan"]
    assert alone["tilt at the end, rad"] > 1.0
    assert planned["largest tilt, rad"] < 0.6 and planned["tilt at the end, rad"] < 0.1
    assert abs(planned["height at the end, m"] - 0.235) < 0.02 and planned["speed at the end, m/s"] < 0.3
    assert planned["way from the start, m"] < 0.3
    assert planned["largest residual, m/s"] < 1e-3 and alone["largest residual, m/s"] < 1e-3
    assert "time for a plan" in capsys.readouterr().out


def test_the_push_is_the_change_of_momentum() -> None:
    example = runpy.run_path(str(EXAMPLE))
    quadruped = example["Quadruped"]()
    robot, q = quadruped.robot, quadruped.q.copy()
    q[3:7] = [0.2, 0.4, 0.4, 0.8]
    change = example["after_push"](robot, q, [1.0, 2.0, 3.0])
    assert np.allclose(robot.momentum(q, change)[3:], [1.0, 2.0, 3.0], atol=1e-9)
