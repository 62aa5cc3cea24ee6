"""The examples on wheels do what they say."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str) -> dict[str, float]:
    found: dict[str, float] = runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]()
    return found


def test_a_swerve_base_does_not_veer() -> None:
    figures = run("swerve_spin")
    assert figures["veers off, exact, m"] < 1e-12 < 0.05 < figures["veers off, plain, m"]
    assert figures["turned, rad"] == pytest.approx(8.0)


def test_a_car_parks(capsys: pytest.CaptureFixture[str]) -> None:
    figures = run("parallel_parking")
    assert figures["misses the space by, m"] < 1e-10 and figures["cusps"] >= 1.0
    assert figures["greatest steering angle, rad"] == pytest.approx(0.6)
    assert "-" in capsys.readouterr().out


def test_trailers_are_backed_up() -> None:
    figures = run("backing_trailers")
    assert figures["alone: last angle, rad"] > 1.5
    assert figures["with feedback: last angle, rad"] < 1e-3
    assert figures["with feedback: greatest angle, rad"] < 1.0


def test_a_door_is_opened() -> None:
    figures = run("mobile_door")
    assert figures["hand off the circle, mm"] < 5.0
    assert figures["platform moved, m"] > 0.05
    assert figures["least margin against tipping, m"] > 0.0
