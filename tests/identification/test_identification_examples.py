"""The examples run, and their figures mean what they say."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_arm_is_identified_within_its_standard_errors(capsys: pytest.CaptureFixture[str]) -> None:
    figures = runpy.run_path(str(EXAMPLES / "identify_arm.py"))["main"]()
    assert figures["largest error, standard errors"] < 4.0  # of 43 normal errors, one in 400 trials
    assert abs(figures["estimated torque noise, N·m"] - 0.2) < 0.01
    assert figures["misfit of possible bodies, standard errors"] < 1.0
    assert figures["torque error on another motion, N·m"] < 0.1
    assert "43 base parameters" in capsys.readouterr().out


def test_the_observer_feels_the_push_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    figures = runpy.run_path(str(EXAMPLES / "momentum_observer.py"))["main"]()
    assert figures["largest residual before the push, N·m"] < 0.01
    assert figures["felt after, ms"] < 10.0
    assert figures["error of the residual at the end, N·m"] < 0.02 * figures["true joint torque of the push, N·m"]
    assert abs(figures["force felt at the tool, N"] - 18.03) < 0.5  # |(0, 10, -15)|
    assert "felt after" in capsys.readouterr().out
