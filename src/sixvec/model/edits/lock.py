"""Joints that no longer move."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sixvec.errors import ModelError
from sixvec.model.body import Body, JointDynamics, Limits
from sixvec.model.edits.find import body_of_joint, of_models
from sixvec.model.edits.references import remaining_references
from sixvec.model.joints import Fixed
from sixvec.model.model import Model
from sixvec.model.passive import kept_passive
from sixvec.model.wrong_positions import warn_of_degree
from sixvec.tolerances import EQUAL

NO_REALS = (str, bytes, complex)
"""What NumPy would convert to real numbers: the digits of a text, and a complex number without its imaginary part."""


@of_models
def lock(model: Model, joints: Mapping[str, float | Sequence[float]] | Sequence[str]) -> Model:
    """Fix joints at positions: a mapping from joint name to position, or names (locked at neutral).

    Joints that mimic a locked one are locked at the positions it implies.  A mimic joint cannot be locked while its
    leader moves: lock the leader.  Actuators of locked joints are removed.

    >>> import sixvec
    >>> from sixvec.model.edits import lock
    >>> arm = lock(sixvec.load("panda").model, ["panda_joint3"])
    >>> arm.nv
    6
    """
    positions = joints if isinstance(joints, Mapping) else dict.fromkeys(joints)
    chosen = {body_of_joint(model, name).name: value for name, value in positions.items()}
    position_of = {name: _position(model.by_name[name], value, model.name) for name, value in chosen.items()}
    for name in chosen:
        _require_leader(model, model.by_name[name], position_of)
        warn_of_degree(model.by_name[name], position_of[name][0] if position_of[name] else 0.0, "lock")
    placed = {name for name in position_of if not model.by_name[name].mimic}
    while followers := [b for b in model.bodies if b.mimic and b.mimic.leader in placed and b.name not in placed]:
        for b in followers:
            assert b.mimic is not None
            q = b.mimic.multiplier * position_of[b.mimic.leader][0] + b.mimic.offset
            if chosen.get(b.name) is not None and not math.isclose(
                position_of[b.name][0], q, rel_tol=EQUAL, abs_tol=EQUAL
            ):
                raise ModelError(
                    f'{model.name}: joint "{b.joint_label}" cannot be locked at {position_of[b.name][0]:g}: it mimics '
                    f'"{model.by_name[b.mimic.leader].joint_label}", which puts it at {q:g}; leave it out'
                )
            position_of[b.name] = [q]
            placed.add(b.name)
    bodies = tuple(_fixed(b, position_of[b.name]) if b.name in position_of else b for b in model.bodies)
    frames = {f.name for f in model.frames}
    passive = kept_passive(model.passive, {b.name for b in bodies if b.joint.nv}, frames)
    moving = {b.joint_label for b in bodies if b.joint.nv}
    locked = {model.by_name[name].joint_label: at[0] for name, at in position_of.items() if len(at) == 1}
    return replace(model, bodies=bodies, passive=passive, **remaining_references(model, moving, frames, locked))


def _require_leader(model: Model, b: Body, positions: Mapping[str, list[float]]) -> None:
    """A follower may be named together with the independent joint that it follows, never alone."""
    leader, visited = b, {b.name}
    while leader.mimic and leader.mimic.leader in model.by_name and leader.mimic.leader not in visited:
        leader = model.by_name[leader.mimic.leader]
        visited.add(leader.name)
    if leader is not b and leader.name not in positions:
        raise ModelError(
            f'{model.name}: joint "{b.joint_label}" mimics "{leader.joint_label}" and cannot be locked alone; '
            f'lock the joint that leads, "{leader.joint_label}"'
        )


def _position(b: Body, value: float | Sequence[float] | None, where: str) -> list[float]:
    if value is None:
        return list(b.joint.neutral())
    try:
        if any(isinstance(x, NO_REALS) for x in np.asarray(value, object).flat):
            raise TypeError
        q = [float(x) for x in np.atleast_1d(np.asarray(value, float))]
    except (TypeError, ValueError):
        raise ModelError(f'{where}: joint "{b.joint_label}" cannot be locked at {value!r}; give numbers') from None
    if len(q) != b.joint.nq:
        raise ModelError(f'{where}: the joint of "{b.name}" has {b.joint.nq} position coordinates, not {len(q)}')
    if not all(map(math.isfinite, q)):
        shown = ", ".join(f"{x:g}" for x in q)
        raise ModelError(f'{where}: joint "{b.joint_label}" cannot be locked at {shown}; give finite positions')
    return q


def _fixed(b: Body, q: Sequence[float]) -> Body:
    X = b.placement @ b.joint.pose(q)
    return replace(b, joint=Fixed(), placement=X, limits=Limits(), dynamics=JointDynamics(), mimic=None)
