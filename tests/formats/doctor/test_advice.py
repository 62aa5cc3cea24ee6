"""The advice of a finding: what to write, in terms of the element, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats.doctor import check_file

URDF = '<robot name="r"><link name="a"/><link name="b"/>\n{}</robot>'
SDF = '<sdf version="1.9"><model name="m"{}><link name="a"/><link name="b"/>\n{}</model></sdf>'
MJCF = "<mujoco>{}<worldbody><body><freejoint/><geom size='1'/></body></worldbody>\n{}</mujoco>"
ENDS = '<parent link="a"/><child link="b"/>'
ENDS_OF_SDF = "<parent>a</parent><child>b</child>"
MANY = "".join(
    f'<link name="l{i}"/><joint name="j{i}" type="fixed"><parent link="a"/><child link="l{i}"/></joint>'
    for i in range(50)
)
INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
TYPES = "revolute, continuous, prismatic"
CASES = {
    "axis": (
        SDF.format("", f'<joint name="j" type="revolute">{ENDS_OF_SDF}</joint>'),
        ['joint "j": has no <axis>, which is required; add <axis> with its <xyz>'],
    ),
    "mass": (
        f'<robot name="r">\n<link name="a"><inertial>{INERTIA}</inertial></link></robot>',
        ['link "a": <inertial>: has no <mass>, which is required; add <mass>, or take out the whole <inertial>'],
    ),
    "zero axis": (
        URDF.format(f'<joint name="j" type="continuous">{ENDS}<axis xyz="0 0 0"/></joint>'),
        ['joint "j": <axis>: joint axis (0.0, 0.0, 0.0) has no direction; give a finite, non-zero vector'],
    ),
    "mesh": (
        MJCF.format("<asset>\n<mesh name='t'/></asset>", ""),
        ['mesh "t": the attribute file is missing or empty; add file="…" or vertex="…"'],
    ),
    "connect": (
        MJCF.format("", "<equality><connect/></equality>"),
        [
            '<connect>: the attribute body1 is missing or empty; add body1="…", or site1 and site2',
            "<connect>: the attribute anchor is missing or empty; "
            'add anchor="x y z", the point in body1 where they meet',
        ],
    ),
    "type in URDF": (
        URDF.format(f'<joint name="j">{ENDS}</joint>'),
        [f'joint "j": the attribute type is missing or empty; give one of {TYPES}, planar, fixed, floating'],
    ),
    "type in SDF": (
        SDF.format("", f'<joint name="j">{ENDS_OF_SDF}</joint>'),
        [
            'joint "j": the attribute type is missing or empty; '
            f"give one of {TYPES}, screw, universal, revolute2, ball, fixed, gearbox"
        ],
    ),
    "mimic in SDF": (
        SDF.format("", f'<joint name="j" type="revolute">{ENDS_OF_SDF}<axis><mimic joint="z"/></axis></joint>'),
        ['joint "j": <mimic>: no joint "z" in m; joints: j'],
    ),
    "canonical link": (
        SDF.format(' canonical_link="z"', ""),
        ['model "m": no link "z" in m; links: a, b'],
    ),
    "infinite friction": (
        URDF.format(f'<joint name="j" type="continuous">{ENDS}<dynamics friction="inf"/></joint>'),
        ['joint "j": <dynamics>: friction="inf" is not finite; give 1 finite number'],
    ),
    "default": (
        MJCF.format("<default>\n<default/></default>", ""),
        ['<default>: has no class; a class inside another needs class="…"'],
    ),
    "many names": (
        URDF.format(f'<joint name="j" type="continuous">{ENDS}<mimic joint="j9x"/></joint>{MANY}'),
        ['joint "j": <mimic>: no joint "j9x"; did you mean "j9"? joints: '],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_advice(tmp_path: Path, name: str) -> None:
    text, expected = CASES[name]
    path = tmp_path / ("robot.sdf" if text.startswith("<sdf") else "robot.xml")
    path.write_text(text)
    said = [f.text("").split(": error: ")[1] for f in check_file(path).findings if f.severity.word == "error"]
    assert len(said) == len(expected)
    for each, words in zip(said, expected, strict=True):
        assert each == words or (words.endswith(": ") and each.startswith(words) and len(each) < 2 * len(words))
