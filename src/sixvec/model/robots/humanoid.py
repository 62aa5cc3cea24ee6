"""A person of 1.75 m and 75 kg as a robot: a free pelvis and 32 revolute joints, with a motor in each.

Lengths are fractions of the height after Drillis and Contini, "Body segment parameters", Office of Vocational
Rehabilitation report 1166-03, New York 1966.  Masses, as fractions of the whole, centres and radii of gyration of the
limbs, as fractions of their lengths, are Dempster's.  Both as printed by Winter, "Biomechanics and Motor Control of
Human Movement", figure 4.1 and table 4.1.

Assumed, because the tables do not contain it: the lumbar joint at 0.59 and the base of the neck at 0.818 of the
height (as the shoulders); the trunk is a solid box as wide as the hips and 0.115 of the height deep, in two parts, and
feet are solid boxes; limbs resist turns about their own length as solid cylinders
of 1.1 g/cm³; an ankle is above the first quarter of its foot.

Joints and segments have the names of the H-Anim skeleton (ISO/IEC 19774:2005, level of articulation one, without its
rigid sacroiliac and midtarsal joints), followed by the movement.  Three movements of a joint follow each other as the
International Society of Biomechanics recommends for the hip: flexion, abduction, rotation (Wu et al., Journal of
Biomechanics 35, 2002); its angles for the shoulder are different.  Axes are a robot's: x forward, y left, z up.
`sixvec.model.robots.human_joints` gives the angles of all joints as defined by ISB.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.model import Body, Frame, Limits, Model
from sixvec.model.joints import Free, Revolute
from sixvec.model.joints.joint import X_AXIS, Y_AXIS, Z_AXIS
from sixvec.model.robots.shapes import NO_TURN, solid_box, solid_cylinder
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

HEIGHT, MASS = 1.75, 75.0
DENSITY = 1100.0

HIP, LUMBAR, SHOULDER = 0.530, 0.590, 0.818
"""Heights of the joints above the ground."""

HIP_HALF_WIDTH, SHOULDER_HALF_WIDTH = 0.191 / 2.0, 0.129
TRUNK_DEPTH = 0.115
FOOT_LENGTH, FOOT_WIDTH, FOOT_HEIGHT = 0.152, 0.055, 0.039


@dataclass(frozen=True)
class _Segment:
    """Fractions: the length of the height, the mass of the whole, centre and radius of gyration of the length."""

    length: float
    mass: float
    center: float
    gyration: float

    def inertia(self, up: float = -1.0) -> RigidInertia:
        """Measured from the joint down, or up."""
        length, mass = self.length * HEIGHT, self.mass * MASS
        across = mass * (self.gyration * length) ** 2
        radius = math.sqrt(mass / (DENSITY * length * math.pi))
        along = solid_cylinder(mass, radius, length).rot.zz
        center = Vec3(0.0, 0.0, up * self.center * length)
        return RigidInertia.from_center_of_mass(mass, center, Sym3.diagonal(across, across, along))


THIGH = _Segment(0.245, 0.100, 0.433, 0.323)
SHANK = _Segment(0.246, 0.0465, 0.433, 0.302)
UPPER_ARM = _Segment(0.186, 0.028, 0.436, 0.322)
FOREARM = _Segment(0.146, 0.016, 0.430, 0.303)
HAND = _Segment(0.108, 0.006, 0.506, 0.297)
HEAD = _Segment(0.118, 0.081, 1.000, 0.495)
"""From the base of the neck to the ear canal, at the height 0.936 of the eyes."""

FOOT_MASS, PELVIS_MASS, UPPER_TRUNK_MASS = 0.0145, 0.142, 0.355
PELVIS_CENTER, UPPER_TRUNK_CENTER = 0.105, 0.63
"""Measured from the upper end, as fractions of the length."""


def humanoid() -> Model:
    """A free pelvis, two legs of six joints, two arms of seven, three joints each in waist and neck.

    At q = 0 the person is upright with hanging arms, palms to the body, and the pelvis frame between the hips.
    Positive is flexion (dorsiflexion of the ankle), abduction and inward rotation; for waist and neck forward, to the
    right and to the left.  The base joint has no motor.

    >>> len(humanoid().moving), round(sum(b.inertia.mass for b in humanoid().bodies), 9)
    (33, 75.0)
    """
    bodies = [_pelvis()]
    bodies += _jointed("vl5", "l5", "pelvis", _up(LUMBAR - HIP), _SPINE, _upper_trunk())
    bodies += _jointed("skullbase", "skull", "l5", _up(SHOULDER - LUMBAR), _SPINE, HEAD.inertia(up=1.0))
    for side, sign in (("l", 1.0), ("r", -1.0)):
        bodies += _leg(side, sign) + _arm(side, sign)
    frames = [Frame(b.name, b.name) for b in bodies]
    soles = [Frame(f"{side}_sole", f"{side}_hindfoot", _up(-FOOT_HEIGHT)) for side in "lr"]
    return Model("humanoid", tuple(bodies), (*frames, *soles))


_SPINE = (("flexion", Y_AXIS), ("bending", X_AXIS), ("rotation", Z_AXIS))


def _limb(sign: float) -> tuple[tuple[str, Vec3], ...]:
    """Three movements of a hip or shoulder; what is outward and inward depends on the side."""
    return ("flexion", -Y_AXIS), ("abduction", X_AXIS * sign), ("rotation", Z_AXIS * -sign)


def _leg(side: str, sign: float) -> list[Body]:
    hip = _at(0.0, sign * HIP_HALF_WIDTH, 0.0)
    ankle = (("flexion", -Y_AXIS), ("inversion", X_AXIS * sign))
    return [
        *_jointed(f"{side}_hip", f"{side}_thigh", "pelvis", hip, _limb(sign), THIGH.inertia()),
        *_jointed(f"{side}_knee", f"{side}_calf", f"{side}_thigh", _up(-THIGH.length), _KNEE, SHANK.inertia()),
        *_jointed(f"{side}_ankle", f"{side}_hindfoot", f"{side}_calf", _up(-SHANK.length), ankle, _foot()),
    ]


_KNEE = (("flexion", Y_AXIS),)


def _arm(side: str, sign: float) -> list[Body]:
    shoulder = _at(0.0, sign * SHOULDER_HALF_WIDTH, SHOULDER - LUMBAR)
    elbow = (("flexion", -Y_AXIS), ("pronation", Z_AXIS * -sign))
    wrist = (("flexion", X_AXIS * -sign), ("abduction", -Y_AXIS))
    upper, fore, hand = f"{side}_upperarm", f"{side}_forearm", f"{side}_hand"
    return [
        *_jointed(f"{side}_shoulder", upper, "l5", shoulder, _limb(sign), UPPER_ARM.inertia()),
        *_jointed(f"{side}_elbow", fore, upper, _up(-UPPER_ARM.length), elbow, FOREARM.inertia()),
        *_jointed(f"{side}_wrist", hand, fore, _up(-FOREARM.length), wrist, HAND.inertia()),
    ]


def _jointed(
    joint: str, segment: str, parent: str, at: Pose, movements: Sequence[tuple[str, Vec3]], inertia: RigidInertia
) -> list[Body]:
    """The joint's movements in sequence; only the last carries the segment."""
    bodies: list[Body] = []
    for i, (movement, axis) in enumerate(movements, start=1):
        last = i == len(movements)
        name = segment if last else f"{joint}_{movement}"
        placed, carried = at if i == 1 else Pose.identity(), inertia if last else RigidInertia.zero()
        bodies.append(Body(name, parent, Revolute(axis), placed, carried, f"{joint}_{movement}"))
        parent = name
    return bodies


def _pelvis() -> Body:
    height = LUMBAR - HIP
    inertia = _box(TRUNK_DEPTH, 2.0 * HIP_HALF_WIDTH, height, PELVIS_MASS, height * (1.0 - PELVIS_CENTER))
    return Body("pelvis", joint=Free(), inertia=inertia, joint_name="root_joint", limits=Limits(effort=(0.0,) * 6))


def _upper_trunk() -> RigidInertia:
    height = SHOULDER - LUMBAR
    return _box(TRUNK_DEPTH, 2.0 * HIP_HALF_WIDTH, height, UPPER_TRUNK_MASS, height * (1.0 - UPPER_TRUNK_CENTER))


def _foot() -> RigidInertia:
    forward = _at(FOOT_LENGTH / 4.0, 0.0, 0.0)
    return forward @ _box(FOOT_LENGTH, FOOT_WIDTH, FOOT_HEIGHT, FOOT_MASS, -FOOT_HEIGHT / 2.0)


def _box(depth: float, width: float, height: float, mass: float, center: float) -> RigidInertia:
    """A solid box around a centre above the joint; all in fractions of the person."""
    return _up(center) @ solid_box(mass * MASS, Vec3(depth, width, height) * HEIGHT)


def _up(fraction: float) -> Pose:
    return _at(0.0, 0.0, fraction)


def _at(x: float, y: float, z: float) -> Pose:
    """A position in fractions of the height."""
    return Pose(NO_TURN, Vec3(x, y, z) * HEIGHT)
