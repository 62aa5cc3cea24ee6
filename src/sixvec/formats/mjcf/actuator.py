"""Actuators of MJCF: what they drive, and the law of their force."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sixvec.formats.mjcf.actuator_defaults import ABBREVIATIONS, TARGETS, ActuatorClasses, Compiled, compiled
from sixvec.formats.mjcf.compiler import Compiler
from sixvec.formats.mjcf.defaults import Defaults
from sixvec.formats.mjcf.equality import Joints
from sixvec.formats.mjcf.tree import sections
from sixvec.formats.names import free_name
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt
from sixvec.formats.unsupported import Unsupported
from sixvec.model import Frame
from sixvec.model.actuator import (
    Activation,
    Actuator,
    FrameTransmission,
    JointTransmission,
    Muscle,
    Range,
    TendonTransmission,
    Transmission,
)
from sixvec.model.tendon import Tendon

OTHER_LAWS = {
    "adhesion": "it holds whatever touches a body",
    "dcmotor": "it has electric dynamics",
    "orientation": "it turns a ball joint to an orientation",
    "pid": "it has an integral part",
    "plugin": "it is a plugin",
}
"""Elements whose force a model cannot represent."""

FREEDOMS_OF_A_BALL = 3


@dataclass(frozen=True)
class Driven:
    """What actuators may drive, by its name in the file."""

    joints: Joints
    tendons: Mapping[str, Tendon]
    sites: Mapping[str, Frame]
    complete: bool
    """Whether all names of the file are known; bodies made from other files are not."""


def read_actuators(
    root: Node, defaults: Defaults, driven: Driven, compiler: Compiler, unsupported: Unsupported
) -> tuple[Actuator, ...]:
    """All actuators, in the order of the controls; those that a model cannot represent say why."""
    actuators: list[Actuator] = []
    classes = ActuatorClasses(defaults)
    names: set[str] = {node.get("name") for _, node in sections(root, "actuator") if node.get("name")}
    for number, (_, node) in enumerate(sections(root, "actuator"), 1):
        actuator = attempt(None, _read, node, classes, driven, compiler, number, names)
        if actuator is not None:
            actuators.append(actuator)
            if actuator.unsupported:
                reason = f": {actuator.unsupported}" if node.tag not in OTHER_LAWS else ""
                unsupported.add(f"force of an actuator ({node.tag}){reason}", node)
    return tuple(actuators)


def _read(
    node: Node, classes: ActuatorClasses, driven: Driven, compiler: Compiler, number: int, names: set[str]
) -> Actuator:
    name = node.get("name")
    if not name:
        names.add(name := free_name(f"{node.tag}{number}", names))
    if node.tag in OTHER_LAWS:
        return Actuator(name, None, unsupported=OTHER_LAWS[node.tag])
    if node.tag not in ("general", *ABBREVIATIONS):
        raise node.unknown("actuator", node.tag, ("general", *ABBREVIATIONS, *OTHER_LAWS))
    law = compiled(classes.of(node), [node])
    transmission, reason = _transmission(node, law, driven)
    reason = reason or _unsupported_law(law)
    if reason:
        return Actuator(name, transmission, unsupported=reason)
    control, force, activation = (_limits(law, kind, node, compiler) for kind in ("ctrl", "force", "act"))
    if law.inheritrange and law.is_servo:
        inherited, limited = _inherited(law, node, driven), dict(law.limited)
        if law.dyntype == "integrator":
            activation = inherited if limited["act"] is not False else None
        else:
            control = inherited if limited["ctrl"] is not False else None
    if law.gaintype == "muscle":
        muscle = _muscle(law)
        return Actuator(
            name, transmission, muscle=muscle, control_range=control, force_range=force, activation_range=activation
        )
    (g0, g1, g2), (b0, b1, b2) = law.gainprm[:3], law.biasprm[:3]
    gain = (g0, g1, g2) if law.gaintype == "affine" else (g0, 0.0, 0.0)
    bias = (b0, b1, b2) if law.biastype == "affine" else (0.0, 0.0, 0.0)
    ratio = 0.0
    if gain[0] == -bias[1] and bias[2] > 0.0:
        ratio, bias = bias[2], (bias[0], bias[1], 0.0)
    return Actuator(name, transmission, gain, bias, ratio, _activation(law), None, control, force, activation)


def _transmission(node: Node, law: Compiled, driven: Driven) -> tuple[Transmission | None, str]:
    """What the actuator drives, and why that is not supported."""
    targets = [key for key in TARGETS if node.has(key)]
    if not targets:
        raise node.error("drives nothing", 'add joint="…", tendon="…" or site="…"')
    key = targets[-1]
    if key in ("cranksite", "body"):
        return None, "a slider-crank" if key == "cranksite" else "a force on all contacts of a body"
    offered = {"tendon": driven.tendons, "site": driven.sites}.get(key, driven.joints)
    name = node.text(key)
    if name not in offered:
        if driven.complete:
            raise node.unknown(key.removesuffix("inparent"), name, offered)
        return None, f'its {key} "{name}" is not in the file'
    if key == "tendon":
        return TendonTransmission(name, law.gear[0]), ""
    if key == "site":
        if node.has("refsite") and node.text("refsite") not in driven.sites:
            raise node.unknown("site", node.text("refsite"), driven.sites, key="refsite")
        reference = driven.sites[node.text("refsite")].name if node.has("refsite") else None
        x, y, z, rx, ry, rz = law.gear
        return FrameTransmission(driven.sites[name].name, (rx, ry, rz, x, y, z), reference), ""
    joint = driven.joints[name][1].joint
    if joint.nv == 1:
        return JointTransmission(name, law.gear[:1]), ""
    if joint.nv == FREEDOMS_OF_A_BALL and key == "joint":
        return JointTransmission(name, law.gear[:FREEDOMS_OF_A_BALL]), ""
    return None, "it drives a free joint" if joint.nv != FREEDOMS_OF_A_BALL else "it drives a ball in its parent's axes"


def _unsupported_law(law: Compiled) -> str:
    types = {"dyntype": law.dyntype, "gaintype": law.gaintype, "biastype": law.biastype}
    for key, value in types.items():
        if value == "user":
            return f'{key}="user"'
    if "muscle" in types.values() and (len({*types.values()}) > 1 or law.gainprm[:9] != law.biasprm[:9]):
        return "a muscle whose gain, bias and dynamics are not those of one muscle"
    if law.actdim > 1:
        return "several activations"
    return f"{law.later[0]} of an actuator" if law.later else ""


def _limits(law: Compiled, kind: str, node: Node, compiler: Compiler) -> Range | None:
    (lower, upper), limited = dict(law.ranges)[kind], dict(law.limited)[kind]
    if limited is None:
        if (lower, upper) != (0.0, 0.0) and not compiler.autolimits:
            raise node.error(f"has a {kind}range, but autolimits is off", f'say {kind}limited="true" or "false"')
        limited = lower < upper
    if limited and lower >= upper:
        raise node.error(f"the {kind}range {lower:g} to {upper:g} is empty", "give the lower end first")
    return (lower, upper) if limited else None


def _inherited(law: Compiled, node: Node, driven: Driven) -> Range:
    """The range of what a servo drives, widened or narrowed about its middle."""
    lower, upper = -math.inf, math.inf
    if node.has("tendon"):
        forces = driven.tendons[node.text("tendon")].forces
        lower, upper = forces.lower, forces.upper
    elif node.has("joint"):
        limits = driven.joints[node.text("joint")][1].limits
        lower, upper = (*limits.lower, lower)[0], (*limits.upper, upper)[0]
    if not (math.isfinite(lower) and math.isfinite(upper)):
        raise node.error("inheritrange: what it drives has no range", "give that a range, or the actuator a ctrlrange")
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower) * law.inheritrange
    return middle - half, middle + half


def _activation(law: Compiled) -> Activation | None:
    if law.dyntype == "none":
        return None
    if law.dyntype == "integrator":
        return Activation("integrator", early=law.actearly)
    return Activation("filter", law.dynprm[0], law.dyntype == "filterexact", law.actearly)


def _muscle(law: Compiled) -> Muscle:
    shortest, longest, force, scale, lmin, lmax, vmax, fpmax, fvmax = law.gainprm[:9]
    tau_activation, tau_deactivation, smoothing = law.dynprm[:3]
    lengths = None if law.lengthrange == (0.0, 0.0) else law.lengthrange
    return Muscle(
        (shortest, longest), force, scale, lmin, lmax, vmax, fpmax, fvmax,
        (tau_activation, tau_deactivation), smoothing, lengths,
    )  # fmt: skip
