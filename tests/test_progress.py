"""Lines about long work: on a terminal only, only if it takes long, gone afterwards, never in the way."""

from __future__ import annotations

import io
import sys
import threading
import time

import pytest

from sixvec import progress as lines
from sixvec.progress import progress, silence


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
    assert "inner" in terminal.getvalue() and "outer" not in terminal.getvalue()
    assert lines._lines == []
