"""What the attributes of MJCF hold: numbers, how many of them, and names, of what (MuJoCo, XML reference)."""

from __future__ import annotations

Counts = dict[str, tuple[int, int, bool]]
"""For each attribute the least and the most numbers, and whether they may be infinite."""


def _exactly(**counts: int) -> Counts:
    return {name: (count, count, False) for name, count in counts.items()}


_POSE = _exactly(pos=3, quat=4, axisangle=4, euler=3, xyaxes=6, zaxis=3)
_LAW: Counts = dict.fromkeys(("damping", "stiffness"), (1, 3, False))  # the linear term and two more
_RANGES: Counts = dict.fromkeys(("ctrlrange", "forcerange", "actrange", "lengthrange"), (2, 2, True))
_ACTUATOR: Counts = {**_RANGES, "gear": (1, 6, False), "cranklength": (1, 1, False), "kp": (1, 1, False)}

NUMBERS: dict[str, Counts] = {
    "compiler": _exactly(boundmass=1, boundinertia=1, settotalmass=1, inertiagrouprange=2),
    "option": _exactly(gravity=3, wind=3, density=1, viscosity=1, timestep=1),
    "body": {**_POSE, **_exactly(gravcomp=1)},
    "frame": _POSE,
    "camera": _POSE,
    "inertial": {**_POSE, **_exactly(mass=1, diaginertia=3, fullinertia=6)},
    "geom": {**_POSE, **_exactly(fromto=6, mass=1, density=1, group=1), "size": (1, 3, False)},
    "site": {**_POSE, **_exactly(fromto=6, group=1), "size": (1, 3, False)},
    "joint": {
        **_LAW,
        **_exactly(pos=3, axis=3, range=2, ref=1, springref=1, armature=1, frictionloss=1, springdamper=2, coef=1),
        "actuatorfrcrange": (2, 2, True),
        "polycoef": (1, 5, False),
    },
    "mesh": _exactly(scale=3, refpos=3, refquat=4),
    "connect": _exactly(anchor=3),
    "weld": _exactly(anchor=3, relpose=7, torquescale=1),
    **dict.fromkeys(("general", "motor", "position", "velocity", "intvelocity", "damper", "muscle"), _ACTUATOR),
}
"""For each element, its attributes that hold numbers."""

REQUIRED = {"inertial": ("mass", "pos")}
"""Numbers that an element cannot be without."""

REFERENCES: dict[str, dict[str, str]] = {
    "geom": {"mesh": "mesh", "hfield": "hfield", "material": "material"},
    "site": {"material": "material"},
    "camera": {"target": "body"},
    "light": {"target": "body"},
    "material": {"texture": "texture"},
    "exclude": {"body1": "body", "body2": "body"},
    "pair": {"geom1": "geom", "geom2": "geom"},
}
"""For each element of a body, of assets and of contacts, its attributes that name something, and what."""

_PAIRS = {f"{what}{i}": what for what in ("body", "site", "joint", "tendon", "geom") for i in (1, 2)}

REFERENCES_IN: dict[str, dict[str, str]] = {
    "equality": _PAIRS,
    "actuator": {
        "joint": "joint", "jointinparent": "joint", "tendon": "tendon", "site": "site", "refsite": "site",
        "cranksite": "site", "slidersite": "site", "body": "body",
    },
    "tendon": {"site": "site", "geom": "geom", "sidesite": "site", "joint": "joint"},
    "sensor": {
        **_PAIRS, "site": "site", "joint": "joint", "tendon": "tendon", "actuator": "actuator", "body": "body",
        "geom": "geom", "camera": "camera", "subtree1": "body", "subtree2": "body",
    },
}  # fmt: skip
"""For each section, the attributes of anything inside that name something, and what."""

TYPED = {"objname": "objtype", "refname": "reftype"}
"""Attributes of sensors that name something, and those that say what."""

NAMED_IN = {"tendon": "tendon", "actuator": "actuator", "sensor": "sensor", "equality": "equality"}
"""Sections whose elements, of whatever tag, share one space of names, and what they are then."""
