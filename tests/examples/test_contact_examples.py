"""The examples of contacts, grasps and priorities: Coulomb's law, a squeeze, a hand that its elbow cannot disturb."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_blocks_slide_from_the_angle_of_friction_on(capsys: pytest.CaptureFixture[str]) -> None:
    figures = runpy.run_path(str(EXAMPLES / "stick_and_slip.py"))["main"]()
    limit = figures["angle of friction, rad"]
    assert limit < figures["first angle that slides, rad"] < limit + 0.011
    assert figures["largest error of acceleration, m/s²"] < 1e-9
    assert figures["largest slip of blocks that stick, m"] < 1e-12
    assert figures["largest residual, m/s"] < 1e-8


@pytest.mark.slow
def test_two_arms_must_press_to_keep_the_box(capsys: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(EXAMPLES / "two_arms_carry_a_box.py"))
    figures = example["main"]()
    assert figures["force closure"] == 1.0
    assert figures["friction needed, pressed with 12 N"] > example["FRICTION"]
    assert figures["friction needed, pressed with 40 N"] < example["FRICTION"]
    assert figures["largest error of the box, mm"] < 1.0 and figures["largest gap of a grasp, mm"] < 1.0


def test_priorities_keep_the_hand_where_weights_do_not(capsys: pytest.CaptureFixture[str]) -> None:
    figures = runpy.run_path(str(EXAMPLES / "priorities_or_weights.py"))["main"]()
    assert figures["hand off, priorities, mm"] < 1.0 < 10.0 < figures["hand off, weights, mm"]
    assert figures["elbow off, weights, mm"] < figures["elbow off, priorities, mm"]
