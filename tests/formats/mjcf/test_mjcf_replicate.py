"""Copies in MJCF: the same names, poses and dynamics as in MuJoCo's own compiled model."""

from __future__ import annotations

from pathlib import Path

import pytest

from mjcf_peer import compare, mujoco, quietly
from naming import named
from sixvec.errors import FileFormatError
from sixvec.formats import parse_model
from sixvec.model import Closure
from sixvec.robot import Robot

EXACT = 1e-11
"""Two ways through the same few transforms in float64, and coordinate axes that are snapped at 1e-11."""

BODY = '<body name="a" pos="0.1 0.2 0" euler="10 20 30"><joint name="j" axis="1 2 3"/><geom size="0.1" pos="0 0 1"/>'
FINGER = (
    '<body name="f" pos="0.5 0 0"><joint name="h" type="slide"/><geom type="box" size=".1 .2 .3"/>'
    '<site name="tip" pos="0 0 1"/></body>'
)

FILES = {
    "row": f'<replicate count="3" offset="1 0 0.5">{BODY}</body></replicate><body name="b"/>',
    "turned": f'<replicate count="5" offset="1 0 0" euler="20 -30 40" sep="-">{BODY}</body></replicate>',
    "without names": '<replicate count="2" offset="1 0 0"><body><joint/><geom size="0.1"/></body></replicate>',
    "ten": f'<replicate count="10" euler="0 0 36">{BODY}</body></replicate>',
    "eleven": f'<replicate count="11" sep="." euler="0 0 36">{BODY}</body></replicate>',
    "once": f'<replicate count="1" offset="1 0 0">{BODY}</body></replicate>',
    "never": f'<replicate count="0">{BODY}</body></replicate><body name="b"><joint/><geom size="1"/></body>',
    "nested": '<replicate count="2" offset="1 0 0" sep="x"><replicate count="3" offset="0 1 0" euler="0 9 0" sep="_">'
    f"{BODY}</body></replicate></replicate>",
    "nested in a body": f'<replicate count="2" offset="0 0 2">{BODY}<replicate count="3" euler="0 0 120" sep="_">'
    f"{FINGER}</replicate></body></replicate>",
    "in and around frames": '<frame pos="0 0 5" euler="90 0 0"><replicate count="2" euler="0 90 0" offset="0 0 1">'
    f'<frame pos="1 0 0" name="f">{BODY}</body><site name="s" pos="1 2 3"/></frame></replicate></frame>',
    "shapes": f'{BODY}<replicate count="4" euler="0 0 90"><geom name="leg" type="capsule" fromto="1 0 0 1 0 2" '
    'size="0.1"/><site name="foot" pos="1 0 2"/></replicate></body>',
    "free": '<replicate count="3" offset="0 0 1"><body name="ball" pos="1 0 0"><freejoint name="fly"/>'
    '<geom type="ellipsoid" size="0.1 0.2 0.3"/></body></replicate>',
    "classes": f'{BODY}<replicate count="2" offset="1 0 0" childclass="heavy">{FINGER}</replicate></body>',
}
HEAD = '<default><default class="heavy"><geom density="9000"/><joint armature="3"/></default></default>'


def written(folder: Path, world: str, outside: str = HEAD) -> Path:
    file = folder / "copies.xml"
    file.write_text(f"<mujoco>{outside}<worldbody>{world}</worldbody></mujoco>")
    return file


@pytest.mark.parametrize("name", FILES)
def test_copies_are_mujocos(name: str, tmp_path: Path) -> None:
    file = written(tmp_path, FILES[name])
    for what, worst in compare(file).items():
        assert worst <= EXACT, f"{what}: relative error {worst:.1e}"
    ours, theirs = quietly(file), mujoco.MjModel.from_xml_path(str(file))
    joints = [theirs.joint(i).name for i in range(theirs.njnt)]
    assert [b.joint_name for b in ours.moving] == joints
    frames = [theirs.body(i).name for i in range(theirs.nbody)] + [theirs.site(i).name for i in range(theirs.nsite)]
    if all(frames):
        assert [f.name for f in ours.frames] == frames


@pytest.mark.parametrize("sequence", ["zyx", "XYZ"])
def test_steps_turn_in_the_files_angles(sequence: str, tmp_path: Path) -> None:
    world = f'<replicate count="3" euler="0.1 0.2 0.3" offset="1 0 0">{BODY}</body></replicate>'
    file = written(tmp_path, world, f'<compiler angle="radian" eulerseq="{sequence}"/>')
    assert max(compare(file).values()) <= EXACT


def test_what_is_included_is_copied_too(tmp_path: Path) -> None:
    (tmp_path / "limb.xml").write_text(f"<mujocoinclude>{BODY}</body></mujocoinclude>")
    file = written(tmp_path, '<replicate count="2" offset="1 0 0"><include file="limb.xml"/></replicate>')
    assert max(compare(file).values()) <= EXACT
    (tmp_path / "limb.xml").write_text("<mujocoinclude>\n<body>\n<joint axis='0 0 0'/></body></mujocoinclude>")
    with pytest.raises(FileFormatError, match=named("limb.xml", "line 3")):
        quietly(file)


EQUAL = '<equality><joint name="e" joint1="h" joint2="j" polycoef="0 2"/></equality>'


def test_equalities_inside_a_copy_hold_in_every_copy(tmp_path: Path) -> None:
    world = f'<replicate count="2" offset="1 0 0"><replicate count="2" offset="0 1 0" sep="_">{BODY}{FINGER}</body>'
    file = written(tmp_path, world + "</replicate></replicate>", EQUAL)
    ours, theirs = quietly(file), mujoco.MjModel.from_xml_path(str(file))
    assert Robot(ours).nv == theirs.nv - theirs.neq == 4
    followers = {b.joint_name: ours.by_name[b.mimic.leader].joint_name for b in ours.bodies if b.mimic}
    pairs = zip(theirs.eq_obj1id, theirs.eq_obj2id, strict=True)
    assert followers == {theirs.joint(i).name: theirs.joint(j).name for i, j in pairs}


def test_loops_inside_a_copy_are_closed_in_every_copy(tmp_path: Path) -> None:
    close = '<equality><connect name="c" body1="f" body2="a" anchor="0 0 1"/></equality>'
    world = f'<replicate count="3" offset="1 0 0">{BODY}{FINGER}</body></replicate>'
    file = written(tmp_path, world, close)
    ours, theirs = quietly(file), mujoco.MjModel.from_xml_path(str(file))
    assert [c.name for c in ours.closures if isinstance(c, Closure)] == [theirs.equality(i).name for i in range(3)]
    assert [c.first for c in ours.closures if isinstance(c, Closure)] == ["c0/1", "c1/1", "c2/1"]


@pytest.mark.parametrize(
    ("world", "words"),
    [
        ("<replicate><body/></replicate>", named("replicate", "line 2")),
        ('<replicate count="1.5"><body/></replicate>', named("count", "1.5")),
        ('<replicate count="-1"><body/></replicate>', named("replicate", "count", "-1", "line 2")),
        ('<replicate count="2"><joint/></replicate>', "replicate"),
        ('<replicate count="2" offset="1 2"><body/></replicate>', "give"),
        ('<replicate count="1000000000"><body/></replicate>', "elements"),
        ('<replicate count="1000">' * 9 + "<body/>" + "</replicate>" * 9, "elements"),
        ('<replicate count="1">' * 9000 + "<body/>" + "</replicate>" * 9000, "elements"),
        ('<replicate count="2"><body name="a"/></replicate><body name="a1"/>', named("a1")),
    ],
)
def test_mistakes_of_copies(world: str, words: str) -> None:
    with pytest.raises(FileFormatError, match=words):
        parse_model(f"<mujoco><worldbody>\n{world}</worldbody></mujoco>", "copies.xml")


def test_a_name_that_only_copies_have_is_not_one() -> None:
    world = f'<replicate count="2">{BODY}</body></replicate><body name="b"><joint name="k"/><geom size="1"/></body>'
    law = '<equality><joint joint1="j" joint2="k"/></equality>'
    with pytest.raises(FileFormatError, match=named("j")):
        parse_model(f"<mujoco><worldbody>{world}</worldbody>{law}</mujoco>", "copies.xml")
