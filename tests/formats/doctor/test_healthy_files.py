"""Files that are known to be sound: no errors, and no warnings but the list of what a model cannot hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from package_files import published_mjcf
from sdf_files import PEER_FILES
from sixvec.formats.doctor import Severity, check_file

UNSUPPORTED = "read without what the model cannot hold"


FILES = published_mjcf()


@pytest.mark.skipif(not FILES, reason="the packages gymnasium and dm_control are not installed")
@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parts[-3]}-{p.stem}")
def test_published_mjcf(path: Path) -> None:
    report = check_file(path)
    assert report.model is not None
    assert not [f for f in report.findings if f.severity >= Severity.WARNING and UNSUPPORTED not in f.message]
    # What remains is true: these joints turn or slide without end.
    assert {f.message for f in report.findings if f.severity is Severity.NOTE} <= {"has no limits"}


@pytest.mark.parametrize("name", PEER_FILES)
def test_our_own_sdf(tmp_path: Path, name: str) -> None:
    path = tmp_path / "robot.sdf"
    path.write_text(PEER_FILES[name])
    report = check_file(path)
    assert report.status == 0 and report.model is not None
    assert {f.message for f in report.findings} <= {"has no limits"}


HEALTHY = {
    "arm.xml": '<mujoco><worldbody><body name="a"><joint name="j" range="-90 90"/><geom size="1" mass="2"/>'
    "</body></worldbody></mujoco>",
    "arm.sdf": '<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/><joint name="j" type="revolute">'
    "<parent>a</parent><child>b</child><axis><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>"
    "</model></sdf>",
}


@pytest.mark.parametrize(("name", "robot"), [("arm.xml", "1 links, 1 moving"), ("arm.sdf", "2 links, 1 moving")])
def test_a_healthy_file_says_so_in_one_line(tmp_path: Path, name: str, robot: str) -> None:
    path = tmp_path / name
    path.write_text(HEALTHY[name])
    assert check_file(path).text() == f"{path}: healthy: {robot} joint, 2 kg"
