"""Numbers of MJCF that no mechanism is made of: contacts, looks, memory.  MuJoCo refuses a file for them all the same.

The counts are those that MuJoCo 4.0 takes.
"""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings, error
from sixvec.formats.node import Node
from sixvec.quoting import quoted

Counts = dict[str, tuple[int, int, bool]]

EVERY = "*"
"""Stands for all attributes of an element."""


def _counts(table: str) -> Counts:
    """Of words such as `rgba=4 solref=1-2`, the least and the most numbers of each attribute."""
    found: Counts = {}
    for word in table.split():
        name, _, count = word.partition("=")
        least, _, most = count.partition("-")
        found[name] = int(least), int(most or least), True
    return found


_SOFT = "solref=1-2 solimp=1-5"
_CONTACT = f"{_SOFT} margin=1 gap=1 condim=1"
_LIMIT = "margin=1 solreflimit=1-2 solimplimit=1-5 solreffriction=1-2 solimpfriction=1-5 group=1"
_TENDON = f"{_LIMIT} rgba=4 width=1 range=2 springlength=1-2 stiffness=1-3 damping=1-3 frictionloss=1 armature=1"
_LAW = "dynprm=1-10 gainprm=1-10 biasprm=1-10 group=1 kv=1 armature=1 damping=1-3 actdim=1 nsample=1 delay=1"

OTHER_NUMBERS: dict[str, Counts] = {
    tag: _counts(table)
    for tag, table in {
        "option": "iterations=1 ls_iterations=1 noslip_iterations=1 ccd_iterations=1 impratio=1 tolerance=1 magnetic=3 "
        "ls_tolerance=1 noslip_tolerance=1 ccd_tolerance=1 o_margin=1 o_solref=1-2 o_solimp=1-5 o_friction=1-5",
        "size": "nconmax=1 njmax=1 nstack=1 nkey=1 nuserdata=1 nuser_body=1 nuser_jnt=1 nuser_geom=1 nuser_site=1 "
        "nuser_cam=1 nuser_tendon=1 nuser_actuator=1 nuser_sensor=1",
        "statistic": "center=3 extent=1 meaninertia=1 meanmass=1 meansize=1",
        "quality": f"{EVERY}=1",
        "map": f"{EVERY}=1",
        "scale": f"{EVERY}=1",
        "rgba": f"{EVERY}=4",
        "headlight": "ambient=3 diffuse=3 specular=3 active=1",
        "global": "azimuth=1 elevation=1 fovy=1 glow=1 ipd=1 linewidth=1 offheight=1 offwidth=1 realtime=1 cameraid=1",
        "material": "rgba=4 emission=1 metallic=1 reflectance=1 roughness=1 shininess=1 specular=1 texrepeat=2",
        "texture": "width=1 height=1 rgb1=3 rgb2=3 markrgb=3 random=1 gridsize=2 nchannel=1",
        "geom": f"{_CONTACT} rgba=4 friction=1-3 contype=1 conaffinity=1 priority=1 solmix=1 fluidcoef=1-5",
        "pair": f"{_CONTACT} friction=1-5 solreffriction=1-2",
        "site": "rgba=4",
        "joint": f"{_LIMIT} {_SOFT}",
        "light": "ambient=3 diffuse=3 specular=3 attenuation=3 dir=3 pos=3 cutoff=1 exponent=1 range=1 bulbradius=1",
        "camera": "fovy=1 ipd=1 focal=2 focalpixel=2 principal=2 principalpixel=2 resolution=2 sensorsize=2",
        "equality": _SOFT,
        "connect": _SOFT,
        "weld": _SOFT,
        "tendon": f"{_TENDON} {_SOFT} polycoef=1-5",
        "spatial": _TENDON,
        "fixed": _TENDON.replace("rgba=4 width=1 ", ""),
        **dict.fromkeys(("general", "motor", "position", "velocity", "intvelocity", "damper"), _LAW),
    }.items()
}
"""For each element, how many numbers its attributes hold; infinite ones are none of the doctor's business."""

WHOLE = {
    "option": "iterations ls_iterations noslip_iterations ccd_iterations",
    "size": EVERY,
    "quality": EVERY,
    "headlight": "active",
    "global": "offheight offwidth cameraid",
    "texture": "width height nchannel gridsize",
    "geom": "group condim contype conaffinity priority",
    "pair": "condim",
    "camera": "resolution",
    **dict.fromkeys(("site", "joint", "tendon", "spatial", "fixed"), "group"),
    **dict.fromkeys(("general", "motor", "position", "velocity", "intvelocity", "damper"), "group actdim nsample"),
}
"""For each element, its attributes that hold whole numbers; MuJoCo takes no point in them."""


def is_whole(tag: str, attribute: str) -> bool:
    """Whether an attribute holds whole numbers.

    >>> is_whole("geom", "condim"), is_whole("geom", "rgba")
    (True, False)
    """
    words = WHOLE.get(tag, "").split()
    return attribute in words or (EVERY in words and attribute != "memory")


def whole_numbers_are_whole(root: Node) -> Findings:
    for t in root.iter():
        for name, text in t.attributes.items():
            if is_whole(t.tag, name) and not _are_whole(text):
                yield error(t, f'{name}="{quoted(text)}" is not whole', "write a whole number, without a point")


def _are_whole(text: str) -> bool:
    """Whether all words are whole numbers; what is no number at all has another finding."""
    try:
        [float(word) for word in text.split()]
    except ValueError:
        return True
    return all(word.lstrip("+-").isdigit() for word in text.split())
