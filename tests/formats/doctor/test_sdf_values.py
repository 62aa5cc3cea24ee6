"""Values of SDF that make no body or no rotation, and models that other files should hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_sdf_adapter import examined, joint, link, told

from sixvec.formats.doctor import Severity

BOX = '<collision name="c"><density>{}</density><geometry><box><size>{} 2 3</size></box></geometry></collision>'
AUTO = '<inertial auto="true"/>'

REFUSED = {
    link("a", AUTO): "has no <collision>",
    link("b", AUTO + BOX.format(-1, 1)): "the density is -1",
    link("c", AUTO + BOX.format(1, -1)): "its sizes are -1.0, 2.0, 3.0",
    link("d", AUTO + BOX.format(1, "wide")): "is not numbers",
    link("e", AUTO + BOX.format(1, 1).replace("<size>1 2 3</size>", "")): "has no <size>",
    link("f", '<inertial auto="maybe"/>'): 'auto="maybe"',
    link("g", '<pose rotation_format="foo">0 0 0 0 0 0</pose>'): 'rotation_format="foo"',
    link("h", '<pose degrees="many">0 0 0 0 0 0</pose>'): 'degrees="many"',
    link("i", '<pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose>'): "the quaternion is zero",
}


@pytest.mark.parametrize(("text", "words"), REFUSED.items())
def test_one_value_that_raises(tmp_path: Path, text: str, words: str) -> None:
    report = examined(tmp_path, link("base"), text, version="1.11")
    ((line, message),) = told(report)
    assert line == 3 and words in message and report.status == 2
    assert report.model is None


def test_all_of_them_at_once(tmp_path: Path) -> None:
    found = told(examined(tmp_path, *REFUSED, version="1.11"))
    assert [line for line, _ in found] == [*range(2, 2 + len(REFUSED))]
    assert all(words in message for words, (_, message) in zip(REFUSED.values(), found, strict=True))


def test_sizes_that_nothing_is_computed_from_are_a_warning(tmp_path: Path) -> None:
    report = examined(tmp_path, link("a", BOX.format(-1, -1)), version="1.11")
    found = [line for line, message in told(report) if "read without" not in message]
    assert found == [2, 2] and report.status == 1
    assert not told(examined(tmp_path, link("a", AUTO + BOX.format(7, 1)), version="1.11"))


def test_a_gearbox_needs_a_link_to_turn_against(tmp_path: Path) -> None:
    axes = "<axis><xyz>0 0 1</xyz></axis><gearbox_ratio>2</gearbox_ratio>"
    lines = [link("a"), link("b")]
    found = told(examined(tmp_path, *lines, joint("j", "a", "b", axes, "gearbox")))
    assert [(n, m) for n, m in found if "read without" not in m] == [(4, "a gearbox without <gearbox_reference_body>")]
    empty = joint("j", "a", "b", axes + "<gearbox_reference_body/>", "gearbox")
    assert (4, "a gearbox without <gearbox_reference_body>") in told(examined(tmp_path, *lines, empty))
    wrong = axes + "<gearbox_reference_body>c</gearbox_reference_body>"
    assert (4, 'no link "c" in r') in told(examined(tmp_path, *lines, joint("j", "a", "b", wrong, "gearbox")))
    right = axes + "<gearbox_reference_body>a</gearbox_reference_body>"
    assert not told(examined(tmp_path, *lines, joint("j", "a", "b", right, "gearbox")), Severity.ERROR)


def test_an_include_that_is_not_found_hides_its_own_names_only(tmp_path: Path) -> None:
    lines = [link("a"), link("b"), "<include><uri>model://hand</uri></include>"]
    ((line, message),) = told(examined(tmp_path, *lines, joint("j", "a", "b")))
    assert line == 4 and message == '"model://hand" is not found, and its model is left out'
    # Whether these exist nobody can say; the loader needs them.
    for name in ("hand::palm", "hand"):
        (found,) = [f for f in examined(tmp_path, *lines, joint("j", "a", name)).findings if f.severity.word == "error"]
        assert found.line == 5 and "it may be in what was included and is not found" in found.advice
    found = told(examined(tmp_path, *lines, joint("j", "a", "nope"), joint("k", "a", "b"), joint("l", "hnd", "b")))
    assert [line for line, m in found if m.startswith("no frame")] == [5, 7]


def test_names_of_a_merged_model_stand_among_the_others(tmp_path: Path) -> None:
    lines = [link("a"), '<include merge="true"><uri>model://hand</uri></include>', joint("j", "a", "palm")]
    (found,) = [f for f in examined(tmp_path, *lines).findings if f.severity.word == "error"]
    assert found.line == 4 and "it may be in what was included and is not found" in found.advice


def test_the_name_of_an_included_model_is_that_in_its_file(tmp_path: Path) -> None:
    (tmp_path / "part.sdf").write_text(f'<sdf version="1.9"><model name="hand">{link("palm")}</model></sdf>')
    lines = [link("a"), "<include><uri>part.sdf</uri></include>"]
    assert not told(examined(tmp_path, *lines, joint("j", "a", "hand")))
    assert (4, 'no frame "part" in r') in told(examined(tmp_path, *lines, joint("j", "a", "part")))
