"""A joint with several freedoms as joints with one each."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

from sixvec.errors import ArgumentError, ModelError
from sixvec.model.actuation import has_motor
from sixvec.model.body import Body, JointDynamics, Limits
from sixvec.model.edits.find import body_of_joint, of_models
from sixvec.model.edits.references import remaining_references
from sixvec.model.joints import Cylindrical, Joint, Planar, Prismatic, Revolute, Universal
from sixvec.model.joints.joint import X_AXIS, Y_AXIS, Z_AXIS
from sixvec.model.model import Model
from sixvec.model.passive import FrictionLaw
from sixvec.spatial import Pose

_AXES = dict(zip("xyz", (X_AXIS, Y_AXIS, Z_AXIS), strict=True))

_TURNS = 3


@of_models
def split(model: Model, joint: str, axes: str = "xyz") -> Model:
    """The model with a joint of several freedoms as a chain of joints with one each, and bodies without mass between.

    The dynamics are the same where the coordinates map (Featherstone §Model-Data-Structure: joints emulated by others).
    Cylindrical, universal and planar joints keep their coordinates.  A ball becomes three turns, the first about
    an axis of the parent and each about an axis carried by those before, in the order of `axes`: "xyz", "zyx", "zxz".
    With the second turn at ±90° (0° if the first and last letters are equal) that chain is singular, and the ball is
    not.  A free joint becomes the shifts along x, y, z of the parent and then such turns.

    The joints are named by the old name and what they do: "hip x", "hip y", "hip z".  The body keeps its name, and
    its frames.  Bounds, friction and springs go with their freedoms; those of a ball or free joint, which are
    about other coordinates, raise an error.  A joint without a motor has parts without one.  Actuators, tendons and
    keyframes that name the joint are removed.

    >>> from sixvec.model import Body, Model
    >>> from sixvec.model.edits import split
    >>> from sixvec.model.joints import Spherical
    >>> [b.joint_label for b in split(Model("bob", (Body("bob", joint=Spherical()),)), "bob").bodies]
    ['bob x', 'bob y', 'bob z']
    """
    b = body_of_joint(model, joint)
    chain = _chain(model, b, axes)
    names = [f"{b.joint_label} {word}" for word, _ in chain]
    bodies = [f"{b.name} {word}" for word, _ in chain[:-1]] + [b.name]
    _require_new(model, b, names, bodies[:-1])
    parts = [
        Body(
            name,
            b.parent if k == 0 else bodies[k - 1],
            one,
            b.placement if k == 0 else Pose.identity(),
            joint_name=names[k],
            limits=_limits(b, k),
            dynamics=JointDynamics() if _has_other_coordinates(b.joint) else _share(b.dynamics, k, JointDynamics),
        )
        for k, (name, (_, one)) in enumerate(zip(bodies, chain, strict=True))
    ]
    parts[-1] = replace(parts[-1], inertia=b.inertia)
    place = model.bodies.index(b)
    moving = {x.joint_label for x in model.bodies if x.joint.nv and x is not b} | set(names)
    order = tuple(piece for name in model.order for piece in (bodies if name == b.name else [name]))
    return replace(
        model,
        bodies=(*model.bodies[:place], *parts, *model.bodies[place + 1 :]),
        order=order,
        passive=tuple(_of_parts(model, p, b, bodies) for p in model.passive),
        **remaining_references(model, moving, {f.name for f in model.frames}),
    )


def _chain(model: Model, b: Body, axes: Any) -> list[tuple[str, Joint]]:
    """What each joint of the chain does, in a word, and the joint."""
    where = f'{model.name}: joint "{b.joint_label}"'
    letters = [*axes] if isinstance(axes, str) else []
    valid = len(letters) == _TURNS and all(x in _AXES for x in letters)
    if not valid or any(x == y for x, y in pairwise(letters)):
        raise ArgumentError(f'split: axes must be three letters of x, y, z, neighbours different, not {axes!r}: "xyz"')
    turns = [(x if letters.index(x) == k else f"{x} again", Revolute(_AXES[x])) for k, x in enumerate(letters)]
    match b.joint:
        case Cylindrical(axis):
            return [("turn", Revolute(axis)), ("slide", Prismatic(axis))]
        case Universal(first, second):
            return [("first turn", Revolute(first)), ("second turn", Revolute(second))]
        case Planar(normal):
            across = b.joint.subspace((0.0, 0.0, 0.0))[:2]
            return [*zip("xy", (Prismatic(s.lin) for s in across), strict=True), ("turn", Revolute(normal))]
        case one if one.is_ball or one.is_free:
            _require_no_dynamics(where, b)
            shifts = [(f"shift {x}", Prismatic(u)) for x, u in _AXES.items()] if one.is_free else []
            return [*shifts, *turns]
    if b.joint.nv > 1:
        raise ModelError(
            f"{where} is a {b.joint.kind} joint; split knows cylindrical, universal, planar, ball and free"
        )
    raise ModelError(
        f"{where} has {b.joint.nv} freedom{'s' * (b.joint.nv != 1)}; only joints with several can be split"
    )


def _require_no_dynamics(where: str, b: Body) -> None:
    """Those of a ball are about its angular velocity, not about rates of angles."""
    for values in (b.dynamics, b.limits):
        for f in fields(values):
            if f.name == "soft" or not any(_matters(f.name, x) for x in getattr(values, f.name)):
                continue
            if f.name == "effort" and not any(b.limits.effort):
                continue
            kind = "ball" if b.joint.is_ball else "free joint"
            raise ModelError(
                f"{where} has {f.name}, which its parts cannot have: those of a {kind} are not about angles"
            )


def _matters(name: str, x: float) -> bool:
    return (
        x != 0.0
        if name in {f.name for f in fields(JointDynamics)} - {"rest"}
        else name != "rest" and abs(x) != float("inf")
    )


def _require_new(model: Model, b: Body, joints: list[str], bodies: list[str]) -> None:
    labels = {x.joint_label for x in model.bodies if x is not b}
    for name in (*(n for n in joints if n in labels), *(n for n in bodies if n in model.by_name)):
        raise ModelError(
            f'{model.name} has a body or joint "{name}" already; rename it before "{b.joint_label}" is split'
        )


def _has_other_coordinates(joint: Joint) -> bool:
    """Balls and free joints, whose velocities are not rates of angles."""
    return joint.nq != joint.nv


def _limits(b: Body, k: int) -> Limits:
    """Those of freedom k; a ball or free joint has none, but may be without a motor."""
    if not _has_other_coordinates(b.joint):
        limits: Limits = _share(b.limits, k, Limits)
        return limits
    return Limits() if has_motor(b) else Limits(effort=(0.0,))


def _share(values: Any, k: int, kind: Any) -> Any:
    """The entries of freedom k of limits or dynamics."""
    parts = {f.name: getattr(values, f.name) for f in fields(kind)}
    return kind(**{name: x[k : k + 1] if isinstance(x, tuple) else x for name, x in parts.items()})


def _of_parts(model: Model, p: Any, b: Body, bodies: list[str]) -> Any:
    """A friction law of the joint acts on all its parts, in the order of the freedoms."""
    if not isinstance(p, FrictionLaw) or b.name not in p.bodies:
        return p
    if b.joint.nq != b.joint.nv:
        raise ModelError(
            f'{model.name}: joint "{b.joint_label}" has a friction law of a ball; remove it to split the joint'
        )
    return FrictionLaw(
        tuple(piece for name in p.bodies for piece in (bodies if name == b.name else [name])), p.resistance
    )
