"""A serial arm as a chain of joints on z, and frames along it: the common part of every extraction of a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sixvec.errors import ModelError
from sixvec.formats.names import free_name
from sixvec.formats.tables.table import Choice, JointKind, Link
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.model import WORLD, Body, Frame, Model
from sixvec.model.joints import Helical, Joint, Prismatic, Revolute
from sixvec.model.joints.axis import z_to
from sixvec.spatial import Pose, RigidInertia, Rotation, Vec3
from sixvec.spatial.norm import precise_cross


@dataclass(frozen=True, slots=True)
class SerialJoint:
    """A joint that moves along or about z of its frame, whose pose in the world at q = 0 is `home`.

    Inertia and frames of the link are in that frame, which moves with the link.
    """

    joint: Joint
    home: Pose
    link: Link

    @property
    def kind(self) -> JointKind:
        return "prismatic" if self.joint.is_translation else "revolute"

    @property
    def line(self) -> Line:
        """The axis at q = 0.  The position of a slide's axis is arbitrary: it passes through the joint's own frame."""
        return Line(Point.of(self.home.pos), self.home.rot.matrix.T.rows[2])


@dataclass(frozen=True, slots=True)
class SerialArm:
    """Joints from the base to the tip, the tip in the world at q = 0, and the data of `Arm`."""

    joints: tuple[SerialJoint, ...]
    home: Pose
    about: dict[str, Any]


def serial_arm(model: Model, tip: str | None = None, helical: bool = False) -> SerialArm:
    """The model as a serial arm up to the frame `tip` (by default the last frame that all joints move).

    Fixed bodies, including side branches, become part of the link that carries them.
    """
    at_tip = _tip(model, tip)
    path = [b for b in model.path(at_tip.body) if not b.joint.is_fixed]
    on_path = {b.name for b in path}
    for b in model.bodies:
        if not b.joint.is_fixed and b.name not in on_path:
            raise ModelError(
                f'{model.name}: the joint of "{b.name}" is not on the way to the frame "{at_tip.name}", and a table '
                "describes serial arms only; cut one out with subchain(…) or fix the joint with lock(…)"
            )
    for b in path:
        _check_joint(model, b, helical)
    if not path:
        raise ModelError(f'{model.name}: no joint moves the frame "{at_tip.name}"; a table needs at least one joint')
    seen = _Survey(model, at_tip)
    joints = tuple(seen.joint(b) for b in path)
    in_chain, in_q = ([b.name for b in bodies] for bodies in (path, model.moving))
    about = {
        "name": model.name, "tip": at_tip.name, "ground": seen.ground(), "gravity": model.gravity,
        "order": () if in_q == in_chain else tuple(in_q),
    }  # fmt: skip
    return SerialArm(joints, seen.homes[at_tip.body] @ at_tip.placement, about)


class _Survey:
    """The pose of every body at q = 0, and the moving body that carries it."""

    def __init__(self, model: Model, tip: Frame) -> None:
        self.model, self.tip = model, tip
        self.homes: dict[str | None, Pose] = {WORLD: Pose.identity()}
        self.carrier: dict[str | None, str | None] = {WORLD: WORLD}
        for b in model.bodies:
            self.homes[b.name] = self.homes[b.parent] @ b.placement  # joints on the path are at identity when q = 0
            self.carrier[b.name] = self.carrier[b.parent] if b.joint.is_fixed else b.name
        self.bodies: dict[str | None, list[Body]] = {carrier: [] for carrier in self.carrier.values()}
        self.frames: dict[str | None, list[Frame]] = {carrier: [] for carrier in self.carrier.values()}
        for b in model.bodies:
            self.bodies[self.carrier[b.name]].append(b)
        for f in model.frames:
            self.frames[self.carrier[f.body]].append(f)

    def joint(self, b: Body) -> SerialJoint:
        home = self.homes[b.name] @ Pose(z_to(b.joint.axis), Vec3.zero())  # type: ignore[attr-defined]
        inertia, frames = self._carried(b.name, home)
        name = b.joint_label  # as displayed by the robot
        return SerialJoint(b.joint, home, Link(b.name, name, inertia, b.limits, b.dynamics, frames))

    def ground(self) -> Link:
        roots = [b.name for b in self.bodies[WORLD]]
        inertia, frames = self._carried(WORLD, Pose.identity())
        return Link(roots[0] if roots else free_name("ground", self.model.by_name), inertia=inertia, frames=frames)

    def _carried(self, carrier: str | None, home: Pose) -> tuple[RigidInertia, tuple[tuple[str, Pose], ...]]:
        """The inertia and the frames, except the tip, of one moving body, in the frame at `home`."""
        inertia = RigidInertia.zero()
        for b in self.bodies[carrier]:
            inertia = inertia + (home.inv() @ self.homes[b.name]) @ b.inertia
        frames = tuple(
            (f.name, home.inv() @ (self.homes[f.body] @ f.placement)) for f in self.frames[carrier] if f is not self.tip
        )
        return inertia, frames


def _tip(model: Model, name: str | None) -> Frame:
    """The frame of that name; by default the last of those moved by the most joints."""
    if name is not None:
        return model.frame(name)
    movers: dict[str | None, int] = {WORLD: 0}
    for b in model.bodies:
        movers[b.name] = movers[b.parent] + b.joint.nv
    return max(reversed(model.frames), key=lambda f: movers[f.body])


def _check_joint(model: Model, b: Body, helical: bool) -> None:
    allowed = (Revolute, Prismatic, Helical) if helical else (Revolute, Prismatic)
    if not isinstance(b.joint, allowed):
        names = ", ".join(kind.__name__.lower() for kind in allowed)
        raise ModelError(
            f'{model.name}: the joint of "{b.name}" is {type(b.joint).__name__.lower()}; this table describes: {names}'
        )
    if b.mimic:
        raise ModelError(
            f'{model.name}: the joint of "{b.name}" mimics "{b.mimic.leader}"; the joints of a table are independent'
        )


COINCIDENT = 1e-13
"""Lines whose directions differ by less (rad), or points by less (m), are equal: a few hundred roundings."""

_STEEP = 0.9
"""A vector with a larger x than this is too close to x for an orthogonal projection."""


@dataclass(frozen=True, slots=True)
class Target:
    """The target of the next frame, in coordinates of the present one: the next axis, or after the last joint the tip.

    `own` is the present joint's axis, ±z.
    """

    row: int
    joint: SerialJoint
    own: Vec3
    axis: Line | None
    tip: Pose


Chooser = Callable[[Target], tuple[Any, Pose, Sequence[Choice]]]
"""From a target to a row, the pose of the next frame in the present one at q = 0, and the choices made."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Frame 0 in the world, the rows with their links, the tip in the last frame, and the choices."""

    base: Pose
    rows: tuple[Any, ...]
    tool: Pose
    choices: tuple[Choice, ...]


def walk(arm: SerialArm, choose: Chooser) -> Walk:
    """Place frame 0 on the first axis, then make each row with `choose`.

    Each frame is reached by multiplying the rows themselves, so that each row compensates the rounding of the previous
    ones and the tip at q = 0 is exactly preserved.
    """
    base, choices = first_frame(arm.joints[0].line)
    rows: list[Any] = []
    frame, made = base, [*choices, *slides(arm)]
    for i, joint in enumerate(arm.joints):
        back = frame.inv()
        following = arm.joints[i + 1].line if i + 1 < len(arm.joints) else None
        axis = None if following is None else Line(Point.of(back * following.point.vec), back.rot @ following.direction)
        row, step, open_ones = choose(Target(i + 1, joint, back.rot @ joint.line.direction, axis, back @ arm.home))
        frame = frame @ step
        rows.append(replace(row, joint=joint.kind, link=joint.link.seen_from(frame.inv() @ joint.home)))
        made += open_ones
    return Walk(base, tuple(rows), frame.inv() @ arm.home, tuple(made))


def slides(arm: SerialArm) -> list[Choice]:
    """The position of a prismatic axis is arbitrary."""
    chosen = "its axis is drawn through the joint's own frame"
    return [Choice(i, "slide", chosen) for i, joint in enumerate(arm.joints, start=1) if joint.kind == "prismatic"]


def first_frame(axis: Line) -> tuple[Pose, list[Choice]]:
    """Frame 0: the world's if its z is the first axis, else on that axis, nearest to the world's origin."""
    z, world_z = axis.direction, Vec3(0.0, 0.0, 1.0)
    sine = precise_cross(world_z, z).norm()
    foot = axis.closest_point()
    if sine < COINCIDENT and z.z > 0.0 and foot.vec.norm() < COINCIDENT:
        return Pose.identity(), []
    x = Vec3(1.0, 0.0, 0.0) if abs(z.x) < _STEEP else Vec3(0.0, 1.0, 0.0)
    name = "x" if abs(z.x) < _STEEP else "y"
    x = x - z * z.dot(x)
    x = x * (1.0 / x.norm())
    chosen = f"frame 0 is nearest to the world's origin on axis 1, its x along the world's {name}; see base"
    return Pose(Rotation.from_axes(x, z.cross(x), z), foot.vec), [Choice(0, "base", chosen, float(sine))]


PARALLEL = 1e-8
"""Axes closer than this (rad) count as parallel.  Their common normal is 1/angle away, so its rounding is 2⁻⁵³/angle;
neglecting the angle has the error of the angle.  The two are equal at √2⁻⁵³."""

NEARLY = 1e-3
"""Below this sine a common normal loses more than three digits, which is reported."""


@dataclass(frozen=True, slots=True)
class CommonNormal:
    """θ from x to the normal, d its height on z, a its length, α from z to the axis: a classic row."""

    theta: float
    d: float
    a: float
    alpha: float
    choices: tuple[Choice, ...] = ()

    @classmethod
    def to(cls, axis: Line, row: int, parallel: float = PARALLEL) -> CommonNormal:
        """The normal to an axis of unit direction e through p; ρ is the sine between them.

        ±u = z × e / ρ,   ±a = (p_y e_x - p_x e_y) / ρ,   d = p_z - e_z (p_x e_x + p_y e_y) / ρ²
        """
        e, p = axis.direction, axis.point
        rho = math.hypot(e.x, e.y)
        if rho < parallel:
            return cls._parallel(e, p.vec, row, rho)
        a = (p.y * e.x - p.x * e.y) / rho
        d = p.z - e.z * (p.x * e.x + p.y * e.y) / (rho * rho)
        side, choices = 1.0, []
        if abs(a) > COINCIDENT * (1.0 + p.vec.norm()):
            side = math.copysign(1.0, a)
        else:
            # Both senses of the normal are valid: the one nearer to the present x keeps θ small.  At a tie, α > 0.
            side = -1.0 if -e.y < -COINCIDENT * rho else 1.0
            sense = "along" if side > 0.0 else "against"
            choices.append(Choice(row, "intersecting axes", f"x {sense} z × z', the sense nearer to the x before", rho))
        if rho < NEARLY:
            loss = f"d = {d:.3g}, rounding about {2.0**-53 / rho:.0e} of lengths; Hayati-Roberts rows are precise here"
            choices.append(Choice(row, "nearly parallel axes", f"the common normal is kept: {loss}", rho))
        theta = math.atan2(e.x * side, -e.y * side)
        # Adding 0 turns -0 into 0.
        return cls(theta + 0.0, d + 0.0, a * side + 0.0, side * math.atan2(rho, e.z), tuple(choices))

    @classmethod
    def _parallel(cls, e: Vec3, p: Vec3, row: int, rho: float) -> CommonNormal:
        """There is a common normal at every height: the one at d = 0 is chosen."""
        x, y = p.x - e.x * (p.z / e.z), p.y - e.y * (p.z / e.z)
        a, alpha = math.hypot(x, y), 0.0 if e.z > 0.0 else math.pi
        if a < COINCIDENT * (1.0 + p.norm()):
            choice = Choice(row, "coincident axes", "the frame stays where it is: θ = 0, d = 0, a = 0", rho)
            return cls(0.0, 0.0, 0.0, alpha, (choice,))
        neglected = f", and the angle of {rho:.1e} rad is neglected" if rho > COINCIDENT else ""
        choice = Choice(row, "parallel axes", f"the common normal through the frame before, d = 0{neglected}", rho)
        return cls(math.atan2(y, x), 0.0, a, alpha, (choice,))
