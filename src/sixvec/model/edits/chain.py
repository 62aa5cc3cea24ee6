"""A part of a robot as a separate robot."""

from __future__ import annotations

from dataclasses import replace

from sixvec.errors import ModelError
from sixvec.model.body import WORLD, JointDynamics, Limits
from sixvec.model.closure import Closure
from sixvec.model.edits.find import body, of_models
from sixvec.model.edits.references import remaining_references
from sixvec.model.joints import Fixed
from sixvec.model.model import Model
from sixvec.model.passive import kept_passive
from sixvec.spatial import Pose


@of_models
def subchain(model: Model, base: str, tip: str) -> Model:
    """The bodies from `base` to `tip`, with the base frame fixed to the world; side branches are dropped.

    Loops and wheels that leave the chain are dropped too.

    >>> import sixvec
    >>> from sixvec.model.edits import subchain
    >>> subchain(sixvec.load("panda").model, "panda_link2", "panda_link5").nv
    3
    """
    path = [b.name for b in model.path(body(model, tip).name)]
    if body(model, base).name not in path:
        raise ModelError(f'{model.name}: "{base}" is not between the root and "{tip}": {" -> ".join(path)}')
    names = path[path.index(base) :]
    root = replace(
        model.by_name[base],
        parent=WORLD, joint=Fixed(), placement=Pose.identity(), limits=Limits(), dynamics=JointDynamics(), mimic=None,
    )  # fmt: skip
    bodies = (root, *(model.by_name[name] for name in names[1:]))
    for b in bodies:
        if b.mimic and b.mimic.leader not in names:
            raise ModelError(f'{model.name}: "{b.name}" mimics "{b.mimic.leader}", which is outside the chain')
    frames = tuple(f for f in model.frames if f.body in names)
    inside, moving = {f.name for f in frames}, set(names[1:])
    closures = tuple(
        c for c in model.closures
        if ({c.first, c.second} <= inside if isinstance(c, Closure) else {name for name, _ in c.terms} <= moving)
    )  # fmt: skip
    geoms = tuple(g for g in model.geoms if g.frame in inside)
    passive = kept_passive(model.passive, {b.name for b in bodies if b.joint.nv}, inside)
    joints = {b.joint_label for b in bodies if b.joint.nv}
    return replace(
        model,
        name=f"{model.name}[{base}..{tip}]",
        bodies=bodies,
        frames=frames,
        order=(),
        closures=closures,
        rolling=tuple(replace(w, shared=None) for w in model.rolling if w.frame in inside),
        geoms=geoms,
        passive=passive,
        **remaining_references(model, joints, inside),
    )
