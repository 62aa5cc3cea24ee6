"""Another body as the root."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sixvec.errors import ModelError
from sixvec.model.body import WORLD, Body
from sixvec.model.edits.find import body, of_models
from sixvec.model.joints import Fixed, Helical, Joint, Prismatic, Revolute
from sixvec.model.model import Model
from sixvec.spatial import Pose


@of_models
def reroot(model: Model, name: str) -> Model:
    """The same robot standing on another body: the joints on the way to the old root are turned round.

    The new root takes over the old root's joint to the world (fixed or free), and its frame is where that joint has
    the old one.  Joints keep their names and the meaning of their coordinates: at the same q all bodies stand in the
    same relative places.

    >>> import sixvec
    >>> arm = reroot(sixvec.load("panda").model, "panda_link7")
    >>> arm.bodies[0].name, arm.nv
    ('panda_link7', 7)
    """
    path = model.path(body(model, name).name)
    if len(path) == 1:
        return model
    # A turned-round joint ends at the place where it was mounted, so the old parent's frame moves there.
    shift = {new.name: old.placement for new, old in pairwise(path)}
    turned = _turned(model, path)
    rest = [b for b in model.bodies if b not in path]
    bodies = tuple(_moved(b, shift) for b in (*turned, *rest))
    frames = tuple(
        replace(f, placement=shift[f.body].inv() @ f.placement) if f.body in shift else f for f in model.frames
    )
    return replace(model, bodies=bodies, frames=frames)


def _turned(model: Model, path: tuple[Body, ...]) -> list[Body]:
    """The path from its tip to its root, each joint seen from its other side; frames not yet shifted."""
    root, tip = path[0], path[-1]
    bodies = [
        replace(
            tip, parent=WORLD, joint=root.joint, placement=root.placement, joint_name=root.joint_name,
            limits=root.limits, dynamics=root.dynamics, mimic=root.mimic,
        )
    ]  # fmt: skip
    for child, parent in zip(reversed(path[1:]), reversed(path[:-1]), strict=True):
        bodies.append(
            replace(
                parent, parent=child.name, joint=_reversed(child, model.name), placement=Pose.identity(),
                joint_name=child.joint_name, limits=child.limits, dynamics=child.dynamics, mimic=child.mimic,
            )
        )  # fmt: skip
    names = {child.name: parent.name for child, parent in zip(path[1:], path[:-1], strict=True)}
    return [replace(b, mimic=replace(b.mimic, leader=names.get(b.mimic.leader, b.mimic.leader))) if b.mimic else b
            for b in bodies]  # fmt: skip


def _moved(b: Body, shift: dict[str, Pose]) -> Body:
    """The body with its own frame and its parent's frame where `shift` puts them."""
    placement = b.placement
    if b.parent in shift:
        placement = shift[b.parent].inv() @ placement
    inertia = shift[b.name].inv() @ b.inertia if b.name in shift else b.inertia
    return replace(b, placement=placement, inertia=inertia)


def _reversed(b: Body, where: str) -> Joint:
    match b.joint:
        case Fixed():
            return b.joint
        case Revolute(axis):
            return Revolute(-axis)
        case Prismatic(axis):
            return Prismatic(-axis)
        case Helical(axis, pitch):
            return Helical(-axis, pitch)
    raise ModelError(
        f'{where}: the {type(b.joint).__name__.lower()} joint of "{b.name}" cannot be turned round with the same '
        "coordinates; revolute, prismatic, helical and fixed joints can"
    )
