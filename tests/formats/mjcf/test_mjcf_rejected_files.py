"""Files that MuJoCo rejects are rejected here, too, with the line; files that it accepts are accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from mjcf_peer import mujoco
from sixvec.errors import FileFormatError
from sixvec.formats import load_model

GEOM = '<geom size="0.1"/>'
PAIR = (
    f'<body name="a"><joint name="j"/>{GEOM}<site name="s"/><site name="t"/></body>'
    f'<body name="b"><joint name="k"/>{GEOM}</body>'
)


def world(inside: str, outside: str = "") -> str:
    return f"<mujoco>\n<worldbody>\n{inside}\n</worldbody>\n{outside}\n</mujoco>"


def joints(*kinds: str) -> str:
    return world('<body name="a">' + "".join(f'\n<joint type="{kind}"/>' for kind in kinds) + f"{GEOM}</body>")


def equality(inside: str) -> str:
    return world(PAIR, f"<equality>{inside}</equality>")


def twice(element: str) -> str:
    return world(f'<body name="a">{GEOM}\n{element}\n{element}</body>')


def inertial(attributes: str) -> str:
    return world(f'<body name="a"><joint/>\n<inertial {attributes}/></body>')


def copies(inside: str, before: str = "", after: str = "") -> str:
    return world(f'{before}\n<replicate count="2">\n{inside}\n</replicate>\n{after}')


def classes(*sections: str) -> str:
    return world(PAIR, "\n".join(sections))


REFUSED = {
    "pos is missing": (inertial('mass="1" diaginertia="1 1 1"'), 4, "pos is missing"),
    "negative mass": (inertial('pos="0 0 0" mass="-1" diaginertia="1 1 1"'), 4, "mass is -1.0"),
    "negative mass of a shape": (world(f'<body>{GEOM}\n<geom size="1" mass="-3"/></body>'), 4, "mass is -3.0"),
    "negative density": (world(f'<body>{GEOM}\n<geom size="1" density="-3"/></body>'), 4, "density is -3.0"),
    "ball behind ball": (joints("ball", "ball"), 5, "behind a ball"),
    "hinge behind ball": (joints("ball", "hinge"), 5, "behind a ball"),
    "hinge behind ball and slide": (joints("ball", "slide", "hinge"), 6, "behind a ball"),
    "seven hinges": (joints(*["hinge"] * 7), 10, "6 degrees"),
    "slides around a ball": (joints("slide", "slide", "slide", "ball", "slide"), 8, "6 degrees"),
    "weld with itself": (equality('<weld body1="a" body2="a"/>'), 5, 'are both "a"'),
    "connect with itself": (equality('<connect body1="a" body2="a" anchor="0 0 0"/>'), 5, 'are both "a"'),
    "weld of the world": (equality('<weld body1="world"/>'), 5, 'are both "world"'),
    "weld of a site": (equality('<weld site1="s" site2="s"/>'), 5, 'are both "s"'),
    "joint that follows itself": (equality('<joint joint1="j" joint2="j"/>'), 5, 'are both "j"'),
    "not even if inactive": (equality('<joint joint1="j" joint2="j" active="false"/>'), 5, 'are both "j"'),
    "law of six terms": (equality('<joint joint1="j" joint2="k" polycoef="0 1 0 0 0 0"/>'), 5, "give 1 to 5 numbers"),
    "constant of six terms": (equality('<joint joint1="j" polycoef="0 1 0 0 0 0"/>'), 5, "give 1 to 5 numbers"),
    "equalities": (equality('<weld name="e" body1="a"/><joint name="e" joint1="j"/>'), 5, "two equalities"),
    "geoms": (twice('<geom name="x" size="1"/>'), 5, "two geoms"),
    "sites": (twice('<site name="x"/>'), 5, "two sites"),
    "cameras": (twice('<camera name="x"/>'), 5, "two cameras"),
    "frames": (twice('<frame name="x"/>'), 5, "two frames"),
    "bodies": (twice(f'<body name="x">{GEOM}</body>'), 5, "two bodies"),
    "body named world": (world(f'<body name="world">{GEOM}</body>'), 3, '"world" is the world'),
    "joint and free joint": (
        world(f'<body><freejoint name="q"/>{GEOM}</body>\n<body><joint name="q"/>{GEOM}</body>'), 4, "two joints"),
    "geom of the world": (
        world(f'<geom name="x" size="1"/>\n<body>{GEOM}<geom name="x" size="1"/></body>'), 4, "two geoms"),
    "copied body named as one before": (
        copies(f'<body name="a">{GEOM}</body>', before=f'<body name="a">{GEOM}</body>'), 5, "two bodies"),
    "copies named as a body behind": (
        copies(f'<body name="a">{GEOM}</body>', after=f'<body name="a0">{GEOM}</body>'), 7, "two bodies"),
    "classes": (classes("<default>", '<default class="x"/>', '<default class="x"/></default>'), 7, "two default"),
    "classes of two sections": (classes(*['<default><default class="x"/></default>'] * 2), 6, "two default"),
    "class inside itself": (
        classes("<default>", '<default class="x">', '<default class="x"/></default></default>'), 7, "two default"),
    "class inside another and again": (
        classes("<default>", '<default class="x"><default class="y"/></default>', '<default class="y"/></default>'),
        7, "two default"),
    "class named as the outermost": (classes("<default>", '<default class="main"/></default>'), 6, "two default"),
    "meshes": (world("", '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>\n'
                     '<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 2"/></asset>'), 6, "two meshes"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_mujoco_rejects(name: str, tmp_path: Path) -> None:
    text, line, words = REFUSED[name]
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    file = tmp_path / "robot.xml"
    file.write_text(text)
    with pytest.raises(FileFormatError) as caught:
        load_model(file)
    message = str(caught.value)
    assert message.startswith(f"{file}: ") and message.endswith(f"(line {line})") and words in message


TAKEN = {
    "slide behind ball": joints("ball", "slide"),
    "ball behind hinge": joints("hinge", "ball"),
    "six hinges": joints(*["hinge"] * 6),
    "two sites of one body": equality('<weld site1="s" site2="t"/>'),
    "weld to the world": equality('<weld body1="a" body2="world"/>'),
    "law of five terms": equality('<joint joint1="j" joint2="k" polycoef="0 1 0 0 0"/>'),
    "geom and site of one name": world(f'<body>{GEOM}<geom name="x" size="1"/><site name="x"/></body>'),
    "name free again behind its copies": copies(
        '<body name="a"><geom name="x" size="1"/></body>', after='<body name="a"><geom name="x" size="1"/></body>'),
    "sections of the outermost class": classes("<default/>", '<default class="main"/>'),
    "negative mass of a shape that does not count": world(
        '<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom size="1" mass="-1"/></body>'),
    "density that a mass replaces": world('<body><joint/><geom size="1" density="-1" mass="1"/></body>'),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_what_mujoco_takes(name: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    file.write_text(TAKEN[name])
    theirs = mujoco.MjModel.from_xml_path(str(file))
    ours = load_model(file)
    followers = sum(b.mimic is not None for b in ours.bodies)
    assert ours.nv == theirs.nv - followers
    assert sum(b.inertia.mass for b in ours.bodies) == pytest.approx(theirs.body_mass.sum(), rel=1e-12)
