"""Lines about long work: on a terminal only, only if it takes long, gone afterwards, never in the way."""

from __future__ import annotations

import io
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from sixvec import Robot, load
from sixvec.arguments import progress as lines
from sixvec.arguments.progress import progress, silence
from sixvec.compiler.call import Compiled
from sixvec.kernels.positions import MANY


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def attached(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal as standard error; not a fixture, because pytest changes the streams between set-up and test."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setattr(lines, "PATIENCE", 0.02)
    monkeypatch.setattr(lines, "TICK", 0.01)
    return made


def test_long_work_on_a_terminal_has_a_line_that_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = attached(monkeypatch)
    with progress("compiling everything"):
        time.sleep(0.2)
    assert "compiling everything … 0 s" in terminal.getvalue()
    assert terminal.getvalue().endswith(lines.CLEAR)
    assert not [t for t in threading.enumerate() if t.name == "sixvec-progress"]


def test_tracing_a_long_program_has_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = load("planar_2r").kernel("mass_matrix").jvp
    terminal, shown = attached(monkeypatch), []

    def slow(self: Compiled) -> str:
        time.sleep(0.2)
        shown.append(terminal.getvalue())
        return self.program.digest

    monkeypatch.setattr(type(kernel), "identity", property(slow))
    kernel.call(np.ones(2), np.ones(2))
    assert f"compiling {kernel.name} … 0 s" in shown[0]


def test_short_work_and_pipes_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = attached(monkeypatch)
    monkeypatch.setattr(lines, "PATIENCE", 10.0)
    with progress("quick"):
        pass
    monkeypatch.setattr(lines, "PATIENCE", 0.0)
    with silence(), progress("silenced"):
        time.sleep(0.05)
    with progress("not worth it", when=False):
        time.sleep(0.05)
    assert terminal.getvalue() == ""
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with progress("piped"):
        time.sleep(0.05)
    monkeypatch.setattr(sys, "stderr", None)
    with progress("no stream"):
        pass
    assert pipe.getvalue() == ""


def test_the_innermost_work_is_shown_and_errors_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = attached(monkeypatch)

    def interrupted() -> None:
        with progress("outer"), progress("inner"):
            time.sleep(0.1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    shown = terminal.getvalue()
    assert "inner" in shown and "outer" not in shown[: shown.rindex("inner")]
    assert lines._lines == []


ARM, ZERO = "planar_2r", np.zeros(2)


@pytest.mark.parametrize(
    ("work", "line"),
    [
        (lambda arm: arm.rollout(arm.random(0, 2000), np.zeros((2000, 2)), ZERO, 0.001, steps=200), "simulating"),
        (lambda arm: arm.rollout(ZERO, ZERO, np.zeros((100_000, 2)), 0.001), "simulating"),
        (lambda arm: arm.ik(arm.pose(arm.random(0, 10_000), "tip"), "tip"), "inverse kinematics of 10000 poses"),
        (lambda arm: arm.verify(peers=False), "verifying planar_2r"),
    ],
    ids=["many rollouts", "a long rollout", "ik", "verify"],
)
def test_long_work_has_a_line(work: Callable[[Robot], Any], line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    attached(monkeypatch)
    begun: list[str] = []
    monkeypatch.setattr(lines, "_tick", lambda text, done: begun.append(text))
    work(load(ARM))
    assert line in begun


def test_work_has_a_line_from_so_many_samples_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, bool]] = []

    def recorded(text: str, when: bool = True) -> Any:
        asked.append((text, when))
        return nullcontext()

    arm = load(ARM)
    assert MANY == 10_000
    for place in ("sixvec.robot", "sixvec.kernels.positions"):
        monkeypatch.setattr(f"{place}.progress", recorded)
        monkeypatch.setattr(f"{place}.MANY", 6)
    for module, work in (("ik.choose", "ik"), ("ik.track", "track"), ("sim.rollout", "rollout")):  # lines matter alone
        monkeypatch.setattr(import_module(f"sixvec.{module}"), work, lambda *arguments, **options: None)
    poses = np.zeros((2, 3, 4, 4))
    for given in (poses, poses[0], poses[0, 0]):
        arm.ik(given, "tip")
    for given in (poses[0], np.concatenate([poses[0], poses[1]])):
        arm.track(ZERO, given, "tip")
    for steps in (2, 3):
        arm.rollout(ZERO, ZERO, ZERO, 0.001, steps=steps)
    arm.rollout(ZERO, ZERO, np.zeros((3, 2)), 0.001)
    arm.rollout(np.zeros((3, 2)), ZERO, np.zeros((1, 2)), 0.001)
    arm.rollout(ZERO, np.zeros((2, 2)), np.zeros((1, 2)), 0.001)
    assert asked == [
        ("inverse kinematics of 6 poses", True), ("inverse kinematics of 3 poses", False),
        ("inverse kinematics of 1 poses", False), ("tracking 3 poses", False), ("tracking 6 poses", True),
        *(("simulating", when) for when in (False, True, True, True, False)),
    ]  # fmt: skip


def test_a_terminal_that_is_gone_does_not_stop_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = attached(monkeypatch)
    monkeypatch.setattr(terminal, "write", lambda text: terminal.fileno())  # raises an OSError
    with progress("long"):
        time.sleep(0.05)
    assert terminal.getvalue() == ""
