"""Joints that no longer move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sixvec.errors import ModelError
from sixvec.model.body import Body, JointDynamics, Limits
from sixvec.model.edits.find import body_of_joint
from sixvec.model.joints import Fixed
from sixvec.model.model import Model


def lock(model: Model, joints: Mapping[str, float | Sequence[float]] | Sequence[str]) -> Model:
    """Fix joints where they stand: a mapping from joint name to position, or names (locked at neutral).

    Joints that mimic a locked one are locked where it puts them.

    >>> import sixvec
    >>> arm = lock(sixvec.load("panda").model, ["panda_joint3"])
    >>> arm.nv
    6
    """
    wanted = joints if isinstance(joints, Mapping) else dict.fromkeys(joints)
    held: dict[str, list[float]] = {}
    for name, value in wanted.items():
        b = body_of_joint(model, name)
        held[b.name] = _position(b, value, model.name)
    while followers := [b for b in model.bodies if b.mimic and b.mimic.leader in held and b.name not in held]:
        for b in followers:
            assert b.mimic is not None
            held[b.name] = [b.mimic.multiplier * held[b.mimic.leader][0] + b.mimic.offset]
    return replace(model, bodies=tuple(_fixed(b, held[b.name]) if b.name in held else b for b in model.bodies))


def _position(b: Body, value: float | Sequence[float] | None, where: str) -> list[float]:
    if value is None:
        return list(b.joint.neutral())
    q = [float(x) for x in value] if isinstance(value, Sequence) else [float(value)]
    if len(q) != b.joint.nq:
        raise ModelError(f'{where}: the joint of "{b.name}" has {b.joint.nq} position coordinates, not {len(q)}')
    return q


def _fixed(b: Body, q: Sequence[float]) -> Body:
    X = b.placement @ b.joint.pose(q)
    return replace(b, joint=Fixed(), placement=X, limits=Limits(), dynamics=JointDynamics(), mimic=None)
