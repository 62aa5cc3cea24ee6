"""Attributes and elements with a slip in their names, which every reader skips, in the three formats."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest

from sixvec.formats.doctor import Severity, check_file
from sixvec.formats.doctor.spelling import words_are_known
from sixvec.formats.mjcf.words import MJCF_WORDS
from sixvec.formats.vocabulary import Vocabulary

_BODY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'

URDF = f"""<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">
<link name="a">{_BODY}<visual><geometry><box size="1 1 1"/></geometry></visual></link>
<link name="b">{_BODY}
<visual><geometry><sphere raduis="1"/></geometry></visual></link>
<joint name="j" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<origin xyz="0 0 1" rpi="1 2 3"/>
<limit lowr="0" upper="1" effort="1" velocity="1" drake:acceleration="3" xmlns:drake="d" gear="3"/>
<dynamics dampin="1"/></joint>
<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint><link name="c"/>
<transmission name="t"><jont whatever="1"/></transmission><gazebo><limit lowr="1"/></gazebo></robot>"""

MJCF = """<mujoco><compiler angel="radian"/>
<default><geom colour="1 0 0 1"/></default>
<worldbody><body name="a" posi="1 2 3"><joint name="j" rnage="-3 3"/>
<inertial pos="0 0 0" mas="1"/></body></worldbody>
<equality><weld body1="a" relpos="0 0 0 1 0 0 0"/></equality>
<sensor><jointpos jiont="j"/></sensor>
<visual><qualtiy shadowsize="1"/></visual>
<extension><plugin plugin="p"><anything goes="1"/></plugin></extension>
<custom><numeric dta="1"/></custom></mujoco>"""

SDF = """<sdf version="1.9" xmlns:drake="d"><model name="m" cannonical_link="a">
<link name="a"><inertial><mas>5</mas></inertial></link>
<link name="b"><pose relative="a">0 0 1 0 0 0</pose></link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis>
<xyz expresed_in="a">0 0 1</xyz>
<limit><lowr>-1</lowr><upper>1</upper><drake:acceleration>3</drake:acceleration></limit>
<dynamics><dampin>1</dampin></dynamics></axis></joint>
<plugin name="p" filename="f"><lowr>1</lowr></plugin></model></sdf>"""

SLIPS = {
    "r.urdf": (URDF, {4: "radius", 6: "rpy", 8: "damping", 7: "lower"}),
    "r.xml": (MJCF, {1: "angle", 2: "", 3: "range", 4: "mass", 5: "relpose", 6: "joint", 7: "quality"}),
    "r.sdf": (SDF, {1: "canonical_link", 2: "mass", 3: "relative_to", 5: "expressed_in", 6: "lower", 7: "damping"}),
}


@pytest.mark.parametrize("name", SLIPS)
def test_each_misspelling_is_reported_with_its_line(tmp_path: Path, name: str) -> None:
    text, wanted = SLIPS[name]
    path = tmp_path / name
    path.write_text(text)
    told = [f for f in check_file(path).findings if "not one of <" in f.message or "not an element" in f.message]
    said = {f.line: f.advice for f in told if f.severity is Severity.WARNING}
    for line, word in wanted.items():
        if word:
            assert re.search(rf'did you mean (<{word}>|{word}="…")\?', said[line])
    assert said.keys() <= wanted.keys()


def test_words_of_other_programs_are_a_note_in_urdf_and_a_warning_elsewhere(tmp_path: Path) -> None:
    for name, line, word in (("r.urdf", 7, "gear"), ("r.xml", 2, "colour")):
        path = tmp_path / name
        path.write_text(SLIPS[name][0])
        (found,) = (f for f in check_file(path).findings if f"the attribute {word} " in f.message)
        assert (found.line, found.severity.word) == (line, "note" if name == "r.urdf" else "warning")


PACKAGES = {"example-robot-data": 40, "gymnasium": 10, "dm_control": 40, "drake": 5}
"""Packages with robot files, and how many there are at least."""


@pytest.mark.parametrize("package", PACKAGES)
def test_published_files_have_no_such_warning(package: str) -> None:
    """Without loading them: only the words count."""
    from sixvec.errors import FileFormatError
    from sixvec.formats.doctor import check
    from sixvec.formats.folders import Folders
    from sixvec.formats.problems import noting
    from sixvec.formats.xml import read_xml

    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        pytest.skip(f"the package {package} is not installed")
    seen = 0
    for path in (Path(str(f.locate())) for f in files if f.suffix in (".urdf", ".xml", ".sdf")):
        try:
            root = read_xml(path)
        except FileFormatError:
            continue
        with noting([]):
            outline = check.outline_of(root, Folders(path.parent))
        if outline is not None:
            assert not [f.text(str(path)) for f in words_are_known(outline) if f.severity >= Severity.WARNING]
            seen += 1
    assert seen >= PACKAGES[package]


def _schema(text: str) -> list[tuple[list[str], list[str]]]:
    """The elements of MuJoCo's printed schema, each with the way to it, and its attributes."""
    found: list[tuple[list[str], list[str]]] = []
    way: list[str] = []
    for line in text.splitlines():
        start = re.match(r"^( *)(\(world\)body|[a-z_0-9]+) \(.\) *(.*)$", line)
        if start and len(start[1]) < 28:
            way = [*way[: len(start[1]) // 3], start[2].replace("(world)", "")]
            found.append((way, start[3].split()))
        elif found:
            found[-1][1].extend(line.split())
    return found


def test_every_word_of_mujoco_is_known() -> None:
    """The schema that MuJoCo itself prints; what is left open here is skipped."""
    mujoco = pytest.importorskip("mujoco")
    rows = _schema(mujoco.mj_printSchema(False, True))
    assert len(rows) > 150
    compared = 0
    for way, attributes in rows:
        parent, tag = way[-2] if len(way) > 1 else "", way[-1]
        words = MJCF_WORDS.of(parent, tag)
        if words is not None and words.attributes is not None:
            assert words.attributes >= {*attributes}, way
            compared += 1
        around = MJCF_WORDS.of(way[-3] if len(way) > 2 else "", parent) if parent else None
        if around is not None and around.inside is not None:
            assert tag in around.inside or (parent, tag) == ("mujoco", "body"), way
    assert compared > 130


def test_rows_and_groups_of_a_vocabulary() -> None:
    words = Vocabulary("a: $x > b c\n d\nb: p=2\na/b: q > *\ne/*: r", {"x": "m n"})
    found = {way: words.of(*way) for way in (("", "a"), ("a", "b"), ("z", "b"), ("e", "f"))}
    assert {way: row and row[:2] for way, row in found.items()} == {
        ("", "a"): (frozenset("mn"), frozenset("bcd")),
        ("a", "b"): (frozenset("q"), None),
        ("z", "b"): (frozenset("p"), frozenset()),
        ("e", "f"): (frozenset("r"), frozenset()),
    }
    assert words.of("z", "f") is None and (row := found["z", "b"]) is not None and row.numbers["p"][:2] == (2, 2)
