"""Attributes of MJCF that hold one of a few words (MuJoCo, XML reference), wherever they stand."""

from __future__ import annotations

import re

from sixvec.formats.doctor.finding import Findings, error
from sixvec.formats.doctor.names import nearest
from sixvec.formats.mjcf.rules_other_numbers import EVERY
from sixvec.formats.node import Node
from sixvec.quoting import quoted

Keywords = dict[str, tuple[str, ...]]

BOOLEAN = ("true", "false")
OR_AUTO = ("auto", *BOOLEAN)
_FOLLOWS = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")
_LIMITED: Keywords = dict.fromkeys(("ctrllimited", "forcelimited", "actlimited"), OR_AUTO)
_COMPILER = (
    "autolimits", "balanceinertia", "strippath", "discardvisual", "fusestatic", "usethread", "fitaabb", "alignfree",
)  # fmt: skip

KEYWORDS: dict[str, Keywords] = {
    "compiler": {
        **dict.fromkeys(_COMPILER, BOOLEAN),
        "angle": ("radian", "degree"),
        "inertiafromgeom": OR_AUTO,
    },
    "joint": {"limited": OR_AUTO, "actuatorfrclimited": OR_AUTO, "actuatorgravcomp": BOOLEAN, "active": BOOLEAN},
    "freejoint": {"align": OR_AUTO},
    "body": {"mocap": BOOLEAN},
    "geom": {"shellinertia": BOOLEAN},
    "site": {"type": ("sphere", "capsule", "ellipsoid", "cylinder", "box")},
    "mesh": {"inertia": ("legacy", "exact", "convex", "shell"), "smoothnormal": BOOLEAN},
    "camera": {"mode": _FOLLOWS},
    "light": {"mode": _FOLLOWS, **dict.fromkeys(("active", "castshadow", "directional"), BOOLEAN)},
    "option": {
        "integrator": ("Euler", "RK4", "implicit", "implicitfast", "discrete"),
        "cone": ("pyramidal", "elliptic"),
        "jacobian": ("dense", "sparse", "auto"),
        "solver": ("PGS", "CG", "Newton"),
    },
    "flag": {EVERY: ("enable", "disable")},
    "material": {"texuniform": BOOLEAN},
    "texture": {
        "type": ("2d", "cube", "skybox"),
        "builtin": ("none", "gradient", "checker", "flat"),
        "mark": ("none", "edge", "cross", "random"),
        **dict.fromkeys(("hflip", "vflip"), BOOLEAN),
    },
    "spatial": {"limited": OR_AUTO},
    "fixed": {"limited": OR_AUTO},
    **{tag: {"active": BOOLEAN} for tag in ("connect", "weld", "tendon", "equality")},
    **dict.fromkeys(("general", "motor", "position", "velocity", "intvelocity", "damper", "muscle"), _LIMITED),
}
"""For each element its attributes and their words; types of geoms and joints have rules of their own."""


def keywords_are_known(root: Node) -> Findings:
    for t in root.iter():
        known = KEYWORDS.get(t.tag, {})
        for attribute, word in t.attributes.items():
            words = known.get(attribute) or known.get(EVERY)
            if words is not None and word.strip() not in words:
                message = f'{attribute}="{quoted(word)}" is not one of {", ".join(words)}'
                yield error(t, message, nearest(word, words, "word", attribute))
        if t.tag == "compiler" and not re.fullmatch("[xyzXYZ]{3}", t.get("eulerseq") or "xyz"):
            message = f'eulerseq="{quoted(t.get("eulerseq"))}" is not 3 of the letters x, y, z, X, Y, Z'
            yield error(t, message, "small letters turn along with the body, capitals do not")
