"""`sixvec robots`, and the command itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sixvec as library
from sixvec.model.robots import BUILT_IN


def test_robots_are_listed(sixvec: Callable[..., Any]) -> None:
    done = sixvec("robots")
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    assert "panda" in words
    assert {*BUILT_IN} <= {*words}
    rows = {line.split()[0]: line.split()[1:5] for line in done.stdout.splitlines() if line.split()[0] in BUILT_IN}
    assert rows["four_bar"] == ["graph", "3", "3", "1"]
    assert rows["solo12"] == ["tree", "13", "18", "0"]
    assert rows["panda"] == ["serial", "7", "7", "0"]


def test_version(sixvec: Callable[..., Any]) -> None:
    assert sixvec("--version").stdout == f"sixvec {library.__version__}\n"


def test_no_command_shows_how(sixvec: Callable[..., Any]) -> None:
    done = sixvec()
    assert done.returncode == 0 and "Usage: sixvec" in done.stdout and done.stderr == ""


def test_help_names_every_command(sixvec: Callable[..., Any]) -> None:
    shown = sixvec("--help").stdout
    for command in ("demo", "emit", "robots"):
        assert command in shown
