"""Mechanisms with loops that are no robots of others: a five-bar, a delta, the leg of a bird-like biped."""

from __future__ import annotations

from math import cos, pi

from sixvec.model import Body, Closure, Frame, Model
from sixvec.model.joints import Revolute, Spherical
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)


def _rod(mass: float, length: float) -> RigidInertia:
    moment = mass * length**2 / 12.0
    return RigidInertia.from_center_of_mass(mass, Vec3(0.5 * length, 0.0, 0.0), Sym3.diagonal(1e-3, moment, moment))


def five_bar() -> Model:
    """Two arms of two links in a plane, whose tips are one point."""
    bodies = []
    for side, x, first, second in (("left", -0.1, 2.2, -1.6), ("right", 0.1, 0.9, 1.6)):
        at = Pose(Rotation.about(Z, first), Vec3(x, 0.0, 0.0))
        knee = Pose(Rotation.about(Z, second), Vec3(0.3, 0.0, 0.0))
        bodies += [
            Body(f"{side}_upper", None, Revolute(Z), at, _rod(1.0, 0.3)),
            Body(f"{side}_lower", f"{side}_upper", Revolute(Z), knee, _rod(0.8, 0.4)),
        ]
    tip = Pose.translation(Vec3(0.4, 0.0, 0.0))
    frames = tuple(Frame(f"{side}_tip", f"{side}_lower", tip) for side in ("left", "right"))
    closures = (Closure("tips", "left_tip", "right_tip", Spherical()),)
    return Model("five_bar", tuple(bodies), frames, closures=closures)


def delta() -> Model:
    """Three cranks, each with two rods on universal joints; balls hold the rods at a platform: 18 joints, 15 rows.

    Bodies come depth first, as Pinocchio needs them.
    """
    bodies, frames, closures = [], [], []
    level = Pose(Rotation.about(Y, -1.9), Vec3(0.5, 0.0, 0.0))
    plate = RigidInertia.from_center_of_mass(0.4, Vec3(-0.05, 0.05, 0.0), Sym3.diagonal(2e-3, 2e-3, 4e-3))
    platform = [
        Body("ball_x", "rod00", Revolute(X), level),
        Body("ball_y", "ball_x", Revolute(Y)),
        Body("platform", "ball_y", Revolute(Z), inertia=plate),
    ]
    for k in range(3):
        about = Pose(Rotation.about(Z, 2.0 * pi * k / 3.0), Vec3.zero())
        bodies.append(
            Body(f"crank{k}", None, Revolute(Y), about @ Pose.translation(Vec3(0.2, 0.0, 0.0)), _rod(0.5, 0.2))
        )
        for n, side in enumerate((-0.05, 0.05)):
            at = Pose(Rotation.about(Y, 1.9), Vec3(0.2, side, 0.0))
            bodies += [
                Body(f"fork{k}{n}", f"crank{k}", Revolute(Y), at),
                Body(f"rod{k}{n}", f"fork{k}{n}", Revolute(Z), inertia=_rod(0.1, 0.5)),
            ]
            bodies += platform if (k, n) == (0, 0) else []
    end = Pose.translation(Vec3(0.5, 0.0, 0.0))
    reach = 0.2 + 0.2 + 0.5 * cos(1.9)
    first = Vec3(reach, -0.05, 0.0)
    for k in range(3):
        turn = Rotation.about(Z, 2.0 * pi * k / 3.0)
        for n, side in enumerate((-0.05, 0.05)):
            if (k, n) == (0, 0):
                continue
            frames.append(Frame(f"end{k}{n}", f"rod{k}{n}", end))
            frames.append(Frame(f"seat{k}{n}", "platform", Pose.translation(turn @ Vec3(reach, side, 0.0) - first)))
            closures.append(Closure(f"ball{k}{n}", f"end{k}{n}", f"seat{k}{n}", Spherical()))
    return Model("delta", tuple(bodies), tuple(frames), closures=tuple(closures))


def cassie_like_leg() -> Model:
    """A leg with the loops of Cassie's: a rod from the hip lifts the heel, another tilts the foot: 11 joints, 6 rows.

    Numbers are round ones.  All frames are parallel at the neutral position; the rods hang on forks, two hinges that
    cross, and end in balls.  Bodies come depth first, as Pinocchio needs them.
    """
    knee, ankle, toe = Vec3(0.1, 0.0, -0.5), Vec3(-0.2, 0.0, -0.4), Vec3(0.15, 0.0, -0.4)
    heel, hip_end = Vec3(-0.1, 0.0, 0.05), Vec3(-0.05, 0.0, 0.0)
    crank, arm, horn = Vec3(0.05, 0.0, 0.0), Vec3(-0.05, 0.0, 0.0), Vec3(-0.05, 0.0, 0.0)
    heel_rod = knee + ankle + heel - hip_end
    toe_rod = toe + horn - crank - arm
    bodies = (
        Body("roll", None, Revolute(X), inertia=_link(1.0, Vec3(0.0, 0.0, -0.1))),
        Body("yaw", "roll", Revolute(Z), inertia=_link(1.0, Vec3(0.0, 0.0, -0.1))),
        Body("thigh", "yaw", Revolute(Y), inertia=_link(5.0, knee)),
        Body("shin", "thigh", Revolute(Y), Pose.translation(knee), _link(1.0, ankle)),
        Body("tarsus", "shin", Revolute(Y), Pose.translation(ankle), _link(1.0, toe)),
        Body("crank", "tarsus", Revolute(Y), Pose.translation(crank), _link(0.1, arm)),
        Body("toe_fork", "crank", Revolute(Y), Pose.translation(arm)),
        Body("toe_rod", "toe_fork", Revolute(X), inertia=_link(0.2, toe_rod)),
        Body("foot", "tarsus", Revolute(Y), Pose.translation(toe), _link(0.2, Vec3(0.1, 0.0, 0.0))),
        Body("heel_fork", "thigh", Revolute(Y), Pose.translation(hip_end)),
        Body("heel_rod", "heel_fork", Revolute(X), inertia=_link(0.2, heel_rod)),
    )
    frames = (
        Frame("heel_rod_end", "heel_rod", Pose.translation(heel_rod)),
        Frame("heel", "tarsus", Pose.translation(heel)),
        Frame("toe_rod_end", "toe_rod", Pose.translation(toe_rod)),
        Frame("horn", "foot", Pose.translation(horn)),
    )
    closures = (
        Closure("heel_ball", "heel_rod_end", "heel", Spherical()),
        Closure("horn_ball", "toe_rod_end", "horn", Spherical()),
    )
    return Model("cassie_like_leg", bodies, frames, closures=closures)


def _link(mass: float, end: Vec3) -> RigidInertia:
    """A link between the origin and its end, as thick as a tenth of a metre."""
    moment = mass * (end.dot(end) + 0.01) / 12.0
    return RigidInertia.from_center_of_mass(mass, end * 0.5, Sym3.diagonal(moment, moment, mass * 0.01 / 6.0))


MECHANISMS = {"five_bar": five_bar, "delta": delta, "cassie_like_leg": cassie_like_leg}
