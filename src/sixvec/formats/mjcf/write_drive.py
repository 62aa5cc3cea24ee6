"""From tendons and actuators to the <tendon> and <actuator> sections of MJCF."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from sixvec.formats.attribute import element, opening
from sixvec.formats.mjcf.write_joint import Attributes
from sixvec.formats.number_text import number, numbers
from sixvec.model import Actuator, FixedTendon, FrameTransmission, JointTransmission, Model, Muscle, TendonTransmission
from sixvec.model.tendon import Pulley, Tendon, TendonForces, ViaPoint, Wrap

Site = Callable[[str], str]
"""The name of the site at a frame."""

ATTRIBUTES = {"stiffness": "stiffness", "damping": "damping", "friction": "frictionloss", "armature": "armature"}


def tendon_elements(model: Model, site: Site, shapes: Mapping[Wrap, str]) -> Iterator[str]:
    """The lines of all tendons; `shapes` are the names of the geoms over which they run."""
    for t in model.tendons:
        tag = "fixed" if isinstance(t, FixedTendon) else "spatial"
        yield opening(tag, {"name": t.name} | _forces(t.forces))
        yield from (f"  {element(*inner)}" for inner in _inside(t, site, shapes))
        yield f"</{tag}>"


def _inside(t: Tendon, site: Site, shapes: Mapping[Wrap, str]) -> Iterator[tuple[str, Attributes]]:
    if isinstance(t, FixedTendon):
        yield from (("joint", {"joint": joint, "coef": number(factor)}) for joint, factor in t.terms)
        return
    for piece in t.path:
        match piece:
            case ViaPoint(frame):
                yield "site", {"site": site(frame)}
            case Wrap():
                side = {"sidesite": site(piece.side)} if piece.side else {}
                yield "geom", {"geom": shapes[piece]} | side
            case Pulley(divisor):
                yield "pulley", {"divisor": number(divisor)}


def _forces(forces: TendonForces) -> Attributes:
    attributes = {word: number(x) for name, word in ATTRIBUTES.items() if (x := getattr(forces, name))}
    if math.isfinite(forces.lower) and math.isfinite(forces.upper):
        attributes["range"] = numbers((forces.lower, forces.upper))
    if forces.rest is not None:
        attributes["springlength"] = numbers(forces.rest)
    return attributes


def actuator_elements(model: Model, site: Site, joints: Mapping[str, list[str]]) -> Iterator[tuple[str, Attributes]]:
    """An element for each actuator that MJCF can express; `joints` are the names of a joint's parts in the file."""
    for a in model.actuators:
        target = _target(a, site, joints)
        if target is None or a.unsupported:
            continue
        ranges = {"ctrl": a.control_range, "force": a.force_range, "act": a.activation_range}
        attributes = {f"{kind}range": numbers(ends) for kind, ends in ranges.items() if ends is not None}
        if a.muscle is not None:
            yield (
                "muscle" if not a.muscle.smoothing else "general",
                {"name": a.name} | target | _muscle(a.muscle) | attributes,
            )
        else:
            yield "general", {"name": a.name} | target | _law(a) | attributes


def _target(a: Actuator, site: Site, joints: Mapping[str, list[str]]) -> Attributes | None:
    """What an actuator drives; None for a joint that consists of several in the file."""
    match a.transmission:
        case JointTransmission(joint, gear) if len(joints[joint]) == 1:
            return {"joint": joints[joint][0], "gear": numbers(gear)}
        case TendonTransmission(tendon, factor):
            return {"tendon": tendon, "gear": number(factor)}
        case FrameTransmission(frame, gear, reference):
            between = {"refsite": site(reference)} if reference else {}
            return {"site": site(frame), "gear": numbers((*gear[3:], *gear[:3]))} | between
    return None


def _law(a: Actuator) -> Attributes:
    """The types and parameters of gain, bias and dynamics."""
    attributes: Attributes = {}
    if any(a.gain[1:]):
        attributes |= {"gaintype": "affine", "gainprm": numbers(a.gain)}
    elif a.gain[0] != 1.0:
        attributes["gainprm"] = number(a.gain[0])
    bias = (*a.bias[:2], a.damping_ratio or a.bias[2])
    if any(bias):
        attributes |= {"biastype": "affine", "biasprm": numbers(bias)}
    if a.activation is not None:
        kind = "filterexact" if a.activation.exact else a.activation.kind
        attributes |= {"dyntype": kind} | ({"actearly": "true"} if a.activation.early else {})
        if a.activation.kind == "filter":
            attributes["dynprm"] = number(a.activation.time_constant)
    return attributes


def _muscle(m: Muscle) -> Attributes:
    lengths = {} if m.length_range is None else {"lengthrange": numbers(m.length_range)}
    curve = (m.force, m.scale, m.lmin, m.lmax, m.vmax, m.fpmax, m.fvmax)
    if m.smoothing:
        parameters = numbers((*m.range, *curve))
        return {
            "dyntype": "muscle", "gaintype": "muscle", "biastype": "muscle", "gainprm": parameters,
            "biasprm": parameters, "dynprm": numbers((*m.time_constants, m.smoothing)),
        } | lengths  # fmt: skip
    names = ("force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax")
    attributes = {"range": numbers(m.range), "timeconst": numbers(m.time_constants)}
    return attributes | {name: number(x) for name, x in zip(names, curve, strict=True)} | lengths
