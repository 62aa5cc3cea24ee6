"""With plans the quadruped of the example trots on after a push that throws it over without them."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/mppi_quadruped.py"


def test_it_trots_on_with_a_plan_and_falls_without(capsys: pytest.CaptureFixture[str]) -> None:
    runs = runpy.run_path(str(EXAMPLE))["main"](samples=256, seconds=1.8)
    alone, planned = runs["trot alone"], runs["with a plan"]
    assert alone["largest tilt, rad"] > 1.0 and alone["lowest height, m"] < 0.1
    assert planned["largest tilt, rad"] < 0.7 and planned["lowest height, m"] > 0.15
    assert planned["way along the line, m"] > 0.4 and abs(planned["way to the side, m"]) < 0.3
    assert planned["largest residual, m/s"] < 1e-3 and alone["largest residual, m/s"] < 1e-3
    assert "time for a plan" in capsys.readouterr().out


def test_a_plan_starts_from_targets_that_are_on_their_way() -> None:
    """Its first period has the targets that were sent: no change of the plan acts in it."""
    example = runpy.run_path(str(EXAMPLE))
    quadruped = example["Quadruped"]()
    planner = example["Planner"](quadruped, samples=8)
    seen = []
    step = planner.futures.step
    planner.futures.step = lambda action: (seen.append(np.array(action)), step(action))
    planner.improve(0.0, quadruped.q, np.zeros(18), quadruped.trot(0.0))
    assert np.allclose(seen[0], quadruped.trot(0.0), atol=1e-6) and len(seen) == 1 + example["AHEAD"]
    assert np.allclose(seen[1][0], quadruped.trot(0.02), atol=1e-6) and np.ptp(seen[1], axis=0).max() > 0.01


def test_the_push_is_the_change_of_momentum() -> None:
    example = runpy.run_path(str(EXAMPLE))
    quadruped = example["Quadruped"]()
    robot, q = quadruped.robot, quadruped.q.copy()
    q[3:7] = [0.2, 0.4, 0.4, 0.8]
    change = example["after_push"](robot, q, [1.0, 2.0, 3.0])
    assert np.allclose(robot.momentum(q, change)[3:], [1.0, 2.0, 3.0], atol=1e-9)
