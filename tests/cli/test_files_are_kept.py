"""No command or method replaces a file unless it is told to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.cli.main import main
from sixvec.cli.status import Status
from sixvec.errors import OutputError
from sixvec.parallel import Delta

COMMANDS: dict[str, list[str]] = {
    "convert": ["convert", "planar_2r", "thesis.urdf"],
    "emit": ["emit", "planar_2r", "mass_matrix", "--output", "thesis.c"],
    "demo": ["demo", "planar_2r", "--output", "thesis.png"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_ask(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / COMMANDS[command][-1]
    file.write_text("mine")
    assert main(COMMANDS[command]) == Status.UNWRITABLE
    assert "--force" in capsys.readouterr().err and file.read_text() == "mine"


def swing(robot: sv.Robot, file: Path, **options: Any) -> Path:
    return robot.animate(np.zeros((3, robot.nq)), file, 0.1, **options)


def modes(robot: sv.Robot, file: Path, **options: Any) -> Path:
    delta = Delta(0.2, 0.05, 0.2, 0.4)
    return delta.animate(np.array([[0.0, 0.0, -0.35], [0.0, 0.01, -0.35]]), file, 0.1, **options)


METHODS: dict[str, tuple[Callable[..., Any], str]] = {
    "picture": (swing, "thesis.png"),
    "page": (swing, "thesis.html"),
    "modes": (modes, "thesis.png"),
    "save": (sv.save, "thesis.urdf"),
}


@pytest.mark.parametrize("method", METHODS)
def test_methods_ask(method: str, tmp_path: Path) -> None:
    write, name = METHODS[method]
    file = tmp_path / name
    file.write_text("mine")
    robot = sv.load("planar_2r")
    with pytest.raises(OutputError, match="overwrite"):
        write(robot, file)
    assert file.read_text() == "mine"
    write(robot, file, overwrite=True)
    assert file.read_bytes() != b"mine"


@pytest.mark.parametrize("command", ["convert", "emit", "demo"])
def test_the_robot_is_not_an_output(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "arm.urdf"
    sv.save(sv.load("planar_2r"), file)
    before = file.read_bytes()
    options = {"convert": [str(file)], "emit": ["mass_matrix", "-o", str(file)], "demo": ["-o", str(file)]}[command]
    assert main([command, str(file), *options, "--force"]) == Status.USAGE
    assert "arm.urdf" in capsys.readouterr().err and file.read_bytes() == before


def test_export_replaces_its_own_files_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["export", "planar_2r", "gravity_forces", "-o", str(tmp_path), "--force"]
    assert main(command) == main(command) == Status.FINE
    mine = tmp_path / "CMakeLists.txt"
    mine.write_text("project(thesis)")
    assert main(command) == Status.UNWRITABLE
    assert "CMakeLists.txt" in capsys.readouterr().err and mine.read_text() == "project(thesis)"
