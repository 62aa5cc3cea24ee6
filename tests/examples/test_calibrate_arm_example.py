"""The calibration example: the corrected arm predicts positions that it was not fitted to."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/calibrate_arm.py"


def test_the_corrected_arm_is_right_where_it_was_not_measured(capsys: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(EXAMPLE))
    fit, figures = example["main"]()
    noise = example["NOISE"][1] * 1e3
    assert fit.converged
    # Four parameters for each of six revolute joints, and six for where the tool is.
    assert fit.rank == 30
    assert figures["error before, mm (mean)"] > 1.0
    assert figures["error after, mm (mean)"] < noise
    assert figures["error after, mm (largest)"] < 2.0 * noise
    # What is left over is the noise of the readings: √3 of it in three directions.
    assert fit.residual_after[1] * 1e3 == pytest.approx(3**0.5 * noise, rel=0.25)
    assert "30 of 48" in capsys.readouterr().out
