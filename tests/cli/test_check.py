"""`sixvec check`: exit status, text, JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sixvec.cli import main
from sixvec.formats.doctor.meshes import missing

LINK = (
    '<link name="{}"><inertial><mass value="{}"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>\n'
)
HINGE = (
    '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>\n'
    '<limit lower="-1" upper="1" effort="{}" velocity="1"/></joint>\n'
)


def urdf(folder: Path, mass: str = "1", effort: str = "5") -> Path:
    path = folder / "arm.urdf"
    path.write_text(f'<robot name="arm">\n{LINK.format("a", 1)}{LINK.format("b", mass)}{HINGE.format(effort)}</robot>')
    return path


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        ({}, 0, "arm.urdf: healthy: 2 links, 1 moving joint, 2 kg"),
        ({"effort": "0"}, 0, 'arm.urdf:5: note: joint "j": <limit>: effort is zero'),
        ({"effort": "-1"}, 1, 'arm.urdf:5: warning: joint "j": <limit>: effort -1 is negative'),
        ({"mass": "-1"}, 3, 'arm.urdf:3: error: link "b": <mass>: the mass is -1.0'),
        ({"mass": "heavy"}, 3, 'arm.urdf:3: error: link "b": <mass>: value="heavy" is not numbers'),
    ],
)
def test_status_and_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: dict[str, str], status: int, said: str
) -> None:
    assert main(["check", str(urdf(tmp_path, **options))]) == status
    shown = capsys.readouterr().out
    assert said in shown
    assert len(shown.splitlines()) == (2 if options else 1)


def test_json(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    path = urdf(tmp_path, mass="nan")
    done = sixvec("check", path, "--json")
    assert done.returncode == 3 and done.stderr == ""
    report = json.loads(done.stdout)
    assert (report["file"], report["status"]) == (str(path), 2)
    (finding,) = report["findings"]
    assert finding["severity"] == "error" and finding["line"] == 3
    assert finding.keys() == {"severity", "file", "line", "element", "message", "advice"}
    assert finding["file"] == str(path)


def test_files_that_are_no_robots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.xml"
    page.write_text("<html/>")
    assert main(["check", str(page)]) == 3
    assert "html" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "none.urdf")]) == 3
    assert "does not exist" in capsys.readouterr().err
    assert main(["check", "panda"]) == 0


def test_meshes_are_looked_for_and_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "arm_description"
    (package / "urdf").mkdir(parents=True)
    (package / "meshes").mkdir()
    mesh = package / "meshes" / "hand.stl"
    mesh.touch()
    mesh.chmod(0)
    urdf = package / "urdf" / "arm.urdf"
    there = ["package://arm_description/meshes/hand.stl", "../meshes/hand.stl", str(mesh), f"file://{mesh}"]
    assert [missing(name, urdf)[1] for name in there] == [""] * 4
    gone = ["package://arm_description/meshes/foot.stl", "foot.stl", "file:///no/foot.stl", "", "a\0b"]
    assert all(severity.word == "warning" and problem for severity, problem in (missing(n, urdf) for n in gone))
    elsewhere = ["package://other/foot.stl", "package://", "http://localhost:9/foot.stl"]
    assert all(severity.word == "note" and problem for severity, problem in (missing(n, urdf) for n in elsewhere))
    other = tmp_path / "ros" / "other"
    other.mkdir(parents=True)
    (other / "foot.stl").touch()
    monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join(["/no/such/folder", str(tmp_path / "ros")]))
    assert missing("package://other/foot.stl", urdf)[1] == ""


def test_a_device_is_not_said_to_be_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", os.devnull]) == 3
    assert "is a pipe or a device" in capsys.readouterr().err
