"""The robot as data: an immutable tree of bodies, with named frames."""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from sixvec.errors import FrameNotFound, ModelError, unknown
from sixvec.lazy import lazy
from sixvec.model.actuator import Actuator, validate_actuators
from sixvec.model.body import WORLD, Body, Frame
from sixvec.model.closure import AnyClosure, Closure
from sixvec.model.contact_rules import ContactRules, validate_rules
from sixvec.model.geom import Geom, validate_geoms
from sixvec.model.held_frame import RollingFrame
from sixvec.model.keyframe import Keyframe, KeyframeState, validate_keyframes
from sixvec.model.passive import FrictionLaw, Passive, validate_passive
from sixvec.model.simulation_options import SimulationOptions
from sixvec.model.tendon import Tendon, validate_tendons
from sixvec.scalar import Scalar
from sixvec.spatial import Vec3

STANDARD_GRAVITY = Vec3(0.0, 0.0, -9.81)

NO_RULES = ContactRules()

LOOP_TOLERANCE = 1e-5
"""How exactly the dimensions of a loop are known, as a fraction of its size: files round them to five to seven digits,
and `rpy="1.5708 0 0"` is a tilt of 3.7e-6."""


@dataclass(frozen=True)
class Model:
    """A rigid-body tree: bodies with parents before children, frames, gravity.

    Featherstone's model data (N, λ, X_T, joint, I): the order of `bodies` is the numbering, and a parent must precede
    its children.  If no frames are given, every body has one with its own name.  Featherstone (2).

    >>> from sixvec import Model
    >>> from sixvec.model import Body
    >>> from sixvec.model.joints import Revolute
    >>> arm = Model("arm", (Body("base"), Body("link", "base", Revolute())))
    >>> arm.nv, [f.name for f in arm.frames]
    (1, ['base', 'link'])
    """

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...] = ()
    gravity: Vec3 = STANDARD_GRAVITY
    order: tuple[str, ...] = ()
    """Names of bodies in the order that their joints have in q and v; empty for the order of `bodies`."""
    closures: tuple[AnyClosure, ...] = ()
    """Joints beyond the tree, each of which closes a loop."""
    geoms: tuple[Geom, ...] = field(default=(), repr=False)
    """Visual and collision shapes."""
    passive: tuple[Passive, ...] = ()
    """Friction laws and springs beyond the numbers of the joints."""
    tendons: tuple[Tendon, ...] = field(default=(), repr=False)
    """Cables with a length; their forces are not part of the dynamics."""
    actuators: tuple[Actuator, ...] = field(default=(), repr=False)
    """What each control does, in the order of the controls."""
    contact: ContactRules = field(default_factory=ContactRules, repr=False)
    """Which shapes may touch."""
    keyframes: tuple[Keyframe, ...] = field(default=(), repr=False)
    """Named states; `keyframe` gives their numbers."""
    simulation: SimulationOptions = field(default_factory=SimulationOptions, repr=False)
    """What the file says about its simulation."""
    loop_tolerance: float = LOOP_TOLERANCE
    """Constraints that are dependent up to this fraction of their loop's size count as dependent."""
    rolling: tuple[RollingFrame, ...] = field(default=(), repr=False)
    """Wheels that roll on the ground; their rows of constraints come after those of the closures."""

    def __post_init__(self) -> None:
        if not self.frames:
            object.__setattr__(self, "frames", tuple(Frame(b.name, b.name) for b in self.bodies))
        _validate(self)

    @classmethod
    def from_arrays(
        cls,
        parent: Any,
        Xtree: Any,
        joints: Sequence[Any],
        I: Any,  # the symbol of the textbook
        *,
        names: Sequence[str] | None = None,
        name: str = "robot",
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
    ) -> Model:
        """Featherstone's model data structure: for each body its parent, tree transform, joint and inertia.

        `parent` counts the bodies from 1 with 0 for the base, as the book does, or from 0 with -1 for the base; the
        first entry shows which.  `Xtree` holds the transforms of motions (ω; v) from the parent to the joint's frame,
        (n, 6, 6), or the poses of these frames in the parent, (n, 4, 4).  A joint is a `Joint`, a name ("Rx", "Ry",
        "Rz", "Px", "Py", "Pz"; "R" and "P" are about and along z) or the pitch of a screw along z.  `I` holds the
        spatial inertias (n, 6, 6) about the origin of each body's frame.  Featherstone (2).

        >>> import numpy as np
        >>> from sixvec import Model
        >>> step = np.eye(4)
        >>> step[0, 3] = 0.5
        >>> rod = np.diag([0.01, 0.01, 0.01, 1.0, 1.0, 1.0])
        >>> arm = Model.from_arrays([0, 1], [np.eye(4), step], ["Rz", "Ry"], [rod, rod])
        >>> arm.nv, arm.bodies[2].parent
        (2, 'body1')
        """
        from sixvec.arguments.checks import real_array
        from sixvec.model.arrays import bodies_from_arrays

        down = Vec3(*real_array("gravity", gravity, 3, batch=False, finite=True).tolist())
        return cls(name, bodies_from_arrays(parent, Xtree, joints, I, names), gravity=down)

    @lazy
    def nq(self) -> int:
        return sum(b.joint.nq for b in self.moving)

    @lazy
    def nv(self) -> int:
        """The number of velocities, the sum over the joints.  Featherstone (8)."""
        return sum(b.joint.nv for b in self.moving)

    @lazy
    def by_name(self) -> dict[str, Body]:
        return {b.name: b for b in self.bodies}

    @lazy
    def q_slices(self) -> dict[str, slice]:
        """The slice of each body's joint position in q."""
        return self._slices("nq")

    @lazy
    def v_slices(self) -> dict[str, slice]:
        """The slice of each body's joint velocity in v, a and tau."""
        return self._slices("nv")

    def _slices(self, count: str) -> dict[str, slice]:
        """Joints without coordinates have empty slices."""
        slices, start = {b.name: slice(0, 0) for b in self.bodies}, 0
        for b in self.moving:
            slices[b.name] = slice(start, start + getattr(b.joint, count))
            start = slices[b.name].stop
        return slices

    @lazy
    def moving(self) -> tuple[Body, ...]:
        """The bodies whose joint has coordinates, in order; mimic joints have none."""
        bodies = [self.by_name[name] for name in self.order] if self.order else self.bodies
        return tuple(b for b in bodies if b.joint.nv and not b.mimic)

    @lazy
    def _children(self) -> dict[str | None, tuple[Body, ...]]:
        children: dict[str | None, list[Body]] = {WORLD: []} | {b.name: [] for b in self.bodies}
        for b in self.bodies:
            children[b.parent].append(b)
        return {name: tuple(bodies) for name, bodies in children.items()}

    def children(self, name: str | None) -> tuple[Body, ...]:
        """μ(i): the bodies directly connected outward (Featherstone §Connectivity)."""
        return self._children[name]

    def path(self, name: str | None) -> tuple[Body, ...]:
        """κ(i): the bodies from the root to this one, whose joints move it."""
        bodies = []
        while name is not WORLD:
            bodies.append(self.by_name[name])
            name = bodies[-1].parent
        return tuple(reversed(bodies))

    def subtree(self, name: str) -> tuple[Body, ...]:
        """ν(i): this body and all its descendants."""
        inside = {name}
        for b in self.bodies:
            if b.parent in inside:
                inside.add(b.name)
        return tuple(b for b in self.bodies if b.name in inside)

    @lazy
    def _frame_by_name(self) -> dict[str, Frame]:
        return {f.name: f for f in self.frames}

    def frame(self, name: str) -> Frame:
        """The frame of that name, or an error that lists the frames."""
        try:
            return self._frame_by_name[name]
        except (KeyError, TypeError):
            names = [f.name for f in self.frames]
            bare = isinstance(name, str) and name in self.by_name
            hint = "; it is a body without a frame: give the model one" if bare else ""
            hint = "; a frame is given by its name, not by a number" if isinstance(name, int) else hint
            if hasattr(name, "__len__") and not isinstance(name, str):
                hint = "; a frame is given by its name: are the arguments swapped?"
            raise FrameNotFound(unknown("frame", name, names, self.name) + hint) from None

    @lazy
    def joint_by_name(self) -> dict[str, Body]:
        """The bodies whose joint moves, by the name of the joint; its own name where the joint has none."""
        joints = {b.name: b for b in self.bodies if b.joint.nv and not b.joint_name}
        return joints | {b.joint_name: b for b in self.bodies if b.joint.nv and b.joint_name}

    def keyframe(self, name: str) -> KeyframeState:
        """The state of that name as arrays `q`, `v`, `u` and `activation`, or an error that lists the keyframes."""
        for k in self.keyframes:
            if k.name == name:
                return k.state(self)
        raise ModelError(unknown("keyframe", name, [k.name for k in self.keyframes], self.name))

    @property
    def is_constrained(self) -> bool:
        """Whether closures or wheels restrict the motion of the tree."""
        return bool(self.closures or self.rolling)

    def __hash__(self) -> int:
        return hash(self._digest)  # cached: hashing all bodies costs 0.1 ms each time

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # derived values may differ in another process

    def with_gravity(self, gravity: Vec3) -> Model:
        return replace(self, gravity=gravity)

    @lazy
    def _digest(self) -> str:
        driven = (self.tendons, self.actuators) if self.tendons or self.actuators else ""
        return hashlib.sha256(f"{self!r}{driven}{self._wheels}".encode()).hexdigest()

    @property
    def _wheels(self) -> str:
        """The wheels in full."""
        return f"{[(wheel, wheel.shared) for wheel in self.rolling]}" if self.rolling else ""

    @lazy
    def fingerprint(self) -> str:
        """A hash of everything that can influence a result; the same in every process.

        A joint that is not the library's own, and a friction law, is code that may change under the same name: a model
        with one has a unique fingerprint.
        """
        return self._digest if self.is_known_by_its_data else f"{self._digest} {secrets.token_hex(16)}"

    @lazy
    def is_known_by_its_data(self) -> bool:
        """Whether all joints are the library's own, and no friction is a function."""
        if any(isinstance(p, FrictionLaw) for p in self.passive):
            return False
        joints = [*(b.joint for b in self.bodies), *(c.joint for c in self.closures if isinstance(c, Closure))]
        return all(type(joint).__module__.startswith("sixvec.") for joint in joints)


def _validate_joint(model: Model, b: Body) -> None:
    for kind in fields(b.dynamics):
        values = getattr(b.dynamics, kind.name)
        expected = b.joint.nq if kind.name == "rest" else b.joint.nv
        if values and len(values) != expected:
            raise ModelError(
                f'{model.name}: {kind.name} of body "{b.name}" has {len(values)} entries; its joint needs {expected}',
                body=b.name,
            )
    if b.mimic and b.joint.nv != 1:
        message = f'{model.name}: the joint of body "{b.name}" has {b.joint.nv} freedoms; only one can mimic'
        raise ModelError(message, body=b.name)


def _validate(model: Model) -> None:
    placed: set[str | None] = {WORLD}
    for b in model.bodies:
        if b.name in placed:
            raise ModelError(f'{model.name}: two bodies are named "{b.name}"; names must differ', body=b.name)
        if b.parent not in placed:
            known = ", ".join(str(n) for n in placed if n is not WORLD) or "none"
            raise ModelError(
                f'{model.name}: the parent "{b.parent}" of body "{b.name}" does not come before it; '
                f"parents come first, and the tree has no cycles (bodies so far: {known})",
                body=b.name,
            )
        if not b.is_finite:
            message = f'{model.name}: body "{b.name}" has a parameter that is not a finite number: {b.not_finite}'
            raise ModelError(message, body=b.name)
        placed.add(b.name)
        _validate_joint(model, b)
    names = [f.name for f in model.frames]
    if twice := {n for n in names if names.count(n) > 1} if len(set(names)) < len(names) else set():
        raise ModelError(f"{model.name}: frame names are not unique: {', '.join(sorted(twice))}")
    for f in model.frames:
        if f.body not in placed:
            raise ModelError(f'{model.name}: frame "{f.name}" is on the unknown body "{f.body}"')
    if model.order and sorted(model.order) != sorted(b.name for b in model.bodies):
        raise ModelError(f"{model.name}: the joint order must name every body once: {', '.join(model.order)}")
    if not all(map(_is_finite, model.gravity)):
        raise ModelError(f"{model.name}: gravity {tuple(model.gravity)} is not finite")
    if not 0.0 < model.loop_tolerance < 1.0:
        raise ModelError(f"{model.name}: loop_tolerance is {model.loop_tolerance!r}; it must be between 0 and 1")
    _validate_closures(model)
    _validate_rolling(model)
    if model.geoms:
        validate_geoms(model.geoms, model._frame_by_name, model.name)
    if model.passive:
        validate_passive(model.passive, model.by_name, model._frame_by_name, model.name)
    if model.tendons or model.actuators or model.keyframes:
        joints, frames = model.joint_by_name, model._frame_by_name
        validate_tendons(model.tendons, joints, frames, model.name)
        validate_actuators(model.actuators, joints, {t.name for t in model.tendons}, frames, model.name)
        validate_keyframes(model.keyframes, joints, {a.name for a in model.actuators}, model.name)
    if model.contact != NO_RULES:
        validate_rules(model.contact, model.geoms, model._frame_by_name, model.name)


def _validate_rolling(model: Model) -> None:
    freedoms: dict[str, int] = {}
    for b in model.moving if model.rolling else ():
        freedoms[b.joint_label] = freedoms.get(b.joint_label, 0) + b.joint.nv
    for wheel in model.rolling:
        if not isinstance(wheel, RollingFrame):
            raise ModelError(f"{model.name}: rolling holds {wheel!r}; it takes Rolling(…).at(frame)")
        model.frame(wheel.frame)
        if [w.frame for w in model.rolling].count(wheel.frame) > 1:
            raise ModelError(f'{model.name}: frame "{wheel.frame}" rolls twice')
        platform, *steering = wheel.shared.group.joints if wheel.shared else ("",)
        for joint, nv in ((platform, 3), *((name, 1) for name in steering)) if platform else ():
            if freedoms.get(joint) != nv:
                raise ModelError(
                    f'{model.name}: wheel "{wheel.frame}" shares slip with others by the joint "{joint}", which is '
                    "locked, missing or of another kind; sixvec.model.edits.without_rolling removes the wheels"
                )


def _is_finite(x: Scalar) -> bool:
    """Whether a number is finite; symbols pass."""
    try:
        return math.isfinite(x)
    except TypeError:
        return hasattr(x, "__truediv__")


def _validate_closures(model: Model) -> None:
    names = [c.name for c in model.closures]
    if len(set(names)) < len(names):
        raise ModelError(f"{model.name}: names of closures are not unique: {', '.join(sorted(names))}")
    for c in model.closures:
        if isinstance(c, Closure):
            model.frame(c.first)
            model.frame(c.second)
            if c.first == c.second:
                raise ModelError(
                    f'{model.name}: closure "{c.name}" connects frame "{c.first}" to itself; it needs two frames'
                )
            continue
        kind = type(c).__name__.lower()
        if not all(map(_is_finite, (c.offset, *(factor for _, factor in c.terms)))):
            raise ModelError(f'{model.name}: {kind} "{c.name}" has a ratio or offset that is not finite: {c}')
        if not any(factor for _, factor in c.terms):
            raise ModelError(f'{model.name}: {kind} "{c.name}" couples no joint; give a factor that is not zero')
        bodies = [name for name, _ in c.terms]
        for name in bodies:
            if bodies.count(name) > 1:
                raise ModelError(
                    f'{model.name}: {kind} "{c.name}" names the joint of "{name}" more than once; '
                    "each joint has one term",
                    body=name,
                )
            if name not in model.by_name:
                raise ModelError(unknown("body", name, model.by_name, model.name) + f' (in {kind} "{c.name}")')
            if model.by_name[name].joint.nv != 1:
                raise ModelError(
                    f'{model.name}: {kind} "{c.name}" couples the joint of "{name}", which has '
                    f"{model.by_name[name].joint.nv} freedoms; it needs joints with one",
                    body=name,
                )
