"""Values of MJCF that MuJoCo refuses: each has an error at its line, all at once; what MuJoCo takes has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats.doctor import Report, Severity, check_file

HEAD = '<mujoco>{sections}<worldbody><body name="b"><joint name="j" range="-90 90"/><geom size="0.1"/>'

IN_BODY = {
    '<geom type="blob" size="0.1"/>': 'no value "blob"',
    '<geom type="sphere"/>': "has no size",
    '<geom size="-1"/>': "is not positive",
    '<geom type="capsule" size="0.1"/>': "holds 1 number",
    '<geom type="box" size="0.1 0.1"/>': "holds 2 numbers",
    '<geom size="0.1" quat="0 0 0 0"/>': "is not a rotation",
    '<geom type="mesh"/>': "mesh is missing",
    '<geom size="0.1" mass="-3"/>': "the mass is -3",
    '<geom size="0.1" density="-3"/>': "the density is -3",
    '<geom type="capsule" size="0.1" fromto="1 2 3 1 2 3"/>': "at one point",
    '<geom type="sphere" size="0.1" fromto="0 0 0 0 0 1"/>': "not for a sphere",
    '<geom type="plane" size="1 1 0.1"/>': "cannot move",
    '<geom size="0.1" quat="1 0 0 0" euler="0 0 0"/>': "several orientations: quat, euler",
    '<site xyaxes="1 0 0 2 0 0"/>': "parallel",
    '<site xyaxes="1 2 3 2 4 6"/>': "parallel",
    '<site xyaxes="0 1 2 0 -2 -4"/>': "parallel",
    '<site xyaxes="3 0 1 6 0 2"/>': "parallel",
    '<camera zaxis="0 0 0"/>': "no direction",
    '<geom size="0.1" axisangle="0 0 0 1"/>': "without direction",
    '<body><joint type="ball" range="10 50"/><geom size="0.1"/></body>': "starts at 10",
    '<body><joint limited="yes" range="0 1"/><geom size="0.1"/></body>': 'limited: no value "yes"',
    '<body><freejoint/><geom size="0.1"/></body>': "the body must be directly in the world",
    '<body><joint type="ball"/><joint type="ball"/><geom size="0.1"/></body>': "behind a ball",
    '<body><joint type="ball"/><joint axis="0 0 1"/><geom size="0.1"/></body>': "behind a ball",
    f"<body>{'<joint/>' * 7}<geom size='0.1'/></body>": "6 degrees of freedom",
    '<body><inertial mass="1" diaginertia="1 1 1"/></body>': "pos is missing",
    '<body><inertial mass="1" pos="0 0 0" diaginertia="1 1 1" fullinertia="1 1 1 0 0 0"/></body>': "diaginertia and",
    '<body><inertial mass="1" pos="0 0 0" quat="1 0 0 1" fullinertia="1 1 1 0 0 0"/></body>': "fullinertia and quat",
    '<body name="world"/>': 'two bodies are named "world"',
    '<body mocap="si"/>': 'mocap: no value "si"',
}
IN_FILE = {
    "<worldbody><body><freejoint/><joint/><geom size='0.1'/></body></worldbody>": "the only joint",
    '<worldbody><geom type="plane"/></worldbody>': "a plane needs size",
    '<worldbody><geom type="hfield"/></worldbody>': "hfield is missing",
    '<compiler angle="turns"/>': 'angle: no value "turns"',
    '<compiler inertiafromgeom="maybe"/>': 'inertiafromgeom: no value "maybe"',
    '<equality><connect body1="b"/></equality>': "anchor is missing",
    '<equality><connect anchor="0 0 0"/></equality>': "body1 is missing",
    '<equality><joint joint2="j"/></equality>': "joint1 is missing",
    '<equality><weld body1="b" body2="b"/></equality>': 'are both "b"',
    '<equality><weld body1="world"/></equality>': 'are both "world"',
    '<equality><joint joint1="j" joint2="j" polycoef="0 1 1"/></equality>': "follows itself",
    '<equality><joint joint1="j" polycoef="0 1 0 0 0 0"/></equality>': "holds 6 numbers",
    "<actuator><motor/></actuator>": "drives nothing",
    "<actuator><adhesion/></actuator>": "names no body",
    '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1 2 3"/></asset>': "vertex holds 14 numbers",
    '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 2 3"/></asset>': "face holds 4 numbers",
    '<keyframe><key qpos="1 2 3"/></keyframe>': "qpos holds 3 numbers, and the joints have 1",
    '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 9"/></asset>': "not that of a vertex",
    '<asset><mesh name="n" vertex="0 0 0 1 0 0"/></asset>': "has 2 corners",
    '<asset><mesh name="o"/></asset>': "file is missing",
}
TAKEN = [
    '<geom type="capsule" size="0.1" fromto="0 0 0 0 0 1"/>',
    '<geom type="ellipsoid" size="0.1 0.2 0.3" mass="0"/>',
    '<geom size="0.1" xyaxes="1 0 0 1 1 0"/>',
    '<geom size="0.1" xyaxes="0 1 0 0 1 1"/>',
    '<geom size="0.1" xyaxes="0 1 1 0 1 -1"/>',
    '<geom size="0.1" xyaxes="1 0 1 1 0 -1"/>',
    '<geom size="0.1" xyaxes="1 1 0 1 -1 0"/>',
    '<geom size="0.1" xyaxes="1 2 3 3 2 1"/>',
    '<geom size="0.1" zaxis="0 0 -1"/>',
    '<geom size="0.1" axisangle="0 0 1 0"/>',
    '<body><joint type="slide"/><joint type="slide" axis="1 0 0"/><joint type="ball"/><geom size="0.1"/></body>',
    '<body><joint type="ball"/><joint type="slide"/><geom size="0.1"/></body>',
    '<body><joint/><joint axis="1 0 0"/><joint type="ball"/><geom size="0.1"/></body>',
    '<body><joint type="ball" range="0 50"/><geom size="0.1"/></body>',
    '<body><inertial mass="1" pos="0 0 0" quat="2 0 0 1" diaginertia="1 1 1"/></body>',
]
TAKEN_IN_FILE = [
    '<worldbody><geom type="plane" size="0 0 1"/><body><geom type="plane" size="1 1 1"/></body></worldbody>',
    '<equality><weld body1="b"/><connect body1="b" anchor="0 0 0"/><joint joint1="j"/></equality>',
    '<actuator><motor joint="j"/><adhesion body="b" ctrlrange="0 1"/></actuator>',
    '<keyframe><key qpos="1"/><key qvel="2"/><key/></keyframe>',
    '<default><geom type="box" size="1 1 1"/></default><worldbody><geom/><geom type="capsule"/></worldbody>',
    '<compiler eulerseq="XyZ" angle="radian" inertiafromgeom="true"/>',
    '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody><geom type="mesh" mesh="m"/>'
    "</worldbody>",
]


def written(folder: Path, inside: list[str], sections: list[str]) -> Path:
    """The things inside stand in a body that turns, one a line from line 2 on; then the sections."""
    path = folder / "robot.xml"
    path.write_text("\n".join([HEAD.format(sections=""), *inside, "</body></worldbody>", *sections, "</mujoco>"]))
    return path


def errors(report: Report) -> list[tuple[int | None, str]]:
    return [(f.line, f.message) for f in report.findings if f.severity is Severity.ERROR]


def mujoco_takes(path: Path) -> bool:
    mujoco = pytest.importorskip("mujoco")
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return False
    return True


CASES = [*((text, True, words) for text, words in IN_BODY.items()), *((t, False, w) for t, w in IN_FILE.items())]


@pytest.mark.parametrize(("text", "in_body", "words"), CASES)
def test_one_value_that_mujoco_rejects(tmp_path: Path, text: str, in_body: bool, words: str) -> None:
    path = written(tmp_path, [text] if in_body else [], [] if in_body else [text])
    ((line, message),) = errors(check_file(path))
    assert line == (2 if in_body else 3) and words in message
    assert not mujoco_takes(path)


def test_all_of_them_at_once(tmp_path: Path) -> None:
    # Without the keyframe: where joints are wrong nobody can count them.
    found = errors(check_file(written(tmp_path, [*IN_BODY], [t for t in IN_FILE if "keyframe" not in t])))
    lines = [*IN_BODY.values(), "", *(words for t, words in IN_FILE.items() if "keyframe" not in t)]
    missed = [w for n, w in enumerate(lines, 2) if not any(line == n and w in message for line, message in found)]
    assert missed == [""]


@pytest.mark.parametrize("text", [*TAKEN, *TAKEN_IN_FILE])
def test_what_mujoco_takes_has_no_error(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, [text] if text in TAKEN else [], [] if text in TAKEN else [text])
    assert mujoco_takes(path)
    assert not errors(check_file(path))


@pytest.mark.parametrize(
    ("joints", "line"),
    [
        (["<joint/>"] * 7, 9),
        (['<joint type="slide"/>', '<joint type="ball"/>', '<joint type="slide"/>', "<joint/>", "<joint/>"], 6),
        (['<joint type="ball"/>', '<joint type="slide"/>', '<joint type="slide"/>', '<joint type="ball"/>'], 6),
        (['<joint type="slide"/>'] * 3 + ['<joint type="ball"/>', '<joint type="slide"/>'], 7),
    ],
)
def test_the_superfluous_joint_is_reported(tmp_path: Path, joints: list[str], line: int) -> None:
    path = written(tmp_path, ["<body>", *joints, '<geom size="0.1"/></body>'], [])
    assert [found for found, _ in errors(check_file(path))] == [line]
    assert not mujoco_takes(path)


@pytest.mark.parametrize(
    ("around", "element"),
    [
        ('<body name="a">{}</body>', 'body "a": <joint>'),
        ('<body name="a"><frame name="f">{}</frame></body>', 'body "a": <joint>'),
        ("<body>{}</body>", "<joint>"),
        ('<body name="a"><geom size="0.1"/><body>{}</body></body>', "<joint>"),
    ],
)
def test_an_unknown_keyword_is_reported_for_the_named_body(tmp_path: Path, around: str, element: str) -> None:
    path = written(tmp_path, [around.format('<joint limited="yes" range="0 1"/><geom size="0.1"/>')], [])
    (finding,) = [f for f in check_file(path).findings if 'no value "yes"' in f.message]
    assert finding.element == element


def test_letters_of_eulerseq(tmp_path: Path) -> None:
    """MuJoCo only looks at them where an element has Euler angles."""
    ((line, message),) = errors(
        check_file(written(tmp_path, ['<site euler="1 2 3"/>'], ['<compiler eulerseq="xyw"/>']))
    )
    assert line == 4 and 'eulerseq="xyw"' in message


@pytest.mark.parametrize(("kind", "q", "v"), [("hinge", 1, 1), ("slide", 1, 1), ("ball", 4, 3), ("free", 7, 6)])
def test_keyframes_hold_as_many_numbers_as_the_joints(tmp_path: Path, kind: str, q: int, v: int) -> None:
    """With a hinge on the same tree, which has one more of both."""
    limit = 'range="0 9"' if kind != "free" else ""
    first = f'<body name="a"><joint type="{kind}" {limit}/><geom size="0.1"/></body>'
    other = '<body name="b"><joint range="0 9"/><geom size="0.1"/></body>'
    for word, needed in (("qpos", q + 1), ("qvel", v + 1)):
        for count in (0, 1, needed - 1, needed, needed + 1):
            key = f'<keyframe><key {word}="{" ".join(["0"] * count)}"/></keyframe>'
            path = tmp_path / "robot.xml"
            path.write_text(f"<mujoco><worldbody>{first}{other}</worldbody>{key}</mujoco>")
            told = [m for _, m in errors(check_file(path))]
            wrong = count not in (0, needed)
            assert told == [f"{word} holds {count} numbers, and the joints have {needed}"] * wrong
