"""Another body as the root."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from sixvec.errors import ModelError
from sixvec.model.body import WORLD, Body
from sixvec.model.closure import Closure
from sixvec.model.edits.find import body, of_models
from sixvec.model.edits.rename import renamed_law
from sixvec.model.joints import Joint
from sixvec.model.model import Model
from sixvec.model.passive import renamed_passive
from sixvec.model.spanning_tree import require_sliding
from sixvec.spatial import Pose


@of_models
def reroot(model: Model, name: str) -> Model:
    """The same robot with another root body: the joints on the path to the old root are reversed.

    The new root takes over the old root's joint to the world (fixed or free), and its frame replaces the old root's
    frame there.  Joints keep their names, the meaning of their coordinates and their indices in q and v: at the same q
    all relative poses of the bodies are the same.  A joint without an explicit name was named after its body, and keeps
    that name although another body now carries it.  Keyframes of a floating robot are dropped, because they give the
    pose of the old root.

    >>> import sixvec
    >>> from sixvec.model.edits import reroot
    >>> arm = sixvec.load("panda")
    >>> turned = sixvec.Robot(reroot(arm.model, "panda_link7"))
    >>> turned.model.bodies[0].name, turned.joint_names == arm.joint_names
    ('panda_link7', True)
    """
    path = model.path(body(model, name).name)
    if len(path) == 1:
        return model
    require_sliding(model, "reroot")  # the platform's coordinates would be those of another body
    # A reversed joint ends at its former mounting point, so the old parent's frame moves there.
    shift = {new.name: old.placement for new, old in pairwise(path)}
    # The joint of a body on the path now belongs to the body before it, and the first joint to the last body.
    carrier = {b.name: b.name for b in model.bodies} | {b.name: path[i - 1].name for i, b in enumerate(path)}
    others = [b for b in model.bodies if b not in path]
    bodies = tuple(_moved(_following(b, carrier), shift) for b in (*_turned(model, path), *others))
    frames = tuple(
        replace(f, placement=shift[f.body].inv() @ f.placement) if f.body in shift else f for f in model.frames
    )
    order = tuple(carrier[name] for name in model.order or model.by_name)
    closures = tuple(c if isinstance(c, Closure) else renamed_law(c, carrier.__getitem__) for c in model.closures)
    passive = tuple(renamed_passive(p, carrier.__getitem__, str) for p in model.passive)
    keyframes = model.keyframes if path[0].joint.nv == 0 else ()
    return replace(
        model, bodies=bodies, frames=frames, order=order, closures=closures, passive=passive, keyframes=keyframes
    )


def _following(b: Body, carrier: dict[str, str]) -> Body:
    """The body, with its joint following the same leader as before."""
    return replace(b, mimic=replace(b.mimic, leader=carrier[b.mimic.leader])) if b.mimic else b


def _turned(model: Model, path: tuple[Body, ...]) -> list[Body]:
    """The path from its tip to its root, each joint reversed; frames not yet shifted."""
    root, tip = path[0], path[-1]
    bodies = [
        replace(
            tip, parent=WORLD, joint=root.joint, placement=root.placement,
            joint_name=root.joint_label, limits=root.limits, dynamics=root.dynamics, mimic=root.mimic,
        )
    ]  # fmt: skip
    for child, parent in zip(reversed(path[1:]), reversed(path[:-1]), strict=True):
        bodies.append(
            replace(
                parent, parent=child.name, joint=_reversed(child, model.name), placement=Pose.identity(),
                joint_name=child.joint_label,
                limits=child.limits, dynamics=child.dynamics, mimic=child.mimic,
            )
        )  # fmt: skip
    return bodies


def _moved(b: Body, shift: dict[str, Pose]) -> Body:
    """The body with its own frame and its parent's frame moved by `shift`."""
    placement = b.placement
    if b.parent in shift:
        placement = shift[b.parent].inv() @ placement
    inertia = shift[b.name].inv() @ b.inertia if b.name in shift else b.inertia
    return replace(b, placement=placement, inertia=inertia)


def _reversed(b: Body, where: str) -> Joint:
    joint = b.joint.reversed()
    if joint is None:
        raise ModelError(
            f'{where}: the {b.joint.kind} joint of "{b.name}" cannot be reversed with the same '
            "coordinates; revolute, prismatic, helical and fixed joints can"
        )
    return joint
