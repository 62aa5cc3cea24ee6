"""The examples of constraints: Coulomb's law, a squeeze, priorities, a linkage with a motor, a robot that jumps."""

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


def test_a_motor_turns_a_four_bar_that_stays_closed(capsys: pytest.CaptureFixture[str]) -> None:
    figures = runpy.run_path(str(EXAMPLES / "four_bar_motor.py"))["main"]()
    assert figures["turns of the crank"] > 5.0 and 60.0 < figures["swing of the rocker, degrees"] < 90.0
    assert figures["largest opening of the loop, m or rad"] < 1e-12
    assert figures["energy that is not the motor's work, part"] < 1e-6
    assert figures["largest error of the torque, N m"] < 1e-9


def test_a_quadruped_stands_up_jumps_and_stands_again(capsys: pytest.CaptureFixture[str]) -> None:
    figures = runpy.run_path(str(EXAMPLES / "quadruped_jump.py"))["main"]()
    standing = figures["height of the base, standing, m"]
    assert standing > 4.0 * figures["height of the base, lying, m"]
    assert figures["weight on the feet, standing, part"] == pytest.approx(1.0, abs=0.01)
    assert figures["time in the air, s"] > 0.3
    risen = figures["rise of the centre of mass in the air, m"]
    assert risen > 0.1 and risen == pytest.approx(figures["rise by v²/2g, m"], rel=0.02)
    assert figures["height of the base at the end, m"] == pytest.approx(standing, abs=0.01)
    assert figures["tilt at the end, rad"] < 0.01 and figures["largest residual, m/s"] < 1e-8


def test_a_pushed_box_stops_at_the_goal(capsys: pytest.CaptureFixture[str]) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    try:
        figures = runpy.run_path(str(EXAMPLES / "push_to_goal.py"))["main"]()
    finally:
        jax.config.update("jax_enable_x64", False)
    assert figures["misses by"] < 1e-12
    assert len(capsys.readouterr().out.splitlines()) == 9
