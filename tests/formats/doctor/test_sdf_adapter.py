"""What the rules see of an SDF file: scopes of names, frames, units, loops, meshes of models."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats.doctor import Report, Severity, check_file

LIMIT = "<limit><lower>-1</lower><upper>1</upper></limit>"
EMPTY = "<inertial><mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial>"


def examined(folder: Path, *lines: str, version: str = "1.9") -> Report:
    """Each argument is one line of the model, from line 2 on."""
    path = folder / "robot.sdf"
    path.write_text("\n".join([f'<sdf version="{version}"><model name="r">', *lines, "</model></sdf>"]))
    return check_file(path)


def link(name: str, inside: str = "") -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, inside: str = f"<axis>{LIMIT}</axis>", kind: str = "revolute") -> str:
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{inside}</joint>'


def told(report: Report, least: Severity = Severity.WARNING) -> list[tuple[int | None, str]]:
    return [(f.line, f.message) for f in report.findings if f.severity >= least]


def test_names_lead_into_models(tmp_path: Path) -> None:
    lines = [
        link("base"),
        '<model name="hand">' + link("palm") + '<frame name="tool" attached_to="palm"/></model>',
        joint("j", "base", "hand::tool"),
    ]
    assert not told(examined(tmp_path, *lines), Severity.NOTE)
    wrong = [*lines, joint("k", "hand::toll", "palm"), '<frame name="f" attached_to="hand::palm::x"/>']
    found = told(examined(tmp_path, *wrong))
    assert [(line, message.partition('"')[0]) for line, message in found] == [
        (5, "no frame "), (5, "no frame "), (6, "no nested model ")
    ]  # fmt: skip


def test_joints_may_have_the_names_of_links_in_old_versions(tmp_path: Path) -> None:
    lines = [link("a"), link("b"), joint("b", "a", "b")]
    assert not told(examined(tmp_path, *lines, version="1.6"), Severity.NOTE)
    assert told(examined(tmp_path, *lines)) == [(4, 'two frames are named "b"')]


@pytest.mark.parametrize(
    ("lines", "line", "circle"),
    [
        ([link("a", '<pose relative_to="b"/>'), link("b", '<pose relative_to="a"/>')], 2, "relative_to"),
        ([link("a"), '<frame name="f" attached_to="g"/>', '<frame name="g" attached_to="f"/>'], 3, "attached_to"),
        ([link("a"), link("b", '<pose relative_to="j"/>'), joint("j", "a", "b")], 3, "relative_to"),
    ],
)
def test_places_in_a_circle(tmp_path: Path, lines: list[str], line: int, circle: str) -> None:
    ((found, message),) = told(examined(tmp_path, *lines))
    assert found == line and f"its {circle} leads in a circle" in message


def test_links_that_all_hang_on_each_other(tmp_path: Path) -> None:
    """Loops are kept as closures; a circle without a root loads, but which joint is cut is chance."""
    report = examined(tmp_path, link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a"))
    found = [(f.line, f.severity.word) for f in report.findings if "closes a cycle" in f.message]
    assert found in ([(4, "warning")], [(5, "warning")]) and report.model is not None
    loop = [link(n) for n in "abc"] + [joint("j", "a", "b"), joint("k", "a", "c"), joint("l", "b", "c")]
    assert not [m for _, m in told(examined(tmp_path, *loop)) if "cycle" in m]


def test_units(tmp_path: Path) -> None:
    pose = "<pose{}>0 0 {} {} 0 0</pose>"
    lines = [
        link("a"), link("b", pose.format("", 300, 0)), link("c", pose.format("", 1, 45)),
        link("d", pose.format(' degrees="true"', 1, 45)),
        joint("j", "a", "b", "<axis><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis>"),
        joint("k", "b", "c", "<axis><limit><lower>-170</lower><upper>170</upper></limit></axis>"),
        joint("l", "c", "d", "<axis><limit><lower>0</lower><upper>250</upper></limit></axis>", "prismatic"),
    ]  # fmt: skip
    found = told(examined(tmp_path, *lines))
    assert [line for line, _ in found] == [3, 4, 7, 8]
    assert ["millimetres" in message for _, message in found] == [True, False, False, True]


def test_meshes_of_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "arm"
    folder.mkdir()
    (folder / "hand.dae").touch()
    (tmp_path / "elsewhere" / "leg").mkdir(parents=True)
    shape = '<visual name="v{}"><geometry><mesh><uri>{}</uri></mesh></geometry></visual>'
    addresses = ["model://arm/hand.dae", "hand.dae", "model://arm/foot.dae", "foot.dae", "model://leg/foot.dae"]
    lines = [link(f"l{i}", shape.format(i, address)) for i, address in enumerate(addresses)]
    found = [(f.line, f.severity.word) for f in examined(folder, *lines).findings]
    assert found == [(4, "warning"), (5, "warning"), (6, "note")]
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", str(tmp_path / "elsewhere"))
    assert told(examined(folder, *lines))[-1] == (6, f'"model://leg/foot.dae": is not in the model at '
                                                     f"{tmp_path / 'elsewhere' / 'leg'}")  # fmt: skip


def test_a_loop_that_an_exporter_cut(tmp_path: Path) -> None:
    lines = [
        link("ground"), link("left"), link("rod"), link("right", "<pose>1 0 0 0 0 0</pose>"),
        link("rod_loop", EMPTY), joint("i", "ground", "left"), joint("j", "left", "rod"), joint("k", "ground", "right"),
        joint("end", "right", "rod_loop", "", "fixed"),
    ]  # fmt: skip
    ((line, message),) = told(examined(tmp_path, *lines))
    assert line == 6 and '"rod" (line 4) on another branch: a loop that an exporter cut' in message
    # With a joint that closes it there is nothing to say.
    assert not [m for _, m in told(examined(tmp_path, *lines, joint("c", "rod", "rod_loop"))) if "exporter" in m]


def test_names_from_included_models_are_not_missed(tmp_path: Path) -> None:
    lines = [link("a"), "<include><uri>model://hand</uri><name>hand</name></include>", joint("j", "a", "hand::palm")]
    assert "no frame" not in examined(tmp_path, *lines).text()


def test_findings_name_the_included_file(tmp_path: Path) -> None:
    hand = tmp_path / "hand.sdf"
    text = link("palm") + link("finger") + "\n" + joint("knuckle", "plam", "finger")
    hand.write_text(f'<sdf version="1.9"><model name="hand">{text}</model></sdf>')
    include = "<include><uri>{}</uri><name>{}</name></include>"
    lines = [link("a"), include.format("hand.sdf", "left"), include.format("hand.sdf", "right"), link("a")]
    report = examined(tmp_path, *lines, include.format("none.sdf", "n"))
    found = [(f.file, f.line) for f in report.findings if f.severity is Severity.ERROR]
    assert found == [("", 5), ("", 6), (str(hand), 2)], report.text()
    assert (
        f'{hand}:2: error: joint "knuckle": <parent>: no frame "plam" in r::left; did you mean "palm"?' in report.text()
    )


def test_masses(tmp_path: Path) -> None:
    """A link without inertia has one kilogram; a mass of zero is none."""
    assert not told(examined(tmp_path, link("a"), link("b"), joint("j", "a", "b")), Severity.NOTE)
    ((line, message),) = told(examined(tmp_path, link("a"), link("b", EMPTY), joint("j", "a", "b")))
    assert line == 4 and "no mass" in message


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ([link("a"), joint("j", "a", "a")], 3, 'connects "a" with itself'),
        ([link("a"), "<link/>"], 3, "name is missing"),
        ([link("a", "<pose/>" + chr(10) + "<pose/>")], 3, "for the second time"),
        ([link("a"), joint("j", "a", "world")], 3, "cannot be the world"),
        ([link("a"), link("b"), joint("j", "a", "b", "")], 4, "has no <axis>"),
        ([link("a"), link("b"), '<joint name="j" type="ball"><child>b</child></joint>'], 4, "has no <parent>"),
        ([link("a"), link("b"), joint("j", "a", "b", '<axis><mimic joint="a"/></axis>')], 4, 'no joint "a"'),
        ([link("__model__")], 2, "is reserved"),
        (["<link name='a'><inertial><mass>-1</mass></inertial></link>"], 2, "the mass is -1"),
        (["<link name='a'><inertial><mass>9000</mass></inertial></link>"], 2, "grams"),
        (['<frame name="f"/>', link("a", '<pose rotation_format="quat_xyzw">0 0 0 0 0 0</pose>')], 3, "6 numbers"),
    ],
)  # fmt: skip
def test_one_problem(tmp_path: Path, lines: list[str], line: int, words: str) -> None:
    found = [(n, said) for n, said in told(examined(tmp_path, *lines)) if not said.startswith("read without")]
    assert [n for n, _ in found] == [line] and words in found[0][1], found
