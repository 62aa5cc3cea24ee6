"""What the formats' own programs refuse is never called healthy: urdfdom through Pinocchio, and MuJoCo."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats.doctor import check_file
from sixvec.formats.mjcf.words import EVERY, KEYWORDS, MJCF_WORDS
from sixvec.formats.vocabulary import Count

LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
JOINT = '<joint name="j" type="{}"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>{}</joint>'
MASS = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
MATERIAL = '<material name="m"><color rgba="1 1 1 1"/></material>'


def urdf(joint: str = JOINT.format("revolute", LIMIT), attributes: str = ' name="r"', more: str = "") -> str:
    return f'<robot{attributes}>{more}<link name="a"/><link name="b">{MASS}</link>{joint}</robot>'


def hinge(inside: str, kind: str = "revolute") -> str:
    return urdf(JOINT.format(kind, inside))


URDF = {
    "sound": urdf(),
    "no name": urdf(attributes=""),
    "version nine": urdf(attributes=' name="r" version="9"'),
    "version a": urdf(attributes=' name="r" version="a"'),
    "version 1.0": urdf(attributes=' name="r" version="1.0"'),
    "no limit": hinge(""),
    "no limit of a slide": hinge("", "prismatic"),
    "no limit of a wheel": hinge("", "continuous"),
    "no effort": hinge(LIMIT.replace('effort="1"', "")),
    "no velocity": hinge(LIMIT.replace('velocity="1"', "")),
    "no effort of a wheel": hinge('<limit velocity="1"/>', "continuous"),
    "no effort of what is fixed": hinge('<limit velocity="1"/>', "fixed"),
    "empty safety": hinge(f"{LIMIT}<safety_controller/>"),
    "short safety": hinge(f'{LIMIT}<safety_controller k_velocity="1"/>'),
    "safety of words": hinge(f'{LIMIT}<safety_controller k_velocity="1" soft_lower_limit="a"/>'),
    "empty calibration": hinge(f"{LIMIT}<calibration/>"),
    "calibration of words": hinge(f'{LIMIT}<calibration rising="a"/>'),
    "empty dynamics": hinge(f"{LIMIT}<dynamics/>"),
    "friction alone": hinge(f'{LIMIT}<dynamics friction="1"/>'),
    "blank behind": hinge(LIMIT.replace('velocity="1"', 'velocity="1 "')),
    "blank ahead": hinge(LIMIT.replace('velocity="1"', 'velocity=" 1"')),
    "infinite": hinge(LIMIT.replace('velocity="1"', 'velocity="inf"')),
    "too large": hinge(LIMIT.replace('velocity="1"', 'velocity="1e400"')),
    "point behind": hinge(LIMIT.replace('velocity="1"', 'velocity="1."')),
    "two materials of a name": urdf(more=MATERIAL + MATERIAL),
    "one material": urdf(more=MATERIAL),
}


@pytest.mark.parametrize("name", URDF)
def test_urdf_as_ros_takes_it(tmp_path: Path, name: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) reads with urdfdom")
    path = tmp_path / "r.urdf"
    path.write_text(URDF[name])
    try:
        pin.buildModelFromUrdf(str(path))
        taken = True
    except ValueError:
        taken = False
    report = check_file(path)
    assert (report.status < 2) == taken, report.text()


BODY = '<worldbody><body name="b">{}<geom size="1"/></body></worldbody>'
MJCF = {
    "a name in a class": '<default><joint name="j"/></default>' + BODY.format(""),
    "a class in a class": '<default><default class="c"><site class="c"/></default></default>' + BODY.format(""),
    "twice in a class": '<default><geom group="1"/><geom group="2"/></default>' + BODY.format(""),
    "once in each class": '<default><geom/><default class="c"><geom/></default></default>' + BODY.format(""),
    "nothing that moves": '<worldbody><body><joint/><body><joint/><geom size="1"/></body></body></worldbody>',
    "a weight fixed below": '<worldbody><body><joint/><body><geom size="1"/></body></body></worldbody>',
    "a weight far below": '<worldbody><body><joint/><body><body><geom size="1"/></body></body></body></worldbody>',
    "a weight that stands beside": '<worldbody><geom size="1"/><body><freejoint/></body></worldbody>',
    "nothing of a texture": '<asset><texture name="t" type="2d" width="9" height="9"/></asset>' + BODY.format(""),
    "a texture": '<asset><texture name="t" type="2d" builtin="flat" width="9" height="9"/></asset>' + BODY.format(""),
    "a class of nothing": '<default><geom material="m"/></default>' + BODY.format(""),
    "a class of no type": '<default><default class="c"><geom type="1"/></default></default>' + BODY.format(""),
    "a class of joints": '<default><default class="c"><joint type="slider"/></default></default>' + BODY.format(""),
    "a short plane": '<worldbody><geom type="plane" size="1 2"/></worldbody>',
    "a plane": '<worldbody><geom type="plane" size="1 2 3"/></worldbody>',
    "half a group": BODY.format('<geom size="1" group="1.5"/>'),
    "a colour of two": BODY.format('<geom size="1" rgba="1 1"/>'),
    "a flag of words": '<option><flag gravity="off"/></option>' + BODY.format(""),
}


def is_taken(text: str) -> bool:
    import mujoco

    try:
        mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", MJCF)
def test_mjcf_as_mujoco_takes_it(tmp_path: Path, name: str) -> None:
    pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is the oracle")
    path = tmp_path / "r.xml"
    path.write_text(f"<mujoco>{MJCF[name]}</mujoco>")
    report = check_file(path)
    assert (report.status < 2) == is_taken(path.read_text()), report.text()


AROUND = {
    **dict.fromkeys(("quality", "map", "scale", "rgba", "headlight", "global"), "visual"),
    **dict.fromkeys(("option", "size", "statistic", "compiler"), ""),
    "flag": "option",
}
NOT_IN_CLASSES = ("connect", "weld", "spatial", "fixed", "body", "freejoint")
"""Elements that no class has; the others are tried in one, where they need nothing else."""


def problems(tag: str, name: str, value: str) -> str:
    import mujoco

    around = AROUND.get(tag, "default")
    element = f'<{tag} {name}="{value}"/>'
    try:
        mujoco.MjModel.from_xml_string(f"<mujoco>{f'<{around}>{element}</{around}>' if around else element}</mujoco>")
    except ValueError as problem:
        return str(problem)
    return ""


VISUAL = ("quality", "map", "scale", "rgba", "headlight", "global")
ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper")
COUNTED = (
    "option", "size", "statistic", *VISUAL, "material", "texture", "geom", "pair", "site", "joint", "light", "camera",
    "equality", "connect", "weld", "tendon", "spatial", "fixed", *ACTUATORS,
)  # fmt: skip


PARENTS = {
    "": ("joint",),
    "visual": VISUAL,
    "equality": ("connect", "weld", "joint", "tendon"),
    "tendon": ("spatial", "fixed"),
    "default": ("equality", "tendon", *ACTUATORS),
}


def numbers(tag: str) -> dict[str, Count]:
    """The attributes of elements of that tag that hold numbers, wherever they stand."""
    rows = [MJCF_WORDS.of(parent, tag) for parent, tags in PARENTS.items() if tag in tags] or [MJCF_WORDS.of("", tag)]
    return {name: count for row in rows if row is not None for name, count in row.numbers.items()}


@pytest.mark.parametrize("tag", [tag for tag in COUNTED if tag not in NOT_IN_CLASSES])
def test_counts_are_those_of_mujoco(tag: str) -> None:
    pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is the oracle")
    assert numbers(tag)
    for name, (least, most, _, whole) in numbers(tag).items():
        if "unrecognized attribute" in problems(tag, name, "1"):
            continue  # of elements of that tag elsewhere
        for count, fits in ((least, True), (most, True), (most + 1, False), (least - 1, False)):
            told = problems(tag, name, " ".join(["1"] * count)) if count else "enough data"
            wrong = "much data" in told or "enough data" in told or "bad format" in told or "problem reading" in told
            assert wrong != fits, (name, count, told)
        told = problems(tag, name, " ".join(["1.5"] * least))
        assert ("bad format" in told or "problem reading" in told) == whole, (name, told)


@pytest.mark.parametrize("tag", [tag for tag in KEYWORDS if tag not in NOT_IN_CLASSES])
def test_keywords_are_those_of_mujoco(tag: str) -> None:
    pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is the oracle")
    for name, words in KEYWORDS[tag].items():
        name = "gravity" if name == EVERY else name
        if "unrecognized" in problems(tag, name, words[0]):
            continue  # of elements that are no classes
        assert "keyword" in problems(tag, name, "nonsense"), name
        assert not [word for word in words if "keyword" in problems(tag, name, word)], name
