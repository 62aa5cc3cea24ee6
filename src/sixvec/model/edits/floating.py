"""From a fixed base to a floating one."""

from __future__ import annotations

from dataclasses import replace

from sixvec.model.edits.find import of_models
from sixvec.model.joints import Free
from sixvec.model.model import Model
from sixvec.model.spanning_tree import require_sliding

ROOT_JOINT = "root_joint"
"""The name of the joint that a floating robot has between the world and its root."""


@of_models
def with_free_root(model: Model) -> Model:
    """The same robot with a joint of six freedoms under its first body.

    >>> from sixvec import Model
    >>> from sixvec.model import Body
    >>> from sixvec.model.edits import with_free_root
    >>> boat = with_free_root(Model("boat", (Body("hull"),)))
    >>> boat.nq, boat.nv, boat.bodies[0].joint_name
    (7, 6, 'root_joint')
    """
    require_sliding(model, "with_free_root")  # a robot that may leave the ground
    root, *others = model.bodies
    return replace(model, bodies=(replace(root, joint=Free(), joint_name=ROOT_JOINT), *others))
