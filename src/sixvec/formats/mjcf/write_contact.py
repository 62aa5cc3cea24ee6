"""From surfaces, contact rules, options and keyframes to MJCF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from sixvec.formats.mjcf.contact import OF_PAIRS, OF_SURFACES, PARAMETERS, SURFACE, WORDS
from sixvec.formats.mjcf.write_joint import Attributes
from sixvec.formats.number_text import number, numbers
from sixvec.model import Body, ContactParameters, Keyframe, Model, Surface
from sixvec.spatial import Quaternion, Vec3


def surface_attributes(surface: Surface) -> Attributes:
    """The attributes of a geom that are not the defaults."""
    return _different(surface, SURFACE, OF_SURFACES)


def _different(surface: Surface | ContactParameters, usual: Any, keys: Iterable[str]) -> Attributes:
    attributes: Attributes = {}
    for key in keys:
        value = getattr(surface, WORDS.get(key, key))
        if value != getattr(usual, WORDS.get(key, key)):
            whole = isinstance(value, int)
            attributes[key] = numbers(value) if isinstance(value, tuple) else str(value) if whole else number(value)
    return attributes


def contact_elements(
    model: Model, bodies: Mapping[str | None, str], geoms: Mapping[str, str]
) -> Iterator[tuple[str, Attributes]]:
    """The <pair>s and <exclude>s; given are the elements of bodies and the names of geoms in the file."""
    rules = model.contact
    groups = (combinations(group, 2) for group in rules.apart)
    apart = [*rules.excluded, *(pair for group in groups for pair in group)]
    written: set[frozenset[str]] = set()
    for pair in apart:
        first, second = (bodies.get(model.frame(name).body, "") for name in pair)
        if first and second and first != second and frozenset((first, second)) not in written:
            written.add(frozenset((first, second)))
            yield "exclude", {"body1": first, "body2": second}
    for p in rules.pairs:
        if p.first in geoms and p.second in geoms:
            named = ({"name": p.name} if p.name else {}) | {"geom1": geoms[p.first], "geom2": geoms[p.second]}
            yield "pair", named | _different(p.parameters, PARAMETERS, OF_PAIRS)


def option_attributes(model: Model) -> tuple[Attributes, Attributes]:
    """The attributes of <option> and of its <flag>."""
    options = model.simulation
    words = {key: word for key in ("integrator", "cone", "solver") if (word := getattr(options, key))}
    values = {key: x for key in ("timestep", "iterations", "tolerance") if (x := getattr(options, key)) is not None}
    texts = {key: str(x) if isinstance(x, int) else number(x) for key, x in values.items()}
    if options.impratio != 1.0:
        texts["impratio"] = number(options.impratio)
    disabled = [*options.disabled]
    disabled += ["contact"] * (not model.contact.enabled) + ["filterparent"] * (not model.contact.parent_filter)
    return {"gravity": numbers(model.gravity)} | texts | words, dict.fromkeys(disabled, "disable")


def keyframe_elements(model: Model, bodies: Sequence[Body]) -> Iterator[tuple[str, Attributes]]:
    """The keyframes, whose numbers are in the order of the joints in the file: that of `bodies`."""
    for k in model.keyframes:
        q = {b.joint_label: b.joint.neutral() for b in bodies} | dict(k.positions)
        v = {b.joint_label: (0.0,) * b.joint.nv for b in bodies} | dict(k.velocities)
        for b in bodies:
            _follow(model, b, q, v)
        attributes = {"name": k.name} | ({"time": number(k.time)} if k.time else {})
        if bodies:
            attributes["qpos"] = numbers(x for b in bodies for x in _position(b, q[b.joint_label]))
        if k.velocities:
            attributes["qvel"] = numbers(x for b in bodies for x in _velocity(b, v[b.joint_label], q[b.joint_label]))
        yield "key", attributes | _of_actuators(model, k)


def _of_actuators(model: Model, k: Keyframe) -> Attributes:
    """Controls and activations; none where an actuator of the model is not in the file."""
    if any(a.unsupported for a in model.actuators):
        return {}
    controls, activations = dict(k.controls), dict(k.activations)
    stateful = [a.name for a in model.actuators if a.activation or a.muscle]
    attributes = {}
    if controls:
        attributes["ctrl"] = numbers(controls.get(a.name, 0.0) for a in model.actuators)
    if activations:
        attributes["act"] = numbers(activations.get(name, 0.0) for name in stateful)
    return attributes


def _follow(model: Model, b: Body, q: dict[str, tuple[float, ...]], v: dict[str, tuple[float, ...]]) -> None:
    """Put a joint that follows others where they put it."""
    chain = [b]
    while (mimic := chain[-1].mimic) is not None:
        chain.append(model.by_name[mimic.leader])
    for follower, leader in zip(chain[-2::-1], chain[::-1], strict=False):
        assert follower.mimic is not None
        law = follower.mimic
        q[follower.joint_label] = (law.multiplier * q[leader.joint_label][0] + law.offset,)
        v[follower.joint_label] = (law.multiplier * v[leader.joint_label][0],)


def _position(b: Body, q: tuple[float, ...]) -> tuple[float, ...]:
    if b.joint.quaternion is None:
        return q
    start = b.joint.quaternion.start
    x, y, z, w = q[start:]
    return (*q[:start], w, x, y, z)


def _velocity(b: Body, v: tuple[float, ...], q: tuple[float, ...]) -> tuple[float, ...]:
    """Of a free joint, from (angular; linear) in body axes to (linear in world axes; angular in body axes)."""
    if b.joint.nq == b.joint.nv or b.joint.nv != 6:
        return v
    return (*(Quaternion(*q[3:]).as_rotation() @ Vec3.of(v[3:])), *v[:3])
