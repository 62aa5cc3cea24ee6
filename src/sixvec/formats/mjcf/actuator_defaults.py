"""The <actuator> elements of MJCF in one form: gain, bias and dynamics, as MuJoCo's compiler sees them.

<motor>, <position> and the like are abbreviations of <general>.  A default class holds one actuator, whatever the tags
of its elements; an abbreviation takes from it its own parameters, and those of a <general> with the same type of gain,
and otherwise starts again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from sixvec.formats.mjcf.compiler import BOOLEANS, choice
from sixvec.formats.mjcf.defaults import Defaults
from sixvec.formats.node import Node

Numbers = tuple[float, ...]

PARAMETERS = 10
"""Numbers of a gain, of a bias and of dynamics."""

LIMITED = {"auto": None} | BOOLEANS
DYNAMICS = ("none", "integrator", "filter", "filterexact", "muscle", "user")
GAINS = ("fixed", "affine", "muscle", "user")
BIASES = ("none", "affine", "muscle", "user")

RANGES = ("ctrl", "force", "act")

TARGETS = ("joint", "jointinparent", "tendon", "site", "cranksite", "body")
"""The attributes that name what an actuator drives; MuJoCo uses the last one that an element has."""

LATER = ("delay", "nsample", "interp", "armature", "damping")
"""Attributes that change a force, and that a model cannot represent."""

MUSCLE = {
    "range": (0.75, 1.05), "force": (-1.0,), "scale": (200.0,), "lmin": (0.5,), "lmax": (1.6,), "vmax": (1.5,),
    "fpmax": (1.3,), "fvmax": (1.2,),
}  # fmt: skip
"""The attributes of a muscle in the order of its parameters."""


def _filled(values: Iterable[float]) -> Numbers:
    return (*values, *(0.0,) * PARAMETERS)[:PARAMETERS]


ONE, ZERO = _filled((1.0,)), _filled(())


@dataclass(frozen=True)
class Compiled:
    """An actuator with the attributes of its class; one without any has the defaults."""

    tag: str = "general"
    dyntype: str = "none"
    gaintype: str = "fixed"
    biastype: str = "none"
    dynprm: Numbers = ONE
    gainprm: Numbers = ONE
    biasprm: Numbers = ZERO
    limited: tuple[tuple[str, bool | None], ...] = (("ctrl", None), ("force", None), ("act", None))
    ranges: tuple[tuple[str, tuple[float, float]], ...] = tuple((kind, (0.0, 0.0)) for kind in RANGES)
    gear: Numbers = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    lengthrange: tuple[float, float] = (0.0, 0.0)
    inheritrange: float = 0.0
    actearly: bool = False
    actdim: int = -1
    later: tuple[str, ...] = ()
    """The attributes of `LATER` that the element or its class has."""

    @property
    def is_servo(self) -> bool:
        """Whether the force is kp (w - l) and terms that do not depend on l."""
        return self.gaintype == "fixed" and self.biastype == "affine" and self.gainprm[0] == -self.biasprm[1]


def compiled(start: Compiled, elements: Iterable[Node]) -> Compiled:
    """The actuator after each of the elements has added its attributes.

    >>> from sixvec.formats.xml import parse_xml
    >>> servo = compiled(Compiled(), [parse_xml('<position kp="5" kv="0.1"/>', "x")])
    >>> servo.gainprm[:3], servo.biasprm[:3]
    ((5.0, 0.0, 0.0), (0.0, -5.0, -0.1))
    """
    for node in elements:
        start = _with_type(_with_attributes(start, node), node)
    return start


class ActuatorClasses:
    """The actuator of each default class, compiled when it is first used."""

    def __init__(self, defaults: Defaults) -> None:
        self._defaults, self._known = defaults, {"": Compiled()}

    def of(self, node: Node) -> Compiled:
        """That of the class of an actuator."""
        name = self._defaults.class_of(node)
        waiting = [name]
        while waiting[-1] not in self._known:
            waiting.append(self._defaults.actuators.get(waiting[-1], ("", []))[0])
        for inner, outer in zip(waiting[-2::-1], waiting[::-1], strict=False):
            elements = self._defaults.actuators.get(inner, ("", []))[1]
            self._known[inner] = compiled(self._known[outer], elements)
        return self._known[name]


def _with_attributes(a: Compiled, node: Node) -> Compiled:
    """The attributes that all tags share."""
    limited, ranges = dict(a.limited), dict(a.ranges)
    for kind in RANGES:
        limited[kind] = choice(node, f"{kind}limited", LIMITED, limited[kind])
        lower, upper = node.numbers(f"{kind}range", 2, ranges[kind], infinite=True)
        ranges[kind] = lower, upper
    shortest, longest = node.numbers("lengthrange", 2, a.lengthrange, infinite=True)
    return replace(
        a,
        limited=tuple(limited.items()),
        ranges=tuple(ranges.items()),
        gear=_over(a.gear, node, "gear"),
        lengthrange=(shortest, longest),
        later=a.later + tuple(key for key in LATER if node.has(key) and node.get(key).strip() not in ("0", "zoh")),
    )


def _over(values: Numbers, node: Node, key: str) -> Numbers:
    """The numbers of an attribute over those of the class, of which the trailing ones remain."""
    numbers = node.numbers(key, len(values), (), least=1)
    return numbers + values[len(numbers) :]


def _with_type(a: Compiled, node: Node) -> Compiled:
    """The gain, bias and dynamics of an element."""
    if node.tag not in ABBREVIATIONS:
        return _general(a, node)
    gaintype, read = ABBREVIATIONS[node.tag]
    if a.tag not in (node.tag, "general") or a.gaintype != gaintype:
        a = replace(
            a,
            tag="",
            inheritrange=0.0,
            dyntype="none",
            gaintype=gaintype,
            biastype="none",
            dynprm=ONE,
            gainprm=ONE,
            biasprm=ZERO,
        )
    inherited = a.inheritrange if node.tag in ("position", "intvelocity") else 0.0
    return replace(read(replace(a, inheritrange=inherited), node), tag=node.tag, gaintype=gaintype)


def _general(a: Compiled, node: Node) -> Compiled:
    return replace(
        a,
        tag=node.tag,
        dyntype=choice(node, "dyntype", {k: k for k in DYNAMICS}, a.dyntype),
        gaintype=choice(node, "gaintype", {k: k for k in GAINS}, a.gaintype),
        biastype=choice(node, "biastype", {k: k for k in BIASES}, a.biastype),
        dynprm=_over(a.dynprm, node, "dynprm"),
        gainprm=_over(a.gainprm, node, "gainprm"),
        biasprm=_over(a.biasprm, node, "biasprm"),
        actearly=choice(node, "actearly", BOOLEANS, a.actearly),
        actdim=int(node.number("actdim", a.actdim)),
    )


def _motor(a: Compiled, node: Node) -> Compiled:
    return replace(a, dyntype="none", biastype="none", dynprm=ONE, gainprm=ONE, biasprm=ZERO)


def _position(a: Compiled, node: Node) -> Compiled:
    """p = kp (u - l) - kv l̇; the damping is a coefficient (negative) or a ratio (positive) until it is compiled."""
    kp, kv = node.number("kp", a.gainprm[0]), a.biasprm[2]
    if node.has("kv"):
        kv = -node.not_negative("kv", node.number("kv"))
    if node.has("dampratio"):
        if node.has("kv"):
            raise node.error("gives kv and dampratio", "give one of them")
        kv = node.not_negative("dampratio", node.number("dampratio"))
    dyntype = "filterexact" if a.dyntype == "filterexact" else "none"
    dynprm = a.dynprm if dyntype == "filterexact" else ONE
    if node.has("timeconst"):
        constant = node.not_negative("timeconst", node.number("timeconst"))
        dyntype, dynprm = "filterexact" if constant else "none", _filled((constant,))
    return replace(
        a,
        dyntype=dyntype,
        dynprm=dynprm,
        biastype="affine",
        gainprm=_filled((kp,)),
        biasprm=_filled((0.0, -kp, kv)),
        inheritrange=_inheritance(a, node),
    )


def _inheritance(a: Compiled, node: Node) -> float:
    """The fraction of the range of what is driven; none for an element that has a range."""
    key = "ctrlrange" if node.tag == "position" else "actrange"
    if node.has(key) and node.has("inheritrange"):
        raise node.error(f"gives {key} and inheritrange", "give one of them")
    return 0.0 if node.has(key) else node.not_negative("inheritrange", node.number("inheritrange", a.inheritrange))


def _intvelocity(a: Compiled, node: Node) -> Compiled:
    """A servo of the position whose target moves with the control."""
    return replace(_position(a, node), dyntype="integrator")


def _velocity(a: Compiled, node: Node) -> Compiled:
    kv = node.number("kv", a.gainprm[0])
    return replace(
        a, dyntype="none", dynprm=ONE, biastype="affine", gainprm=_filled((kv,)),
        biasprm=_filled((0.0, 0.0, -kv)),
    )  # fmt: skip


def _damper(a: Compiled, node: Node) -> Compiled:
    """p = -kv l̇ u."""
    kv = node.not_negative("kv", node.number("kv", -a.gainprm[2]))
    limited = tuple((kind, True if kind == "ctrl" else value) for kind, value in a.limited)
    return replace(
        a, dyntype="none", dynprm=ONE, biastype="none", biasprm=ZERO, limited=limited,
        gainprm=_filled((0.0, 0.0, -kv)),
    )  # fmt: skip


def _cylinder(a: Compiled, node: Node) -> Compiled:
    """Pressure, which follows the control with a delay, times the area."""
    constant = node.number("timeconst", a.dynprm[0] if a.dyntype in ("filter", "filterexact") else 1.0)
    area = node.number("area", a.gainprm[0])
    if node.has("diameter"):
        area = math.pi / 4.0 * node.number("diameter") ** 2
    bias = node.numbers("bias", 3, a.biasprm[:3])
    return replace(
        a, dyntype="filter", dynprm=_filled((constant,)), biastype="affine", gainprm=_filled((area,)),
        biasprm=_filled(bias),
    )  # fmt: skip


def _muscle(a: Compiled, node: Node) -> Compiled:
    is_new = a.tag == ""
    start: list[float] = []
    for key, default in MUSCLE.items():
        inherited = default if is_new else a.gainprm[len(start) : len(start) + len(default)]
        start += node.numbers(key, len(default), inherited)
    times = node.numbers("timeconst", 2, (0.01, 0.04) if is_new else a.dynprm[:2])
    smooth = node.number("tausmooth", 0.0 if is_new else a.dynprm[2])
    curve = _filled(start)
    return replace(
        a, dyntype="muscle", biastype="muscle", dynprm=_filled((*times, smooth)), gainprm=curve, biasprm=curve
    )


ABBREVIATIONS: dict[str, tuple[str, Callable[[Compiled, Node], Compiled]]] = {
    "motor": ("fixed", _motor),
    "position": ("fixed", _position),
    "intvelocity": ("fixed", _intvelocity),
    "velocity": ("fixed", _velocity),
    "damper": ("affine", _damper),
    "cylinder": ("fixed", _cylinder),
    "muscle": ("muscle", _muscle),
}
"""For each tag the type of its gain, and its reader."""

TAGS = ("general", *ABBREVIATIONS, "adhesion", "dcmotor", "orientation", "pid", "plugin")
