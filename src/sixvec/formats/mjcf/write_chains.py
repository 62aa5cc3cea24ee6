"""The bodies of a model that become one body of MJCF: MuJoCo refuses moving bodies without mass."""

from __future__ import annotations

from sixvec.formats.mjcf.joint import MOST_FREEDOMS
from sixvec.model import Body, Closure, Frame, Model
from sixvec.model.joints import Free, Prismatic, Spherical
from sixvec.spatial import Pose, RigidInertia


def chains(model: Model) -> list[tuple[Body, ...]]:
    """The bodies of each element, in the order of the model: one, after those that only connect two joints."""
    busy = {f.body for f in model.frames if f != Frame(f.name, f.name)}
    busy |= {model.frame(name).body for c in model.closures if isinstance(c, Closure) for name in (c.first, c.second)}
    inside: set[str] = set()
    found = []
    for b in reversed(model.bodies):
        if b.name in inside:
            continue
        chain = [b]
        while (parent := model.by_name.get(chain[0].parent or "")) and parent.name not in busy:
            if len(model.children(parent.name)) > 1 or not _is_further_joint(parent, chain):
                break
            chain.insert(0, parent)
            inside.add(parent.name)
        found.append(tuple(chain))
    return found[::-1]


def _is_further_joint(b: Body, chain: list[Body]) -> bool:
    """Whether a body only adds one joint before those of the chain, within what MuJoCo allows."""
    joints = [b.joint, *(c.joint for c in chain)]
    if b.inertia != RigidInertia.zero() or b.joint.nv == 0 or chain[0].joint.nv == 0:
        return False
    if sum(joint.nv for joint in joints) > MOST_FREEDOMS or any(isinstance(joint, Free) for joint in joints):
        return False
    # MuJoCo allows no rotation after a ball; and a ball turns in the axes of the element, not in separate axes.
    straight = all(isinstance(c.joint, Prismatic) and c.placement.rot == Pose.identity().rot for c in chain)
    return straight or not isinstance(b.joint, Spherical)
