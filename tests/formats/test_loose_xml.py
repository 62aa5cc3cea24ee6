"""XML as the formats' own programs take it: read, with a warning that names the line, and no door opened by it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path

import mujoco
import pytest

import sixvec
from naming import named
from sixvec.errors import FileFormatError
from sixvec.formats import parse_model
from sixvec.formats.doctor import check_file
from sixvec.formats.xml import LooseXml, parse_xml

DECLARATION = '<?xml version="1.0"?>\n'
LINK = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
DRAKE = "<inertial><mass>1</mass></inertial><drake:sphere_inertia/>"

Pieces = tuple[str, str, str]
"""What stands before the outermost element, in its tag, and inside."""

LOOSE: dict[str, tuple[Pieces, int, str]] = {
    "a blank line first": (("\n\n" + DECLARATION, "", ""), 1, "XML"),
    "a mark and a blank line": (("\ufeff\n" + DECLARATION, "", ""), 1, "XML"),
    "a blank line and a mark": (("\n\ufeff" + DECLARATION, "", ""), 1, "XML"),
    "dashes in a comment": ((DECLARATION, "", "\n<!-- a\n -- b -->\n"), 3, "--"),
    "a ruler of dashes": ((DECLARATION, "", "\n<!-------- a --------->\n"), 3, "--"),
    "a control character in a comment": ((DECLARATION, "", "\n<!-- \x01 -->"), 3, "text"),
    "an attribute with a prefix": ((DECLARATION, ' x:y="1"', ""), 2, '"x"'),
    "a default namespace": ((DECLARATION, ' xmlns="http://a"', ""), 2, "http://a"),
}

FORMATS: dict[str, Callable[[Pieces], str]] = {
    ".urdf": lambda p: f'{p[0]}<robot name="r"{p[1]}>{p[2]}\n<link name="a">{LINK}</link></robot>',
    ".xml": lambda p: (
        f'{p[0]}<mujoco{p[1]}>{p[2]}<worldbody>\n<body name="a"><geom size="1"/></body></worldbody></mujoco>'
    ),
    ".sdf": lambda p: f'{p[0]}<sdf version="1.9"{p[1]}>{p[2]}<model name="m">\n<link name="a"/></model></sdf>',
}


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("name", LOOSE)
def test_read_with_a_warning(tmp_path: Path, name: str, suffix: str) -> None:
    pieces, line, words = LOOSE[name]
    path, plain = tmp_path / f"loose{suffix}", tmp_path / f"plain{suffix}"
    path.write_text(FORMATS[suffix](pieces), encoding="utf-8")
    plain.write_text(FORMATS[suffix](("", "", "")))
    if suffix == ".xml":
        mujoco.MjModel.from_xml_path(str(path))
    with pytest.warns(LooseXml, match=words) as caught:
        robot = sixvec.load(path)
    assert [slip.line for w in caught for slip in w.message.slips] == [line]  # type: ignore[union-attr]
    assert robot.model.bodies == sixvec.load(plain).model.bodies
    report = check_file(path)
    assert report.status == 1, report.text()
    assert [(f.line, words in f.message) for f in report.findings if f.severity == 1] == [(line, True)]


def test_elements_with_a_prefix_that_nobody_declares(tmp_path: Path) -> None:
    """As in the files of Fetch, Spot and Drake; MuJoCo takes no elements but its own."""
    urdf = tmp_path / "a.urdf"
    urdf.write_text(f'<robot name="r"><link name="a">{LINK}</link>\n<drake:joint><gazebo:x/></drake:joint></robot>')
    with pytest.warns(LooseXml, match=named("prefix", "drake", "line 2", "gazebo")):
        assert [b.name for b in sixvec.load(urdf).model.bodies] == ["a"]
    sdf = tmp_path / "a.sdf"
    sdf.write_text(f'<sdf version="1.9"><model name="m"><link name="a">{DRAKE}</link></model></sdf>')
    with pytest.warns() as caught:
        sixvec.load(sdf)
    assert any("drake:sphere_inertia (an extension of the format)" in str(w.message) for w in caught)


def test_what_is_declared_is_no_slip() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        root = parse_xml('<!-- a - b --><r xmlns:x="http://x" x:y="1" xml:space="preserve"><x:a/></r>', "r")
    assert [n.tag for n in root.inside] == ["x:a"] and root.attributes == {
        "x:y": "1",
        "xml:space": "preserve",
    }


def test_lines_behind_what_was_mended_are_those_of_the_file() -> None:
    text = "\n\n" + DECLARATION + "<robot>\n<!-- one\n--\n-- two -->\n<link name='a'>\n<inertial/></link></robot>"
    with pytest.warns(LooseXml), pytest.raises(FileFormatError, match=named("line 9")):
        parse_model(text, "arm.urdf")


@pytest.mark.parametrize(
    "text",
    [
        "\n<?xml version='1.0'?><!DOCTYPE r [<!ENTITY e 'x'>]><robot>&e;</robot>",
        "<!-- -- --><!DOCTYPE r [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><robot>&e;</robot>",
        "<!DOCTYPE r [<!-- -- --><!ENTITY e 'x'>]><robot>&e;</robot>",
        "<!DOCTYPE r [<!ENTITY e '<!--'> -- <!ENTITY f '-->'>]><robot>&e;</robot>",
        "<robot><![CDATA[<!-- -- ]]><!DOCTYPE r [<!ENTITY e 'x'>]>&e;--></robot>",
        "<?p <!-- -- ?><!DOCTYPE r [<!ENTITY e 'x'>]><robot>&e;</robot>",
        "<robot><!-- -- -->&e;</robot>",
    ],
)
def test_mending_lets_no_entity_through(text: str) -> None:
    for data in (text, text.encode()):
        with pytest.raises(FileFormatError, match=named("r.urdf")):
            parse_xml(data, "r.urdf")


@pytest.mark.parametrize(
    "text",
    [
        "<!--" * 1_000_000,
        "<r>" + "<!-- -- -->" * 300_000 + "&",
        "<r>" + "<![CDATA[" * 300_000 + "<!-- -- -->",
        " " * 3_000_000 + "<?xml ",
        "<?xml " * 300_000,
    ],
)
def test_mending_takes_linear_time(text: str) -> None:
    start = time.process_time()
    with pytest.raises(FileFormatError):
        parse_xml(text, "r.urdf")
    assert time.process_time() - start < 3.0


@pytest.mark.filterwarnings("ignore::sixvec.formats.xml.LooseXml")
def test_macros_under_another_prefix_are_still_macros() -> None:
    for tag in ('x:leg xmlns:x="http://www.ros.org/wiki/xacro"', "xacro:leg"):
        with pytest.raises(FileFormatError, match=named("xacro:leg", "*.xacro")):
            parse_model(f'<robot name="r"><link name="a"/><{tag}/></robot>', "r.urdf")
