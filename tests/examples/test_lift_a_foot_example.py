"""The humanoid of the example stands on one foot in a simulation with contacts, by the torques of a stack."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from published import folder
from sixvec.verdict import Verdict

EXAMPLE = Path(__file__).parents[2] / "examples/lift_a_foot.py"


@pytest.mark.slow
@pytest.mark.covers("TASK-04")
def test_it_shifts_its_weight_and_lifts_a_foot() -> None:
    folder()  # skips without the package
    example = runpy.run_path(str(EXAMPLE))
    robot = example["load"]()
    found = example["simulate"](robot)
    t, weight = found["t"], 9.81 * robot.mass
    assert (found["verdict"] == Verdict.SOLVED).all()
    assert (abs(found["tau"]) <= np.where(np.arange(robot.nv) < 6, 1e-9, robot.effort_limits + 1e-9)).all()
    on_both, on_one = t < 0.05, t > example["UNLOADED"] + 0.1
    assert (found["left"] + found["right"])[on_both] == pytest.approx(weight, rel=0.01)
    assert not found["right"][on_one].any() and found["left"][t > 2.0] == pytest.approx(weight, rel=0.02)
    # what the stack asks of the floor is what the floor does
    asked = np.stack([found["left"], found["right"]], axis=1) - found["asked"]
    assert np.median(abs(asked)) < 0.005 * weight
    feet = [robot.pose(found["q"], f)[:, :3, 3] for f in (example["LEFT"], example["RIGHT"])]
    assert feet[1][-1, 2] - feet[1][0, 2] > 0.7 * example["HEIGHT"]
    assert abs(feet[0] - feet[0][0]).max() < 2e-3
    assert abs(robot.center_of_mass(found["q"][-1])[1] - feet[0][-1, 1]) < 0.01
    assert abs(found["v"][-1]).max() < 0.1 and robot.pose(found["q"][-1], "pelvis")[2, 2] > 0.99
