"""What the rules see of an MJCF file: classes, includes, units, copies, loops."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from naming import named
from sixvec.formats.doctor import Report, Severity, check_file
from sixvec.formats.mjcf import tree as mjcf_tree

GEOM = '<geom size="0.1" mass="1"/>'
PATIENCE = 10.0
"""Seconds for ten thousand bodies; a free machine needs two."""


def examined(folder: Path, *lines: str, sections: str = "") -> Report:
    """Each argument is one line of the world, from line 3 on; the sections stand in line 2."""
    path = folder / "robot.xml"
    path.write_text("\n".join(["<mujoco>", sections + "<worldbody>", *lines, "</worldbody></mujoco>"]))
    return check_file(path)


def body(name: str, inside: str, attributes: str = "") -> str:
    return f'<body name="{name}" {attributes}>{inside}</body>'


def told(report: Report, least: Severity = Severity.WARNING) -> list[tuple[int | None, str]]:
    return [(f.line, f.message) for f in report.findings if f.severity >= least]


def test_classes_supply_values(tmp_path: Path) -> None:
    """Axis, range, armature and type come from the class of a body around, of the joint itself, or of all."""
    sections = (
        '<default><joint range="-1 1"/><default class="rotor"><joint armature="0.1"/></default>'
        '<default class="rail"><joint type="slide" range="0 300"/></default></default>'
    )
    lines = [
        body("a", '<frame childclass="rotor"><joint name="i"/></frame>' + GEOM),
        body("b", '<joint name="j" class="rail"/>' + GEOM),
        body("c", '<joint name="k"/>' + GEOM, 'childclass="rotor"'),
    ]
    report = examined(tmp_path, *lines, sections=sections)
    # Without its class the second joint would turn.
    ((line, message),) = told(report, Severity.NOTE)
    assert line == 4 and message == "300 m of travel: are these millimetres?"


def test_numbers_of_a_class_are_reported_once_at_the_class(tmp_path: Path) -> None:
    sections = '<default><joint damping="much"/></default>'
    report = examined(
        tmp_path, *(body(n, f'<joint name="j{n}" range="-9 9"/>{GEOM}') for n in "abc"), sections=sections
    )
    assert told(report) == [(2, 'damping="much" is not numbers')]


def test_findings_name_the_included_file(tmp_path: Path) -> None:
    leg = tmp_path / "leg.xml"
    leg.write_text(f'<mujoco>\n<body name="leg">\n<joint name="knee" axis="0 0"/>{GEOM}</body></mujoco>')
    report = examined(tmp_path, '<include file="leg.xml"/>', body("leg", GEOM), '<include file="arm.xml"/>')
    places = [(f.file, f.line) for f in report.findings if f.severity is Severity.ERROR]
    assert sorted(places) == [("", 4), ("", 5), (str(leg), 3)]
    text = report.text()
    assert f"{leg}:3: error:" in text and f"the first is in line 2 of {leg}" in text
    assert 'the file "arm.xml" does not exist' in text
    assert {f["file"] for f in report.as_dict()["findings"] if f["line"] == 3} == {str(leg)}  # type: ignore[attr-defined]


def test_an_include_that_is_no_xml_or_includes_itself(tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_text("<mujoco>\n<body></mujoco>")
    (tmp_path / "self.xml").write_text('<mujoco>\n<include file="self.xml"/></mujoco>')
    report = examined(tmp_path, '<include file="bad.xml"/>', '<include file="self.xml"/>', '<include file="../x.xml"/>')
    places = [(Path(f.file).name, f.line) for f in report.findings]
    assert places == [("", 5), ("bad.xml", 2), ("self.xml", 2)]


def test_includes_have_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many files, however small, and too much text, in however few files."""
    for i in range(4):
        (tmp_path / f"{i}.xml").write_text(f'<mujoco><body name="b{i}">{GEOM}</body></mujoco>')
    includes = [f'<include file="{i}.xml"/>' for i in range(4)]
    assert not told(examined(tmp_path, *includes), Severity.ERROR)
    monkeypatch.setattr(mjcf_tree, "MOST_FILES", 4)  # the file itself and three more
    ((line, message),) = told(examined(tmp_path, *includes), Severity.ERROR)
    assert line == 6 and "more than 4 files" in message
    monkeypatch.undo()
    size = (tmp_path / "0.xml").stat().st_size
    monkeypatch.setattr(mjcf_tree, "LARGEST_FILE", 3 * size)
    ((line, _),) = told(examined(tmp_path, *includes), Severity.ERROR)
    assert line == 6


def test_names_from_files_that_cannot_be_read_are_not_missed(tmp_path: Path) -> None:
    actuator = '<actuator><motor joint="knee"/></actuator>'
    report = examined(tmp_path, '<include file="leg.xml"/>', sections=actuator)
    assert [line for line, _ in told(report, Severity.ERROR)] == [3]
    assert 'no joint "knee"' in examined(tmp_path, body("a", GEOM), sections=actuator).text()


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ('<equality><connect body1="a" body2="q" anchor="0 0 0"/></equality>', 'no body "q"'),
        ('<equality><weld site1="s" site2="t"/></equality>', 'no site "t"'),
        ('<actuator><position tendon="t"/></actuator>', 'no tendon "t"'),
        ('<tendon><fixed><joint joint="q" coef="1"/></fixed></tendon>', 'no joint "q"'),
        ('<sensor><framepos objtype="body" objname="q"/></sensor>', 'no body "q"'),
        ('<contact><exclude body1="a" body2="q"/></contact>', 'no body "q"'),
        ('<default><default class="x"/><default class="x"/></default>', "two default classes"),
        ('<actuator><motor joint="j" name="m"/><motor joint="j" name="m"/></actuator>', "two actuators"),
    ],
)
def test_what_mujoco_rejects_about_names(tmp_path: Path, section: str, words: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is the oracle")
    inside = '<joint name="j" range="-90 90"/><site name="s"/>' + GEOM
    report = examined(tmp_path, body("a", inside), sections=section)
    found = [(f.line, f.severity.word) for f in report.findings if words in f.message]
    assert found == [(2, "error")], report.text()
    with pytest.raises(ValueError, match=named("line 2")):
        mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))


@pytest.mark.parametrize(
    ("ranges", "compiler", "suspect"),
    [
        (("-1.57 1.57",), "", True),
        (("-1 1", "-2 2", "0 1.2", "-0.5 0.5"), "", True),
        (("-5 5",), "", False),  # a joint may have a few degrees
        (("-1.57 1.57", "-90 90"), "", False),
        (("-1.57 1.57",), '<compiler angle="radian"/>', False),
        (("-90 90",), '<compiler angle="radian"/>', True),
    ],
)
def test_degrees_and_radians(tmp_path: Path, ranges: tuple[str, ...], compiler: str, suspect: bool) -> None:
    lines = [body(f"b{i}", f'<joint range="{r}"/>{GEOM}') for i, r in enumerate(ranges)]
    found = told(examined(tmp_path, *lines, sections=compiler))
    assert [line for line, _ in found] == ([3] if suspect else [])


def test_limits_that_are_said_not_to_be(tmp_path: Path) -> None:
    lines = ['<joint limited="false" range="3 1"/>', '<joint limited="true"/>', '<joint range="0 0"/>']
    report = examined(tmp_path, *(body(f"b{i}", j + GEOM) for i, j in enumerate(lines)))
    found = sorted((f.line or 0, f.message) for f in report.findings)
    assert found == [(4, "has no limits"), (4, "the attribute range is missing or empty"), (5, "has no limits")]


def test_masses_come_from_where_the_compiler_says(tmp_path: Path) -> None:
    impossible = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/>'
    line = body("a", '<joint range="-90 90"/>' + impossible + GEOM)
    assert [n for n, _ in told(examined(tmp_path, line))] == [3]
    for setting in ('inertiafromgeom="true"', 'balanceinertia="true"'):
        assert not told(examined(tmp_path, line, sections=f"<compiler {setting}/>"))
    empty = body("a", '<joint range="-90 90"/><geom size="1" density="0"/><geom type="plane" size="1 1 1"/>')
    assert "no mass" in examined(tmp_path, empty).text()


POINT = '<inertial mass="1" pos="0 0 0"/>'
BALL = body("b", '<joint name="ball" type="ball"/>' + GEOM)
HINGE = '<joint name="j" range="-90 90" {}/>' + GEOM
HINGED = body("a", HINGE.format(""))
MESH = '<asset><mesh name="m" file="m.stl"/></asset>'


@pytest.mark.parametrize(
    ("lines", "sections", "line", "words"),
    [
        ([body("a", HINGE.format('type="hinges"'))], "", 3, 'no value "hinges"'),
        ([body("a", POINT + chr(10) + POINT)], "", 4, "second"),
        ([body("a", '<inertial pos="0 0 0" diaginertia="1 1 1"/>')], "", 3, "mass is missing"),
        ([body("a", '<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>')], "", 3, "the mass is -1"),
        ([body("a", '<inertial pos="0 0 0" mass="1" diaginertia="2500 2500 2500"/>')], "", 3, "mm²"),
        ([body("a", HINGE.format('damping="-1"'))], "", 3, "damping -1 is negative"),
        ([HINGED, BALL], '<equality><joint joint1="j" joint2="ball"/></equality>', 2, "a ball joint"),
        ([HINGED], '<equality><joint joint1="j" joint2="j"/></equality>', 2, "follows itself"),
        ([HINGED], '<compiler autolimits="false"/>', 3, "autolimits is off"),
        ([body("a", '<geom type="mesh" mesh="m"/>')], MESH, 2, "does not exist"),
        ([body("world", GEOM)], "", 3, 'two bodies are named "world"'),
    ],
)  # fmt: skip
def test_one_problem(tmp_path: Path, lines: list[str], sections: str, line: int, words: str) -> None:
    everything = told(examined(tmp_path, *lines, sections=sections))
    found = [(n, said) for n, said in everything if not said.startswith("read without")]
    assert [n for n, _ in found] == [line] and words in found[0][1], found


FOUR_BAR = [
    body("left", '<joint name="l" range="-9 9"/>' + GEOM + body("rod", '<joint name="r" range="-9 9"/>' + GEOM
         + body("rod_end", "", 'pos="1 0 0"'), 'pos="0 0.5 0"')),
    body("right", '<joint name="s" range="-9 9"/>' + GEOM + body("rod_end_loop", "", 'pos="0 0.5 0"'), 'pos="1 0 0"'),
]  # fmt: skip


def test_a_loop_that_an_exporter_cut(tmp_path: Path) -> None:
    ((line, message),) = told(examined(tmp_path, *FOUR_BAR))
    assert line == 4 and '"rod_end" (line 3) on another branch: a loop that an exporter cut' in message
    closed = '<equality><connect body1="rod_end" body2="rod_end_loop" anchor="0 0 0"/></equality>'
    assert not told(examined(tmp_path, *FOUR_BAR, sections=closed))


def test_the_error_of_the_loader_is_reported_with_those_of_the_rules(tmp_path: Path) -> None:
    setting = '<compiler coordinate="global"/>'
    report = examined(tmp_path, body("a", GEOM), body("b", GEOM, 'pos="0 0"'), sections=setting)
    (line, message), (other, _) = told(report)
    assert line == 2 and message.startswith("coordinate=") and other == 4 and report.model is None


def test_the_error_of_the_loader_in_an_included_file(tmp_path: Path) -> None:
    leg = tmp_path / "leg.xml"
    leg.write_text(f'<mujoco>\n<body name="leg" quat="1 0 0 0" euler="0 0 0">{GEOM}</body></mujoco>')
    (only,) = examined(tmp_path, '<include file="leg.xml"/>').findings
    assert (only.file, only.line, only.element) == (str(leg), 2, 'body "leg"')


def test_ten_thousand_bodies(tmp_path: Path) -> None:
    count = 10_000
    deep = "".join(f'<body name="b{i}">\n<joint name="j{i}" range="-9 9"/>{GEOM}' for i in range(count))
    start = time.process_time()
    report = examined(tmp_path, deep + "</body>" * count, sections='<actuator><pid joint="j0"/></actuator>')
    assert time.process_time() - start < PATIENCE
    assert report.status == 1 and len(report.findings) == 1  # the motor


@pytest.mark.parametrize(
    ("law", "fixed"),
    [
        ("", False),
        ('polycoef="0.5"', False),
        ('polycoef="0 0"', True),
        ('polycoef="1 0 0 0 0"', True),
        ('polycoef="0 2"', False),
        ('polycoef="0 0 1"', False),
        ('polycoef="0 0 0 0 1"', False),
        ('polycoef="0 0" active="false"', False),
    ],
)
def test_a_follower_that_never_moves(tmp_path: Path, law: str, fixed: bool) -> None:
    """The second coefficient is the multiplier of a joint that follows another; what has more is a loop."""
    lines = [HINGED, body("b", HINGE.format("").replace('"j"', '"k"'))]
    report = examined(tmp_path, *lines, sections=f'<equality><joint joint1="k" joint2="j" {law}/></equality>')
    assert any("the multiplier is zero" in message for _, message in told(report)) == fixed


@pytest.mark.parametrize(
    ("setting", "heavy"),
    [("", False), ('boundmass="0.5"', True), ('boundinertia="0.5"', True), ('boundmass="0" boundinertia="0"', False)],
)
def test_bounds_give_mass_to_all(tmp_path: Path, setting: str, heavy: bool) -> None:
    empty = body("a", '<joint range="-90 90"/><inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/>')
    found = examined(tmp_path, empty, sections=f"<compiler {setting}/>").text()
    assert ("moves a body t" in found) == (not heavy)


def test_shapes_of_other_groups_have_no_mass(tmp_path: Path) -> None:
    for groups, group, heavy in (("1 3", 1, True), ("1 3", 3, True), ("1 3", 0, False), ("1 3", 4, False),
                                 ("0 0", 0, True)):  # fmt: skip
        lines = body("a", f'<joint range="-90 90"/><geom size="1" group="{group}"/>')
        found = examined(tmp_path, lines, sections=f'<compiler inertiagrouprange="{groups}"/>').text()
        assert ("moves a body t" in found) == (not heavy)


@pytest.mark.parametrize("kind", ["body", "site", "joint", "tendon", "geom"])
def test_both_names_of_a_pair_must_exist(tmp_path: Path, kind: str) -> None:
    """In equalities; the names of others are no help."""
    inside = '<joint name="joint" range="-9 9"/><geom name="geom" size="0.1"/><site name="site"/>'
    tendon = '<tendon><fixed name="tendon"><joint joint="joint" coef="1"/></fixed></tendon>'
    names = ["body", "joint", "geom", "site", "tendon"]
    for one, two in (("none", kind), (kind, "none"), (next(n for n in names if n != kind), kind)):
        section = f'{tendon}<equality><flex {kind}1="{one}" {kind}2="{two}"/></equality>'
        found = [message for _, message in told(examined(tmp_path, body("body", inside), sections=section))]
        wrong = one if one != kind else two
        assert any(f'"{wrong}"' in message and kind in message for message in found), found
