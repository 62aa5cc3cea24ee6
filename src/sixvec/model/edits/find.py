"""Bodies by the name of their joint or by their own."""

from __future__ import annotations

from sixvec.errors import ModelError, unknown
from sixvec.model.body import Body
from sixvec.model.model import Model


def body_of_joint(model: Model, name: str) -> Body:
    """The body whose joint (or which itself) has this name."""
    for b in model.bodies:
        if b.joint_name == name and name:
            return b
    if name in model.by_name:
        return model.by_name[name]
    joints = [b.joint_name or b.name for b in model.bodies if b.joint.nv]
    raise ModelError(unknown("joint", name, joints, model.name))


def body(model: Model, name: str) -> Body:
    """The body of this name."""
    if name not in model.by_name:
        raise ModelError(unknown("body", name, model.by_name, model.name))
    return model.by_name[name]
