"""Additions to a robot: tools, payloads, a second arm."""

from __future__ import annotations

from dataclasses import replace

from sixvec.model.body import WORLD, Body, Frame, Mimic
from sixvec.model.contact_rules import ContactRules
from sixvec.model.edits.checked import require_finite_inertia, require_nonnegative_mass
from sixvec.model.edits.find import of_models, require_different_joints
from sixvec.model.edits.references import renamed_references
from sixvec.model.edits.rename import renamed_closure
from sixvec.model.model import Model
from sixvec.model.passive import renamed_passive
from sixvec.model.spanning_tree import require_sliding
from sixvec.spatial import Pose, RigidInertia


@of_models
def attach(model: Model, other: Model, frame: str, placement: Pose | None = None, prefix: str = "") -> Model:
    """`other` mounted on a frame of `model`: its world becomes that frame, moved by `placement`.

    `prefix` is put in front of all names of `other`, so that names differ.  Keyframes are those of `model`: a keyframe
    of `other` does not describe the whole robot.

    >>> import sixvec
    >>> from sixvec.model.edits import attach
    >>> arm = sixvec.load("planar_2r").model
    >>> attach(arm, arm, arm.frames[-1].name, prefix="second_").nv
    4
    """
    require_sliding(other, "attach")  # wheels roll on the ground, not on a robot
    mount = model.frame(frame)
    X = mount.placement @ (placement or Pose.identity())

    def moved(b: Body) -> Body:
        named = replace(
            b,
            name=prefix + b.name,
            joint_name=prefix + b.joint_name if b.joint_name else "",
            mimic=Mimic(prefix + b.mimic.leader, b.mimic.multiplier, b.mimic.offset) if b.mimic else None,
        )
        if b.parent is WORLD:
            return replace(named, parent=mount.body, placement=X @ b.placement)
        return replace(named, parent=prefix + b.parent)

    frames = [
        Frame(prefix + f.name, mount.body, X @ f.placement) if f.body is WORLD
        else Frame(prefix + f.name, prefix + f.body, f.placement)
        for f in other.frames
    ]  # fmt: skip

    def prefixed(name: str) -> str:
        return prefix + name

    closures = (renamed_closure(c, prefixed) for c in other.closures)
    geoms = (replace(g, frame=prefix + g.frame, name=prefix + g.name if g.name else "") for g in other.geoms)
    references = renamed_references(other, joint=prefixed, frame=prefixed, geom=prefixed, other=prefixed)
    order = (*_order(model), *(prefix + name for name in _order(other))) if model.order or other.order else ()
    joined = replace(
        model,
        bodies=(*model.bodies, *map(moved, other.bodies)),
        frames=(*model.frames, *frames),
        order=order,
        closures=(*model.closures, *closures),
        geoms=(*model.geoms, *geoms),
        passive=(*model.passive, *(renamed_passive(p, prefixed, prefixed) for p in other.passive)),
        tendons=(*model.tendons, *references["tendons"]),
        actuators=(*model.actuators, *references["actuators"]),
        keyframes=model.keyframes,
        contact=_rules(model, other, references["contact"]),
    )
    return require_different_joints(joined, [prefix + (b.joint_label) for b in other.bodies])


def _rules(model: Model, other: Model, rules: ContactRules) -> ContactRules:
    """The contact rules of both; a model without shapes has none to agree on."""
    if not other.geoms:
        return model.contact
    return rules if not model.geoms else model.contact.joined(rules, model.name)


def _order(model: Model) -> tuple[str, ...]:
    return model.order or tuple(b.name for b in model.bodies)


@of_models
def payload(model: Model, frame: str, inertia: RigidInertia, name: str = "payload") -> Model:
    """A rigid load held in a frame; the inertia is given in that frame, its mass not negative.

    >>> import sixvec
    >>> from sixvec.model.edits import payload
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> load = RigidInertia.from_center_of_mass(2.0, Vec3(0.0, 0.0, 0.1), Sym3.zero())
    >>> round(sixvec.Robot(payload(sixvec.load("panda").model, "panda_link8", load)).mass, 2)
    18.69
    """
    require_finite_inertia(inertia, name)
    require_nonnegative_mass(inertia, name)
    return attach(model, Model(name, (Body(name, inertia=inertia),)), frame)
