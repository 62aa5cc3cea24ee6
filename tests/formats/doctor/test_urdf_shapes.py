"""Shapes of URDF that are not shown as written: each is a warning at its line, and sound ones are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats.doctor import Severity, check_file

SPHERE = "<geometry><sphere radius='1'/></geometry>"
MESH = "<geometry><mesh filename='package://none/a.stl' scale='{}'/></geometry>"
RED = "<material name='red'><color rgba='{}'/></material>"

SHAPES = {
    "bytes": (SPHERE + RED.format("255 0 0 1"), "255 0 0 1"),
    "negative": (SPHERE + RED.format("-1 0 0 1"), "-1 0 0 1"),
    "three numbers": (SPHERE + RED.format("1 0 0"), "is not a colour"),
    "no colour": (SPHERE + "<material name='red'><color/></material>", "is not a colour"),
    "no material": (SPHERE + "<material name='blue'/>", 'no material "blue"; '),
    "two shapes": ("<geometry><sphere radius='1'/><box size='1 1 1'/></geometry>", "<sphere> is before it"),
    "flat mesh": (MESH.format("1 0 1"), "leaves nothing"),
    "no mesh": (MESH.format("0"), "leaves nothing"),
}
SOUND = (SPHERE + RED.format("1 0.5 0 0"), MESH.format("1 -1 1"), MESH.format("0.001"), SPHERE + "<material name=''/>")


def warnings(folder: Path, *lines: str) -> list[tuple[int | None, str]]:
    path = folder / "arm.urdf"
    path.write_text("\n".join(("<robot name='arm'><link name='a'>", *lines, "</link></robot>")))
    report = check_file(path)
    assert report.model is not None
    return [(f.line, f.text("arm.urdf")) for f in report.findings if f.severity >= Severity.WARNING]


@pytest.mark.parametrize("tag", ["visual", "collision"])
@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_that_is_not_shown_as_written_is_a_warning_at_its_line(tmp_path: Path, name: str, tag: str) -> None:
    inside, words = SHAPES[name]
    ((line, told),) = warnings(tmp_path, f"<{tag}>{SPHERE}</{tag}>", f"<{tag}>{inside}</{tag}>")
    assert line == 3 and words in told and ": warning: " in told


def test_sound_shapes_have_no_warning(tmp_path: Path) -> None:
    assert not warnings(tmp_path, *(f"<visual>{inside}</visual>" for inside in SOUND))


def test_materials_of_other_links_and_of_the_robot_are_found(tmp_path: Path) -> None:
    shown = f"<visual>{SPHERE}<material name='{{}}'/></visual>"
    materials = "</link><material name='grey'><color rgba='0.5 0.5 0.5 1'/></material><link name='b'>"
    path = tmp_path / "arm.urdf"
    two = f"<robot name='arm'><link name='a'>{shown.format('grey')}{materials}{shown.format('gray')}</link>"
    path.write_text(f"{two}<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>")
    (told,) = [f.text("arm.urdf") for f in check_file(path).findings]
    assert 'no material "gray"; did you mean "grey"?' in told
