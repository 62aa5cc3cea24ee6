"""The order of bodies and joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sixvec.errors import ModelError
from sixvec.model.edits.find import body_of_joint, of_models
from sixvec.model.model import Model
from sixvec.model.topology import Serialization, serialization


@of_models
def serialize(model: Model, order: Serialization) -> Model:
    """The same robot with its bodies, and with them its joints in q and v, numbered breadth first or depth first.

    >>> import sixvec
    >>> from sixvec.model.edits import serialize
    >>> dog = sixvec.load("solo12")
    >>> sixvec.Robot(serialize(dog.model, "breadth_first")).joint_names[1:5]
    ('FL_HAA', 'FR_HAA', 'HL_HAA', 'HR_HAA')
    """
    return replace(model, bodies=tuple(model.by_name[name] for name in serialization(model, order)), order=())


@of_models
def reorder(model: Model, joints: Sequence[str]) -> Model:
    """The same robot with its joints in the given order in q, v, a and tau; every moving joint must be named once.

    >>> import sixvec
    >>> from sixvec.model.edits import reorder
    >>> arm = sixvec.load("planar_2r")
    >>> sixvec.Robot(reorder(arm.model, arm.joint_names[::-1])).joint_names == arm.joint_names[::-1]
    True
    """
    chosen = [body_of_joint(model, name).name for name in joints]
    moving = [b.name for b in model.moving]
    if sorted(chosen) != sorted(moving):
        missing = [b.joint_label for b in model.moving if b.name not in chosen]
        twice = sorted({name for name in joints if list(joints).count(name) > 1})
        raise ModelError(
            f"{model.name}: the order must name each of the {len(moving)} moving joints once"
            + (f"; missing: {', '.join(missing)}" if missing else "")
            + (f"; more than once: {', '.join(twice)}" if twice else "")
        )
    others = tuple(b.name for b in model.bodies if b.name not in chosen)
    return replace(model, order=(*chosen, *others))
