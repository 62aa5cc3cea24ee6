"""Rotors: the fast spinning parts of motors, as separate bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from sixvec.errors import ModelError
from sixvec.model.body import WORLD, Body, Frame, Mimic
from sixvec.model.edits.find import body, body_of_joint, of_models
from sixvec.model.joints import Revolute
from sixvec.model.model import Model
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3


@dataclass(frozen=True, slots=True)
class Rotor:
    """A rotor that turns `ratio` times for one turn of its joint, about the z axis of `placement`.

    `inertia` is its moment about that axis, `transverse` about the two others, in kg m² at its centre of mass, which
    lies at the origin of `placement`, given in the frame of the body that carries the motor.
    """

    inertia: float
    ratio: float
    placement: Pose = field(default_factory=Pose.identity)
    mass: float = 0.0
    transverse: float = 0.0


@of_models
def with_rotor(model: Model, joint: str, rotor: Rotor, *, carrier: str | None = "", name: str = "") -> Model:
    """The model with a spinning rotor geared to a joint: an additional body whose joint mimics the motor's.

    It is mounted on the body before the joint, or on the body named `carrier` (None for the world).  Its spin
    and its gyroscopic torques follow from the general equations; the usual `armature` = ratio² inertia
    is the limit of large ratios, in which the coupling of q̈ with the carrier's rotation, ratio · inertia, and
    the torque ω × (ratio · inertia · q̇ a) are lost (Bruyninckx §6.2.6).  The joint's own armature is kept: remove the
    share of this rotor from it.

    >>> import sixvec
    >>> from sixvec.model.edits import Rotor, with_rotor
    >>> arm = sixvec.load("planar_2r").model
    >>> geared = with_rotor(arm, arm.moving[1].name, Rotor(inertia=1e-4, ratio=100.0))
    >>> M, bare = (sixvec.Robot(m).mass_matrix([0.0, 0.0]) for m in (geared, arm))
    >>> (M - bare).round(9).tolist()
    [[0.0001, 0.01], [0.01, 1.0]]
    """
    driven = body_of_joint(model, joint)
    if driven.joint.nv != 1:
        raise ModelError(f'{model.name}: joint "{joint}" has {driven.joint.nv} freedoms; a rotor drives one')
    if not math.isfinite(rotor.ratio) or rotor.ratio == 0.0:
        raise ModelError(f'{model.name}: the rotor of "{joint}" has the ratio {rotor.ratio}; it must not be zero')
    if rotor.inertia < 0.0 or rotor.transverse < 0.0 or rotor.mass < 0.0:
        raise ModelError(f'{model.name}: the rotor of "{joint}" has a negative mass or inertia: {rotor}')
    parent = driven.parent if carrier == "" else carrier
    if parent is not WORLD:
        body(model, parent)
    spin = Sym3.diagonal(rotor.transverse, rotor.transverse, rotor.inertia)
    rotor_body = Body(
        name or f"{driven.name}_rotor",
        parent,
        Revolute(),
        rotor.placement,
        RigidInertia.from_center_of_mass(rotor.mass, Vec3.zero(), spin),
        mimic=Mimic(driven.name, rotor.ratio),
    )
    order = (*model.order, rotor_body.name) if model.order else ()
    return replace(
        model,
        bodies=(*model.bodies, rotor_body),
        frames=(*model.frames, Frame(rotor_body.name, rotor_body.name)),
        order=order,
    )
