"""Files in the three formats that are wrong, each in its own way, with words that the error must contain."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from sdf_files import joint as sdf_joint
from sdf_files import link as sdf_link
from sdf_files import model as sdf_model
from sdf_files import sdf

MILLION = 1_000_000
FOREIGN = "file:///etc/hostname"


class Broken(NamedTuple):
    """A file by its suffix and content (made when it is needed: some are large), and words of the error."""

    suffix: str
    content: Callable[[], str | bytes]
    words: str


def urdf(inside: str, more: str = '<link name="a"/><link name="b"/>') -> str:
    return f'<robot name="r">\n{more}\n{inside}\n</robot>'


def hinge(inside: str = '<axis xyz="0 0 1"/>', name: str = "j", parent: str = "a", child: str = "b") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="continuous">{ends}{inside}</joint>'


def mjcf(inside: str, outside: str = "") -> str:
    return f'<mujoco>\n{outside}\n<worldbody>\n<body name="a">{inside}</body></worldbody></mujoco>'


def two(inside: str) -> str:
    return sdf_model(sdf_link("a") + sdf_link("b") + inside)


SOUND = {
    ".urdf": urdf(hinge('<origin xyz="0 0 1" rpy="0 0 1"/><axis xyz="0 0 1"/>')),
    ".xml": mjcf('<joint name="j" axis="0 1 0" range="-1 1"/><geom type="box" size="1 1 1" pos="0 0 1"/>'),
    ".sdf": two(sdf_joint("j", "a", "b", inside="<pose>0 0 1 0 0 0</pose>")),
}
ROOTS = {".urdf": ("<robot>", "</robot>"), ".xml": ("<mujoco>", "</mujoco>"), ".sdf": ("<sdf>", "</sdf>")}


def _declared(text: str, declaration: str) -> str:
    """The text with another declaration before its outermost element."""
    return declaration + (text.partition("?>\n")[2] or text)


def _of_any_format(suffix: str) -> dict[str, tuple[Callable[[], str | bytes], str]]:
    text, (start, end) = SOUND[suffix], ROOTS[suffix]
    bomb = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else "ha"}">' for i in range(12))
    noise = bytes(random.Random(1).randrange(256) for _ in range(4000))
    return {
        "empty": (lambda: "", "no element"),
        "blank": (lambda: " \n\t\n", "no element"),
        "binary": (lambda: noise, "well-formed"),
        "picture": (lambda: b"\x89PNG\r\n\x1a\n" + noise, "well-formed"),
        "truncated": (lambda: text[: len(text) * 2 // 3], "line"),
        "truncated_in_tag": (lambda: text[: text.rindex("</") + 3], "line"),
        "latin_1": (lambda: text.replace('"a"', '"ä"').encode("latin-1"), "invalid"),
        "unknown_encoding": (lambda: _declared(text, "<?xml version='1.0' encoding='klingon'?>"), "encoding"),
        "null_bytes": (lambda: text.replace("<", "\0<", 3), "well-formed"),
        "two_documents": (lambda: text + "x" + text.partition("?>\n")[2], "well-formed"),
        "mismatched": (lambda: start + "<a><b></a></b>" + end, "mismatched"),
        "attribute_twice": (lambda: start[:-1] + ' a="1" a="2">' + end, "duplicate"),
        "other_root": (lambda: "<html><body/></html>", "html"),
        "entity_bomb": (lambda: f"<!DOCTYPE x [{bomb}]>{start}&e11;{end}", "document type"),
        "external_entity": (lambda: f'<!DOCTYPE x [<!ENTITY e SYSTEM "{FOREIGN}">]>{start}&e;{end}', "document type"),
        "external_subset": (lambda: f'<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">{start}{end}', "document type"),
        "percent_entity": (lambda: f'<!DOCTYPE x [<!ENTITY % e SYSTEM "{FOREIGN}">%e;]>{start}{end}', "document type"),
        "undefined_entity": (lambda: f"{start}&nothing;{end}", "entity"),
        "nested": (lambda: start + "<a>" * MILLION + "</a>" * MILLION + end, "inside each other"),
        "unclosed": (lambda: start + "<a>" * MILLION, "inside each other"),
    }  # fmt: skip


OWN: dict[str, dict[str, tuple[str, str]]] = {
    ".urdf": {
        "no_links": ("<robot/>", "no <link>"),
        "nan": (urdf(hinge('<origin xyz="0 nan 0"/>')), 'joint "j": <origin>: xyz="0 nan 0" is not finite'),
        "infinite": (urdf(hinge('<origin xyz="0 0 0" rpy="0 0 1e999"/>')), 'rpy="0 0 1e999"'),
        "two_numbers": (urdf(hinge('<axis xyz="0 1"/>')), "2 numbers; give 3 numbers (line 3)"),
        "many_numbers": (urdf(hinge(f'<axis xyz="{"1 " * 100_000}"/>')), "100000 numbers"),
        "words": (urdf(hinge('<axis xyz="up up up"/>')), "not numbers"),
        "underscores": (urdf(hinge('<axis xyz="1_0 0 0"/>')), "not numbers"),
        "hexadecimal": (urdf(hinge('<axis xyz="0x1 0 0"/>')), "not numbers"),
        "other_digits": (urdf(hinge('<axis xyz="\u0661 0 0"/>')), "not numbers"),
        "zero_axis": (urdf(hinge('<axis xyz="0 0 0"/>')), "(line 3)"),
        "same_links": (urdf("", '<link name="a"/><link name="a"/>'), 'two links are named "a"'),
        "same_joints": (urdf(hinge() + hinge()), 'two joints are named "j"'),
        "no_name": (urdf("<link/>"), "name is missing"),
        "unknown_type": (urdf(hinge().replace("continuous", "continous")), 'did you mean "continuous"'),
        "unknown_link": (urdf(hinge(child="c")), 'no link "c"'),
        "no_parent": (urdf('<joint name="j" type="fixed"><child link="b"/></joint>'), "no <parent>"),
        "cycle": (urdf(hinge() + hinge(name="k", parent="b", child="a")), "cycle"),
        "itself": (urdf(hinge(child="a"), '<link name="a"/>'), "cycle"),
        "two_parents": (urdf(hinge() + hinge(name="k")), 'link "b" is the child of several'),
        "two_roots": (urdf(""), "several root links: a, b"),
        "overflow": (
            urdf(hinge(), '<link name="a"/><link name="b"><inertial><origin xyz="1e200 0 0"/><mass value="1e200"/>'
                 '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'), '"b"'),
    },
    ".xml": {
        "nan": (mjcf('<geom size="nan"/>'), 'size="nan" is not finite; give 1 finite number (line 4)'),
        "infinite": (mjcf('<geom size="1" pos="0 0 -1e999"/>'), 'pos="0 0 -1e999"'),
        "two_numbers": (mjcf('<joint axis="0 1"/>'), "2 numbers; give 3 numbers (line 4)"),
        "unknown_element": (mjcf("<jiont/>"), 'did you mean "joint"'),
        "unknown_section": ("<mujoco>\n<wolrdbody/></mujoco>", '"worldbody"? sections'),
        "line_of_a_class": (mjcf('<joint type="x"/>', '<default><joint damping="1"/></default>'), "(line 4)"),
        "zero_axis": (mjcf('<joint axis="0 0 0"/>'), "(line 4)"),
        "same_bodies": (mjcf('<body name="a"/>'), 'two bodies are named "a"'),
        "same_joints": (mjcf('<joint name="j"/><joint name="j"/>'), 'two joints are named "j"'),
        "empty_range": (mjcf('<joint range="1 -1" limited="true"/>'), "empty"),
        "include_outside": (mjcf("", '<include file="/etc/hostname"/>'), "leads out of"),
        "include_itself": (mjcf("", '<include file="robot.xml"/>'), "includes itself"),
        "include_nothing": (mjcf("", '<include file="nothing.xml"/>'), "nothing.xml"),
        "copies_without_end": (
            mjcf('<replicate count="1000">' * 5 + "<body/>" + "</replicate>" * 5), "more than 50000 copied elements"),
        "copies_of_joints": (mjcf('<replicate count="2"><joint/></replicate>'), "directly in a <replicate>"),
        "mesh_outside": (
            mjcf('<geom type="mesh" mesh="m"/>', '<asset><mesh name="m" file="../../../m.stl"/></asset>'), "leads out"),
        "overflow": (mjcf('<joint/><geom size="1e150"/>'), '"a"'),
    },
    ".sdf": {
        "no_version": ("<sdf><model name='m'><link name='a'/></model></sdf>", "version is missing"),
        "strange_version": (sdf("", "one"), 'version="one"'),
        "old_version": (sdf("", "1.0"), 'version="1.0" cannot be read'),
        "nothing": (sdf(""), "neither a <world> nor a <model>"),
        "no_links": (sdf_model(""), "no <link>"),
        "two_worlds": (sdf('<world name="a"/><world name="b"/>'), "several <world>s"),
        "nan": (two("<pose>0 0 nan 0 0 0</pose>"), '"0 0 nan 0 0 0" is not finite'),
        "infinite": (two("<pose>0 0 1e999 0 0 0</pose>"), "is not finite"),
        "five_numbers": (two("<pose>0 0 0 0 0</pose>"), "5 numbers; give 6 numbers (line 2)"),
        "zero_quaternion": (two('<pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose>'), "not a rotation"),
        "rotation_format": (two('<pose rotation_format="euler">0 0 0 0 0 0</pose>'), 'did you mean "euler_rpy"'),
        "two_poses": (two("<pose/><pose/>"), "second time"),
        "unknown_type": (two(sdf_joint("j", "a", "b", "revolut")), 'did you mean "revolute"'),
        "unknown_child": (two(sdf_joint("j", "a", "c")), 'no frame "c" in arm'),
        "unknown_scope": (two(sdf_joint("j", "a", "x::c")), 'no nested model "x"'),
        "child_world": (two(sdf_joint("j", "a", "world")), "cannot be the world"),
        "no_parent": (two(sdf_joint("j", "a", "b").replace("<parent>a</parent>", "")), "no <parent>"),
        "no_axis": (two(sdf_joint("j", "a", "b", axis="")), "no <axis>"),
        "no_axis2": (two(sdf_joint("j", "a", "b", "universal")), "no <axis2>"),
        "parallel_axes": (two(sdf_joint("j", "a", "b", "universal", "0 0 1,0 0 2")), "parallel"),
        "zero_axis": (two(sdf_joint("j", "a", "b", axis="0 0 0")), "(line 3)"),
        "itself": (two(sdf_joint("j", "a", "a")), 'connects "a" with itself'),
        "thread": (two(sdf_joint("j", "a", "b", "screw", inside="<thread_pitch>0</thread_pitch>")), "not a screw"),
        "same_names": (two(sdf_link("a")), 'two frames are named "a"'),
        "reserved_name": (two(sdf_link("world")), "reserved"),
        "no_name": (two("<link/>"), "name is missing"),
        "poses_in_a_circle": (
            sdf_model(sdf_link("a", relative_to="b") + sdf_link("b", relative_to="a")), "in a circle"),
        "frames_in_a_circle": (
            two('<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>'), "in a circle"),
        "unknown_relative": (two('<frame name="f"><pose relative_to="q"/></frame>'), 'no frame "q" in arm'),
        "unknown_expressed": (
            two(sdf_joint("j", "a", "b", axis="", inside='<axis><xyz expressed_in="q">1 0 0</xyz></axis>')), '"q"'),
        "placement": (sdf_model(sdf_link("a"), more=' placement_frame="q"'), 'no frame "q"'),
        "nested_models": (sdf('<model name="m">' * 200 + '<link name="a"/>' + "</model>" * 200), "nested more than"),
        "static": (two("<static>maybe</static>"), 'no truth value "maybe"'),
        "negative_mass": (sdf_model(sdf_link("a", inside="<inertial><mass>-1</mass></inertial>")), "mass is -1.0"),
        "reversed_limits": (
            two(sdf_joint("j", "a", "b", axis="", inside="<axis><limit><lower>1</lower><upper>0</upper></limit>"
                          "</axis>")),
            "lower=1.0 is above"),
        "mimic_circle": (
            two(sdf_joint("j", "world", "a", axis="", inside='<axis><mimic joint="k"/></axis>')
                + sdf_joint("k", "a", "b", axis="", inside='<axis><mimic joint="j"/></axis>')), "circle"),
        "mimic_of_nothing": (two(sdf_joint("j", "a", "b", axis="", inside='<axis><mimic joint="q"/></axis>')), '"q"'),
        "include_outside": (two("<include><uri>/etc/hostname</uri></include>"), "leads out of"),
        "include_above": (two("<include><uri>file://../../robot.sdf</uri></include>"), "leads out of"),
        "include_itself": (two("<include><uri>robot.sdf</uri></include>"), "includes itself"),
        "include_nothing": (two("<include><uri>nothing.sdf</uri></include>"), "does not exist"),
        "include_without_uri": (two("<include/>"), "no <uri>"),
        "link_in_world": (sdf('<world name="w"><link name="a"/></world>'), "outside of models"),
        "overflow": (
            two("<frame name='f'><pose>1e308 1e308 1e308 0 0 0</pose></frame>"
                + sdf_link("c", "1e308 1e308 1e308 1 1 1", "f") + sdf_joint("j", "a", "c")), '"c"'),
    },
}  # fmt: skip

BROKEN: dict[str, Broken] = {
    f"{suffix[1:]} {name}": Broken(suffix, content, words)
    for suffix in SOUND
    for name, (content, words) in (
        _of_any_format(suffix) | {name: ((lambda t=text: t), words) for name, (text, words) in OWN[suffix].items()}
    ).items()
} | {"sdf siblings": Broken(".sdf", lambda: "<sdf>" + "<a/>" * MILLION + "</sdf>", "elements; robots need fewer")}
