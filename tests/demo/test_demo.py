"""The demo: everything in the report is there, and the report is honest."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixvec import Robot, load
from sixvec.cli import main
from sixvec.demo import speed as demo_speed
from sixvec.demo.plot import plot
from sixvec.demo.release import release
from sixvec.demo.report import Report
from sixvec.demo.speed import TIMED
from sixvec.demo.tour import KERNELS
from sixvec.errors import MissingExtra
from sixvec.verify.check import Subject
from sixvec.verify.identities import IDENTITIES
from sixvec.verify.state import end_frame, middle, random_states

SECTIONS = ("The robot", "Pose, Jacobian", "Inverse and forward", "Identities", "operations", "Speed", "let go")

WRONG_BY = 1.0 + 1e-5
"""A factor that no identity may overlook; differences are good to 1e-7."""


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times do not matter here."""
    monkeypatch.setattr(demo_speed, "REPEATS", 1)
    monkeypatch.setattr(demo_speed, "SLICE", 1e-4)


def spoil(monkeypatch: pytest.MonkeyPatch, name: str, method: str) -> None:
    """Make one method of that robot return results that are a little too large."""
    right = getattr(load(name), method)  # found before the class is changed
    monkeypatch.setattr(Robot, method, lambda robot, *args, **options: right(*args, **options) * WRONG_BY)


def test_whole_report(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    picture = tmp_path / "arm.png"
    environment = os.environ | {"SIXVEC_CACHE_DIR": str(tmp_path / "cache")}
    done = sixvec("demo", "--plot", picture, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for i, section in enumerate(SECTIONS, start=1):
        assert re.search(rf"^{i}  .*{section}", done.stdout, re.MULTILINE), section
    for name in (*load("panda").joint_names, *KERNELS, *TIMED, *(i.equation for i in IDENTITIES)):
        assert name in done.stdout, name
    assert done.stdout.count("✓ holds") == len(IDENTITIES)
    assert "\x1b" not in done.stdout, "control codes outside a terminal"
    assert all(line == line.rstrip() for line in done.stdout.splitlines())
    assert str(picture) in done.stdout
    assert_is_picture(picture)
    assert any((tmp_path / "cache").iterdir())


def test_the_bar_of_the_report_counts_its_steps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in a terminal
    monkeypatch.setenv("TERM", "xterm")
    with Report(3) as report:
        assert [*report.steps("step {}".format, "abc")] == [*"abc"]
    counted = re.findall(r"(\d+)/3", capsys.readouterr().out)
    assert sorted({*map(int, counted)}) == [0, 1, 2, 3]


def test_states_of_the_demo_go_both_ways_within_their_bounds() -> None:
    robot = load("panda")
    q, v, a = random_states(robot, 50)
    assert ((robot.lower <= q) & (q <= robot.upper)).all()
    for rates in (v, a):
        assert -1.0 <= rates.min() < -0.9 and 0.9 < rates.max() <= 1.0


def assert_is_picture(path: Path) -> None:
    from matplotlib.image import imread

    pixels = imread(path)
    assert pixels.shape[0] > 500
    assert pixels.shape[1] > 800
    assert np.ptp(pixels[..., :3]) > 0.9, "nothing is drawn"


def test_numbers_of_the_report_are_the_robots(brief: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--robot", "puma560", "--plot", str(tmp_path / "arm.png")]) == 0
    shown, robot = capsys.readouterr().out, load("puma560")
    q, v, a = middle(robot)
    for x in robot.inverse_dynamics(q, v, a):
        assert f"{x:.4f}" in shown
    counted = robot.kernel("forward_dynamics").count()
    assert re.search(rf"forward_dynamics +{counted['mul']} +{counted['add']} +{counted['div']}", shown)


@pytest.mark.parametrize("method", [*KERNELS, "integrate"])
def test_every_kernel_is_tied_to_another(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, "panda", method)
    robot = load("panda")
    subject = Subject(robot, end_frame(robot), random_states(robot, 50))
    assert not all(i.evaluate(subject).holds for i in IDENTITIES)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_a_number_does_not_hold(value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Robot, "kinetic_energy", lambda robot, q, v: np.full(len(q), value))
    robot = load("double_pendulum")
    subject = Subject(robot, end_frame(robot), random_states(robot, 5))
    with np.errstate(invalid="ignore"):
        held = {i.meaning: i.evaluate(subject).holds for i in IDENTITIES}
    assert not held["kinetic energy"]
    assert not held["power balance"]


def test_a_failed_identity_is_the_exit_status(
    brief: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(monkeypatch, "double_pendulum", "gravity_forces")
    assert main(["demo", "--robot", "double_pendulum", "--plot", str(tmp_path / "arm.png")]) == 1
    shown = capsys.readouterr().out
    assert shown.count("✗ fails") == 1
    assert "1 of 9 identities fail: ∂U/∂q = g" in shown


def test_terminal_gets_a_bar_and_colour(
    brief: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    arguments = ["demo", "--robot", "double_pendulum", "--plot", str(tmp_path / "arm.png")]
    green = "\x1b[32m"
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "compiling inverse_dynamics" in shown
    assert green in shown
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(arguments) == 0
    assert green not in capsys.readouterr().out


def test_without_matplotlib_all_but_the_plot(
    brief: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [m for m in sys.modules if m.partition(".")[0] == "matplotlib"] + ["matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    picture = tmp_path / "arm.png"
    assert main(["demo", "--robot", "double_pendulum", "--plot", str(picture)]) == 0
    assert "pip install 'sixvec[viz]'" in capsys.readouterr().out
    assert not picture.exists()
    robot = load("double_pendulum")
    with pytest.raises(MissingExtra, match="matplotlib"):
        plot(robot, "tip", release(robot, robot.neutral()), picture)


@pytest.mark.slow
def test_terminal_without_greek_letters(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = sixvec("demo", "--robot", "double_pendulum", "--plot", tmp_path / "arm.png", env=environment)
    assert done.returncode == 0, done.stderr
    assert "ok holds" in done.stdout and "tau" in done.stdout and "?" not in done.stdout


def test_released_robot_keeps_its_energy() -> None:
    robot = load("panda")
    fallen = release(robot, middle(robot).q)
    assert fallen.kinetic.max() > 10.0, "it did not fall"
    assert fallen.drift < 1e-6 * fallen.kinetic.max()


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--robot", "pandda"], 3, 'did you mean "panda"?'),
        (["--plot", "no/such/folder/arm.png"], 4, "which does not exist"),
    ],
)
def test_bad_arguments(arguments: list[str], status: int, words: str, sixvec: Callable[..., Any]) -> None:
    done = sixvec("demo", *arguments)
    assert done.returncode == status
    assert done.stdout == ""
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
