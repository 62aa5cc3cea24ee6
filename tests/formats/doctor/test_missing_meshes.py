"""What is said of the name of a mesh: by its kind, and by where the file is."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats.doctor import Severity
from sixvec.formats.doctor.meshes import exists, missing

NOTE, WARNING = Severity.NOTE, Severity.WARNING


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the package `arm`, which has a mesh, next to a folder with another."""
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH"):
        monkeypatch.delenv(variable, raising=False)
    package = tmp_path / "arm"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>arm</name></package>")
    (package / "link.stl").write_text("")
    (package / "urdf" / "own.stl").write_text("")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "other.stl").write_text("")
    return package / "urdf" / "arm.urdf"


def test_names_of_meshes(robot: Path) -> None:
    more = robot.parents[2] / "more"
    fine = (NOTE, "")
    assert missing("package://arm/link.stl", robot) == fine
    severity, said = missing("package://arm/lost.stl", robot)
    assert severity is WARNING and said.startswith("is not in the package at ") and said.endswith("arm")
    severity, said = missing("package://leg/link.stl", robot)
    assert severity is NOTE and said == 'the package "leg" is neither near this file nor in ROS_PACKAGE_PATH'
    severity, said = missing("model://leg/link.stl", robot)
    assert severity is NOTE and said.startswith('the model "leg" is neither near this file nor in ')
    assert missing("own.stl", robot) == missing("other.stl", robot, [more]) == fine
    assert missing("other.stl", robot) == (WARNING, "the file does not exist")
    assert missing(f"file://{robot.parent / 'own.stl'}", robot) == fine
    assert missing("file:///nowhere/own.stl", robot) == (WARNING, "the file does not exist")
    assert missing("https://example.org/own.stl", robot)[0] is NOTE
    assert missing("", robot) == (WARNING, "no file is named")
    assert not exists(Path("a" * 5000)) and not exists(Path("\0")) and exists(robot.parent)
