"""Other names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sixvec.errors import ModelError, unknown
from sixvec.model.body import Mimic
from sixvec.model.model import Model


def rename(model: Model, names: Mapping[str, str]) -> Model:
    """Bodies, joints and frames with new names; what is not in the mapping keeps its name.

    >>> import sixvec
    >>> rename(sixvec.load("panda").model, {"panda_link8": "flange"}).frames[-1].name
    'flange'
    """
    known = {b.name for b in model.bodies} | {b.joint_name for b in model.bodies} | {f.name for f in model.frames}
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
    return replace(model, bodies=bodies, frames=frames, order=tuple(map(new, model.order)))
