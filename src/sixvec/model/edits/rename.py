"""New names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sixvec.errors import ModelError, unknown
from sixvec.model.body import Mimic
from sixvec.model.closure import AnyClosure, Closure, Gear, JointLaw
from sixvec.model.edits.find import of_models, require_different_joints
from sixvec.model.edits.references import renamed_references
from sixvec.model.model import Model
from sixvec.model.passive import renamed_passive


@of_models
def rename(model: Model, names: Mapping[str, str]) -> Model:
    """Bodies, joints, frames, closures, shapes, tendons, actuators and keyframes with new names; others keep theirs.

    >>> import sixvec
    >>> from sixvec.model.edits import rename
    >>> rename(sixvec.load("panda").model, {"panda_link8": "flange"}).frames[-1].name
    'flange'
    """
    known = {b.name for b in model.bodies} | {b.joint_name for b in model.bodies} | {f.name for f in model.frames}
    known |= {x.name for group in (model.closures, model.geoms, model.tendons, model.actuators) for x in group}
    known |= {k.name for k in model.keyframes}
    for name in names:
        if name not in known:
            raise ModelError(unknown("name", name, sorted(known - {""}), model.name))

    def new(name: str) -> str:
        return names.get(name, name)

    bodies = tuple(
        replace(
            b,
            name=new(b.name),
            parent=None if b.parent is None else new(b.parent),
            joint_name=new(b.joint_name),
            mimic=Mimic(new(b.mimic.leader), b.mimic.multiplier, b.mimic.offset) if b.mimic else None,
        )
        for b in model.bodies
    )
    frames = tuple(replace(f, name=new(f.name), body=None if f.body is None else new(f.body)) for f in model.frames)
    closures = tuple(renamed_closure(c, new) for c in model.closures)
    geoms = tuple(replace(g, frame=new(g.frame), name=new(g.name) if g.name else "") for g in model.geoms)
    renamed = replace(
        model,
        bodies=bodies,
        frames=frames,
        order=tuple(map(new, model.order)),
        closures=closures,
        rolling=tuple(wheel.renamed(new, new) for wheel in model.rolling),
        geoms=geoms,
        passive=tuple(renamed_passive(p, new, new) for p in model.passive),
        **renamed_references(model, joint=new, frame=new, geom=new, other=new),
    )
    return require_different_joints(renamed, names.values())


def renamed_closure(c: AnyClosure, new: Callable[[str], str]) -> AnyClosure:
    """A closure with its name and ends mapped by `new`."""
    if isinstance(c, Closure):
        return replace(c, name=new(c.name), first=new(c.first), second=new(c.second))
    return replace(renamed_law(c, new), name=new(c.name))


def renamed_law(c: JointLaw, new: Callable[[str], str]) -> JointLaw:
    """The same law for other joints: its bodies are mapped by `new`."""
    if isinstance(c, Gear):
        return replace(c, leader=new(c.leader), follower=new(c.follower))
    return replace(c, terms=tuple((new(body), factor) for body, factor in c.terms))
