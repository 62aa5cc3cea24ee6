"""A serial arm as a chain of joints on z: what every table is extracted from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sixvec.errors import ModelError
from sixvec.formats.names import free_name
from sixvec.formats.tables.table import JointKind, Link
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.model import WORLD, Body, Frame, Model
from sixvec.model.joints import Helical, Joint, Prismatic, Revolute
from sixvec.model.joints.axis import z_to
from sixvec.spatial import Pose, RigidInertia, Vec3


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
    survey = _Survey(model, at_tip)
    joints = tuple(survey.joint(b) for b in path)
    in_chain, in_q = ([b.name for b in bodies] for bodies in (path, model.moving))
    about = {
        "name": model.name, "tip": at_tip.name, "ground": survey.ground(), "gravity": model.gravity,
        "order": () if in_q == in_chain else tuple(in_q),
    }  # fmt: skip
    return SerialArm(joints, survey.homes[at_tip.body] @ at_tip.placement, about)


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
