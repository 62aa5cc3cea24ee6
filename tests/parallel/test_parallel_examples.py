"""What the examples with parallel robots print."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def figures(name: str) -> dict[str, Any]:
    found: dict[str, Any] = runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]()
    return found


def test_the_tyre_tester_measures_within_its_noise() -> None:
    found = figures("tyre_tester")
    assert found["side force, N"] == pytest.approx(900.0, abs=0.1)
    assert found["aligning moment, N m"] == pytest.approx(40.0, abs=0.05)
    assert found["deviation of the side force, N"] == pytest.approx(found["as the wrench basis says, N"], rel=0.03)


def test_the_delta_picks_and_places() -> None:
    found = figures("delta_pick_and_place")
    assert found["working modes at the start"] == 8.0 and found["all reached"] and found["within the limits"]
    assert found["forward position off by, m"] < 1e-14


def test_seven_legs_cross_the_singularity_of_six() -> None:
    found = figures("seven_legs")
    assert found["worst angle of six legs, degrees"] == pytest.approx(90.0)
    assert np.isinf(found["largest force of six legs, N"]) and found["largest force of seven legs, N"] < 1e3


def test_the_hexapod_follows_the_ship_but_for_the_load_it_does_not_know() -> None:
    found = figures("hexapod_ship")
    assert found["largest angle error, degrees"] < 0.01
    assert found["largest position error, mm"] == pytest.approx(found["as the missing 2 kg explain, mm"], rel=0.05)
