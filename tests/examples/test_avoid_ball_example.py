"""A ball passes through the place of the forearm: the arm stays clear of it, and its tool returns."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/avoid_ball.py"


def test_the_arm_stays_clear_and_its_tool_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE)])
    figures = runpy.run_path(str(EXAMPLE))["main"]()
    assert figures["least gap of an arm at rest, m"] < -0.05
    assert figures["least gap, m"] > 0.029  # its margin, less what the curve of a step adds
    assert figures["error of the tool at the end, m"] < 1e-3


def test_the_film_shows_arm_and_ball(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("PIL")
    film = tmp_path / "ball.gif"
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), str(film)])
    module = runpy.run_path(str(EXAMPLE))
    module["main"].__globals__["SHOWN"] = 150
    module["main"]()
    assert film.stat().st_size > 10_000
