"""SDF files for the tests: each uses the format in its own way."""

from __future__ import annotations

INERTIAL = (
    "<inertial><mass>{}</mass><pose>{}</pose><inertia><ixx>0.3</ixx><ixy>0.01</ixy><ixz>-0.02</ixz><iyy>0.35</iyy>"
    "<iyz>0.03</iyz><izz>0.4</izz></inertia></inertial>"
)


def sdf(inside: str, version: str = "1.9") -> str:
    return f'<?xml version="1.0"?>\n<sdf version="{version}">{inside}</sdf>'


def model(inside: str, name: str = "arm", more: str = "", version: str = "1.9") -> str:
    return sdf(f'<model name="{name}"{more}>{inside}</model>', version)


def link(name: str, pose: str = "0 0 0 0 0 0", relative_to: str = "", inside: str | None = None) -> str:
    to = f' relative_to="{relative_to}"' if relative_to else ""
    inertial = INERTIAL.format(1.0 + len(name), "0.1 -0.2 0.3 0.4 -0.5 0.6") if inside is None else inside
    return f'<link name="{name}"><pose{to}>{pose}</pose>{inertial}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", axis: str = "0 0 1", inside: str = "") -> str:
    axes = "".join(
        f"<axis{i}><xyz>{xyz}</xyz></axis{i}>" for i, xyz in zip(("", "2"), axis.split(","), strict=False) if xyz
    )
    return f'\n<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{axes}{inside}</joint>'


HOLD = joint("hold", "world", "base", "fixed", "")

CHAIN = model(
    link("base")
    + link("upper", "0.1 0.2 0.3 0.1 0.2 0.3")
    + link("lower", "0.4 -0.2 0.9 -1.0 0.5 2.0")
    + link("nut", "0 0 1.2 0 0 1")
    + link("slide", "1 1 1 0.3 0.2 0.1")
    + HOLD
    + joint("shoulder", "base", "upper", "revolute", "1 2 3")
    + joint("elbow", "upper", "lower", "continuous", "0 1 0", "<pose>0.1 0.2 0.3 1 2 3</pose>")
    + joint("thread", "lower", "nut", "screw", "0 1 1", "<screw_thread_pitch>0.3</screw_thread_pitch>")
    + joint("rail", "upper", "slide", "prismatic", "1 0 -1", "<pose>0.5 0 0 0 0.3 0</pose>"),
    more=' canonical_link="base"',
)
"""All poses in the frame of the model, as every version has it."""

RELATIVE = model(
    "<pose>0.3 0.2 0.1 0.1 0.2 0.3</pose>"
    + '<frame name="mount" attached_to="base"><pose>0 0 0.5 0.3 0 0</pose></frame>'
    + '<frame name="flange" attached_to="fore"><pose relative_to="mount">0.2 0 0 0 1 0</pose></frame>'
    + link("base")
    + link("fore", "0.1 0 0.2 0 0.4 0", "j1")
    + link("hand", "0.1 0.3 0 0 0 0.7", "flange")
    + HOLD
    + joint("j1", "base", "fore", axis="", inside='<pose relative_to="mount">0.1 0 0 0 0 0.5</pose>'
            '<axis><xyz expressed_in="base">0 1 1</xyz></axis>')
    + joint("j2", "fore", "hand", axis="", inside='<axis><xyz expressed_in="__model__">1 0 1</xyz></axis>'),
)  # fmt: skip
"""Poses relative to joints, frames and frames on frames; axes in frames that are not the joint's."""

NESTED = model(
    link("base")
    + HOLD
    + '<model name="left" placement_frame="wrist"><pose relative_to="base">0.2 0.1 0.4 0.3 0.2 0.1</pose>'
    + '<frame name="wrist" attached_to="palm"><pose>0 0 0.3 0 0 0.2</pose></frame>'
    + link("palm", "0.1 0.2 0 0 0 0.4")
    + link("finger", "0.1 0 0.3 0 0.2 0", "palm")
    + joint("knuckle", "palm", "finger", "revolute", "0 1 0")
    + "</model>"
    + '<frame name="tip" attached_to="left::finger"><pose>0 0 0.2 0 0 0</pose></frame>'
    + joint("arm", "base", "left::wrist", "revolute", "1 0 0"),
)
"""A model inside a model, placed by one of its frames, which is also the child of a joint."""

OLD = {
    version: model(
        "<pose>0 0 1 0 0 0.5</pose>"
        + link("base", "0 0 0.1 0.2 0 0")
        + link("upper", "0.1 0.2 0.3 0.1 0.2 0.3")
        + HOLD
        + joint("shoulder", "base", "upper", axis="", inside="<pose>0.1 0 0 0.5 0.4 0.3</pose><axis>" + flag +
                "<xyz>1 2 3</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis>"),
        version=version,
    )
    for version, flag in (
        ("1.4", ""),
        ("1.5", "<use_parent_model_frame>1</use_parent_model_frame>"),
        ("1.6", "<use_parent_model_frame>false</use_parent_model_frame>"),
        ("1.7", ""),
    )
}  # fmt: skip
"""The same text means another axis in other versions."""

WORLD = sdf(
    '<world name="place"><gravity>0 0.5 -3.7</gravity>'
    '<model name="ground"><static>true</static><link name="plane"/></model>'
    '<model name="one"><pose>1 0 0 0 0 0</pose>' + link("base") + link("tip", "0 0 1 0.1 0.2 0.3") + HOLD
    + joint("turn", "base", "tip") + "</model>"
    '<model name="two"><pose relative_to="one">0 1 0 0 0 1</pose>' + link("base") + link("tip", "0 0 1 0 0 0") + HOLD
    + joint("turn", "base", "tip", axis="1 0 0") + "</model></world>"
)  # fmt: skip

PEER_FILES = {"chain": CHAIN, "relative": RELATIVE, "nested": NESTED, "world": WORLD} | {
    f"old {version}": text for version, text in OLD.items()
}

BASE = link("base") + HOLD
J = joint("j", "base", "a", "revolute", "1 2 3")
PLACED = link("a", "1 2 3 .1 .2 .3")


def turned(how: str, numbers: str) -> str:
    return link("a").replace("<pose>", f"<pose {how}>", 1).replace("0 0 0 0 0 0", numbers, 1)


TRICKY = {
    "degrees": model(BASE + turned('degrees="true"', ".1 .2 .3 40 50 60") + J),
    "quaternion": model(BASE + turned('rotation_format="quat_xyzw"', ".1 .2 .3 .1 .2 .3 .927361849549570") + J),
    "degrees relative to a link": model(
        link("base", "1 2 3 .1 .2 .3") + HOLD + turned('relative_to="base" degrees="true"', "1 0 0 0 90 20") + J),
    "empty pose relative to a link": model(
        link("base", "1 2 3 .1 .2 .3") + HOLD + '<link name="a"><pose relative_to="base"/>'
        + INERTIAL.format(2, "0 0 0 0 0 0") + "</link>" + J),
    "inertial in degrees": model(
        BASE + link("a", inside=INERTIAL.format(2, "1 2 3 40 -50 60").replace("<pose>", '<pose degrees="true">')) + J),
    "joint with a quaternion": model(
        BASE + PLACED + joint("j", "base", "a", "revolute", "1 2 3",
                              '<pose rotation_format="quat_xyzw">.1 .2 .3 .5 -.5 .5 .5</pose>')),
    "axis in a frame of a nested model": model(
        BASE + '<model name="n"><pose>1 0 0 .3 .2 .1</pose>' + link("p", "0 0 1 .1 .2 .3")
        + '<frame name="f" attached_to="p"><pose>0 0 0 .5 .6 .7</pose></frame></model>'
        + joint("j", "base", "n::p", axis="", inside='<axis><xyz expressed_in="n::f">1 2 3</xyz></axis>')),
    "frame on a joint": model(
        BASE + PLACED + '<frame name="f" attached_to="j"><pose>1 0 0 0 0 1</pose></frame>' + J),
    "frame on a frame": model(
        BASE + PLACED + '<frame name="f" attached_to="a"><pose>0 0 1 .5 .6 .7</pose></frame>'
        '<frame name="g" attached_to="f"><pose>1 0 0 0 0 0</pose></frame>' + J),
    "frame on a nested model": model(
        BASE + '<model name="n"><pose>1 0 0 .3 .2 .1</pose>' + link("p", "0 0 1 .1 .2 .3") + "</model>"
        + '<frame name="f" attached_to="n"><pose>0 0 0 .5 .6 .7</pose></frame>' + joint("j", "base", "f")),
    "screw": model(
        BASE + PLACED + joint("j", "base", "a", "screw", "1 2 3", "<pose>.1 .2 .3 .4 .5 .6</pose>"
                              "<screw_thread_pitch>-0.7</screw_thread_pitch>")),
    "screw of old": model(
        BASE + PLACED + joint("j", "base", "a", "screw", inside="<thread_pitch>-5</thread_pitch>"), version="1.7"),
    "universal": model(
        BASE + PLACED + joint("j", "base", "a", "universal", "1 0 0,0 1 0", "<pose>.1 .2 .3 .4 .5 .6</pose>")),
    "universal about other axes": model(
        BASE + PLACED + joint("j", "base", "a", "universal", "0 0 1,1 0 0", "<pose>.1 .2 .3 .4 .5 .6</pose>")),
}  # fmt: skip
"""Where two rules of the format meet."""


def collision(shape: str, inside: str = "", relative_to: str = "") -> str:
    pose = f'<pose relative_to="{relative_to}">1 2 3 .1 .2 .3</pose>' if relative_to else "<pose>1 2 3 .1 .2 .3</pose>"
    return f'<collision name="c{len(shape)}">{pose}{inside}<geometry>{shape}</geometry></collision>'


BOX, SPHERE = "<box><size>.1 .2 .3</size></box>", "<sphere><radius>.3</radius></sphere>"
SHAPES = {
    "box": collision(BOX),
    "sphere": collision(SPHERE),
    "cylinder": collision("<cylinder><radius>.1</radius><length>.5</length></cylinder>"),
    "capsule": collision("<capsule><radius>.1</radius><length>.5</length></capsule>"),
    "ellipsoid": collision("<ellipsoid><radii>.1 .2 .3</radii></ellipsoid>"),
    "cone": collision("<cone><radius>.1</radius><length>.5</length></cone>"),
    "two, one with its own density": collision(BOX) + collision(SPHERE, "<density>7</density>"),
    "placed in another link": collision(BOX, relative_to="base"),
}
"""Shapes whose inertia is that of a link."""
