"""Lines about long work: on a terminal only, only if it takes long, gone afterwards, never in the way."""

from __future__ import annotations

import io
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sixvec import Robot, load
from sixvec.border import progress as lines
from sixvec.border.progress import progress, silence
from sixvec.compiler.call import Compiled


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
