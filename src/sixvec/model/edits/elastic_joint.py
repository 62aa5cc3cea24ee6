"""Joints with an elastic gear: a motor, its rotor, and a spring between it and the link."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from sixvec.arguments import one_number
from sixvec.errors import ArgumentError, ModelError
from sixvec.model.body import Body, JointDynamics, Limits
from sixvec.model.closure import Closure
from sixvec.model.edits.find import body_of_joint, of_models
from sixvec.model.model import Model
from sixvec.model.passive import FrictionLaw
from sixvec.model.tendon import FixedTendon
from sixvec.spatial import Pose, RigidInertia


@of_models
def with_elastic_joint(
    model: Model,
    joint: str,
    stiffness: float,
    *,
    rotor_inertia: float,
    ratio: float = 1.0,
    damping: float = 0.0,
    travel: float = math.inf,
    name: str = "",
) -> Model:
    """The model with a series elastic joint: the joint becomes its motor's side, and a spring behind it moves the link.

    q gets one more coordinate, the twist δ of the spring, right behind that of the joint, θ: the link is at θ + δ.

        spring and damper at δ:  -stiffness δ - damping δ̇        rotor at θ:  ratio² rotor_inertia

    All of them are on the side of the link: θ is the motor's angle divided by `ratio`, the joint force the motor's
    torque times `ratio`.  `rotor_inertia` is that of the rotor itself, added to the armature of the joint.  The joint
    keeps its name, its limits, friction and actuators; the spring's is `name`, by default that of the joint with
    " (spring)", has no motor and turns at most by ±`travel`.  With stiffness 0 and a travel, it is backlash: a gap that
    the stops of a contact simulation close.  Bruyninckx §5.6, §1.1.

    >>> import sixvec
    >>> from sixvec.model.edits import with_elastic_joint
    >>> arm = with_elastic_joint(sixvec.load("planar_2r").model, "joint2", 500.0, rotor_inertia=1e-4, ratio=100.0)
    >>> robot = sixvec.Robot(arm)
    >>> robot.joint_names, robot.passive_forces([0.0, 0.3, 0.01], [0.0, 0.0, 0.0])[2].item()
    (('joint1', 'joint2', 'joint2 (spring)'), -5.0)
    """
    driven = body_of_joint(model, joint)
    whose = f'{model.name}: joint "{joint}"'
    _require_simple(model, driven, whose)
    k, d, rotor = (one_number(f"with_elastic_joint: {word}", x) for word, x in (
        ("stiffness", stiffness), ("damping", damping), ("rotor_inertia", rotor_inertia)))  # fmt: skip
    gear = one_number("with_elastic_joint: ratio", ratio)
    if k < 0.0 or d < 0.0:
        raise ArgumentError(f"{whose}: stiffness {k:g} and damping {d:g} must be zero or more")
    if not (rotor >= 0.0 and gear != 0.0):
        raise ArgumentError(f"{whose}: rotor_inertia {rotor:g} must not be negative, and ratio {gear:g} not be zero")
    armature = driven.armature[0] + gear * gear * rotor
    if not armature > 0.0:
        raise ArgumentError(
            f"{whose}: rotor_inertia is {rotor:g}, and the joint has no armature; the spring needs an inertia on its "
            "motor's side"
        )
    if not travel > 0.0:
        raise ArgumentError(f"{whose}: travel is {travel}; it must be above 0, in both directions")
    motor = replace(
        driven,
        name=f"{driven.name} (motor)",
        inertia=RigidInertia.zero(),
        joint_name=driven.joint_label,
        dynamics=replace(driven.dynamics, armature=(armature,)),
    )
    limits = Limits((-travel,), (travel,), effort=(0.0,))
    spring = replace(
        driven,
        parent=motor.name,
        placement=Pose.identity(),
        joint_name=name or f"{driven.joint_label} (spring)",
        limits=limits if math.isfinite(travel) else Limits(effort=(0.0,)),
        dynamics=JointDynamics(stiffness=(k,), damping=(d,)),
    )
    bodies = tuple(x for b in model.bodies for x in ((motor, spring) if b is driven else (b,)))
    order = tuple(x for n in model.order for x in ((motor.name, n) if n == driven.name else (n,)))
    passive = tuple(_moved(p, driven.name, motor.name) for p in model.passive)
    return replace(model, bodies=bodies, order=order, passive=passive)  # type: ignore[arg-type]


def _moved(p: object, body: str, motor: str) -> object:
    """A friction law of the joint now rubs at its motor's side."""
    if isinstance(p, FrictionLaw) and body in p.bodies:
        return FrictionLaw(tuple(motor if n == body else n for n in p.bodies), p.resistance)
    return p


def _require_simple(model: Model, driven: Body, whose: str) -> None:
    """Raise for a joint with another number of freedoms, and for one on whose position something else depends."""
    if driven.joint.nv != 1 or driven.mimic:
        what = "follows another joint" if driven.mimic else f"has {driven.joint.nv} freedoms"
        raise ModelError(f"{whose} {what}; a joint with one freedom can be elastic")
    users = [*_users(model, driven)]
    if users:
        raise ModelError(f"{whose} also moves {users[0]}; decide which side that is on, and remove it before this edit")


def _users(model: Model, driven: Body) -> Iterator[str]:
    yield from (
        f'"{b.joint_label}", which mimics it' for b in model.bodies if b.mimic and b.mimic.leader == driven.name
    )
    for c in model.closures:
        if not isinstance(c, Closure) and driven.name in (n for n, _ in c.terms):
            yield f'the coupling "{c.name}"'
    yield from (
        f'the tendon "{t.name}"' for t in model.tendons if isinstance(t, FixedTendon) and driven.joint_label in t.joints
    )
