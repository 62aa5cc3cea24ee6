"""Xacro files: expanded where they are named so and the package is there, never otherwise."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from naming import named
from sixvec.errors import FileFormatError, MissingExtra
from sixvec.formats import load_model, parse_model
from sixvec.formats.doctor import check_file
from sixvec.formats.urdf.xacro import expanded

NAMESPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'

ARM = f"""<?xml version="1.0"?>
<robot name="arm" {NAMESPACE}>
  <xacro:arg name="length" default="0.25"/>
  <xacro:property name="half" value="${{$(arg length) / 2}}"/>
  <xacro:macro name="segment" params="i parent">
    <link name="link${{i}}">
      <inertial><origin xyz="${{half}} 0 0"/><mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    </link>
    <joint name="joint${{i}}" type="revolute">
      <parent link="${{parent}}"/><child link="link${{i}}"/><origin xyz="$(arg length) 0 0"/><axis xyz="0 0 1"/>
      <limit lower="${{-pi}}" upper="${{pi}}" effort="1" velocity="1"/>
    </joint>
  </xacro:macro>
  <link name="base"/>
  <xacro:segment i="1" parent="base"/>
  <xacro:segment i="2" parent="link1"/>
</robot>
"""


def written(folder: Path, text: str, name: str = "arm.xacro") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.fixture
def xacro() -> None:
    pytest.importorskip("xacro", reason="the package xacro (pip install xacro) expands the files")


@pytest.mark.usefixtures("xacro")
def test_macros_and_arguments(tmp_path: Path) -> None:
    path = written(tmp_path, ARM)
    model = load_model(path)
    assert (model.name, [b.name for b in model.bodies]) == ("arm", ["base", "link1", "link2"])
    assert model.bodies[2].placement.pos.x == 0.25 and model.bodies[2].inertia.center.x == 0.125
    longer = parse_model(expanded(path, {"length": "1.5"}), str(path), floating=True)
    assert longer.bodies[2].placement.pos.x == 1.5 and longer.nv == 8
    assert load_model(written(tmp_path, expanded(path), "arm.urdf")) == model


@pytest.mark.usefixtures("xacro")
def test_a_healthy_xacro_file_says_so(tmp_path: Path) -> None:
    report = check_file(written(tmp_path, ARM))
    assert report.status == 0 and report.text().endswith("healthy: 3 links, 2 moving joints, 2 kg")


@pytest.mark.usefixtures("xacro")
def test_what_is_wrong_after_the_expansion_has_no_line(tmp_path: Path) -> None:
    report = check_file(written(tmp_path, ARM.replace('effort="1"', 'effort="-1"')))
    assert report.status == 1 and [f.line for f in report.findings] == [None, None]
    assert 'joint "joint1"' in report.findings[0].element


@pytest.mark.usefixtures("xacro")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ARM.replace("${half}", "${quarter}"), "quarter"),
        (ARM.replace('"link1"/>', '"link1" colour="red"/>'), "colour"),
        (f'<robot {NAMESPACE}><xacro:include filename="no_such.xacro"/></robot>', "no_such.xacro"),
        (f'<robot {NAMESPACE}><xacro:property name="x" value="${{1/0}}"/><link name="${{x}}"/></robot>', "division"),
        (
            f'<robot {NAMESPACE}><xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/></robot>',
            "without end",
        ),
        (f"<!DOCTYPE r [<!ENTITY x 'y'>]><robot {NAMESPACE}/>", "document type"),
    ],
)
def test_errors_name_the_file_and_the_reason(
    tmp_path: Path, text: str, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FileFormatError) as caught:
        load_model(path)
    assert str(path) in str(caught.value) and words in str(caught.value)
    report = check_file(path)
    assert report.status == 2 and words in report.text()
    assert capfd.readouterr() == ("", "")


def test_without_the_package_the_message_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(MissingExtra, match=r"\[xacro\]"):
        load_model(written(tmp_path, ARM))


def test_plain_urdf_is_never_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(FileFormatError, match=named("xacro:segment", "*.xacro")):
        load_model(written(tmp_path, ARM, "arm.urdf"))


FOUND = f"""<robot name="arm" {NAMESPACE}>
  <xacro:include filename="$(find arm_parts)/urdf/parts.xacro"/>
  <xacro:part name="base"/>
</robot>
"""
PARTS = f'<robot {NAMESPACE}><xacro:macro name="part" params="name"><link name="${{name}}"/></xacro:macro></robot>'


def a_package(folder: Path, name: str = "arm_parts") -> Path:
    """A package of that name in a folder that may be called otherwise."""
    (folder / "urdf").mkdir(parents=True)
    (folder / "package.xml").write_text(f"<package><name>{name}</name></package>")
    return written(folder / "urdf", PARTS, "parts.xacro")


@pytest.mark.usefixtures("xacro")
def test_packages_are_found_without_ros(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    path = written(home, FOUND)
    elsewhere = tmp_path / "elsewhere"
    a_package(elsewhere / "repository" / "parts-main")  # the manifest has the name, the folder has not
    with pytest.raises(FileFormatError, match=named("arm_parts", "give", "folders", "ROS_PACKAGE_PATH")):
        load_model(path)
    for folder in (elsewhere, elsewhere / "repository", elsewhere / "repository" / "parts-main"):
        assert [b.name for b in load_model(path, folders=[folder]).bodies] == ["base"]
    assert check_file(path, folders=[elsewhere]).status == 0 and check_file(path).status == 2
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{elsewhere}")
    assert load_model(path).nv == 0
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    a_package(tmp_path / "install" / "share" / "arm_parts")
    assert load_model(path).nv == 0


@pytest.mark.usefixtures("xacro")
def test_a_package_above_the_file_or_next_to_one_that_is(tmp_path: Path) -> None:
    a_package(tmp_path / "src" / "arm_parts")
    beside = tmp_path / "src" / "arm_description" / "urdf"
    beside.mkdir(parents=True)
    assert load_model(written(beside, FOUND)).nv == 0
    assert load_model(written(tmp_path / "src" / "arm_parts" / "urdf", FOUND)).nv == 0
    odd = written(beside, FOUND.replace("arm_parts", "../arm_parts"), "odd.xacro")
    with pytest.raises(FileFormatError, match="folders"):
        load_model(odd)


ENDLESS = {
    "power": "${9**9**9**9}",
    "memory": "${[0]*10**12}",
    "doubling": "".join(f'<xacro:macro name="m{i}"><xacro:m{i + 1}/><xacro:m{i + 1}/></xacro:macro>' for i in range(40))
    + '<xacro:macro name="m40"><a/></xacro:macro><xacro:m0/>',
}


@pytest.mark.usefixtures("xacro")
@pytest.mark.parametrize("name", ENDLESS)
def test_an_expansion_without_end_is_stopped(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixvec.formats.urdf.xacro.LONGEST", 3.0)
    path = written(tmp_path, f"<robot name='r' {NAMESPACE}><link name='a'/>{ENDLESS[name]}</robot>")
    start = time.monotonic()
    with pytest.raises(FileFormatError):
        expanded(path, trusted=True)
    assert time.monotonic() - start < 10.0
