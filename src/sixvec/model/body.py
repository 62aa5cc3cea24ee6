"""Bodies and frames: the parts of a robot."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from sixvec.errors import ModelError
from sixvec.model.joints import Fixed, Joint
from sixvec.model.surface import SOLIMP, SOLREF
from sixvec.spatial import FactoredPose, Motion, Pose, RigidInertia

WORLD = None
"""The parent of a root body."""


@dataclass(frozen=True, slots=True)
class SoftLimit:
    """How softly MuJoCo enforces the limits of a joint: from `margin` before them on, with these parameters.

    >>> from sixvec.model import SoftLimit
    >>> SoftLimit(margin=0.01).solref
    (0.02, 1.0)
    """

    margin: float = 0.0
    solref: tuple[float, ...] = SOLREF
    solimp: tuple[float, ...] = SOLIMP


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one joint, an entry per coordinate; an empty tuple means unlimited.

    >>> from sixvec.model import Limits
    >>> Limits(lower=(-2.0,), upper=(2.0,), velocity=(3.0,), effort=(50.0,)).upper
    (2.0,)
    """

    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    velocity: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()
    soft: SoftLimit | None = field(default=None, repr=False)
    """How soft the file says they are; rigid limits do not use it."""


@dataclass(frozen=True, slots=True)
class JointDynamics:
    """Forces on a joint besides those of the bodies, an entry per velocity coordinate; an empty tuple means none.

    `armature` is the inertia of rotors and gears reflected to the joint (rotor inertia times gear ratio squared); it
    adds ½ armature v² to the kinetic energy.  `damping` and `friction` are viscous and Coulomb friction, and a spring
    of `stiffness` pulls towards the position `rest` (per position coordinate, neutral if empty).

    >>> from sixvec.model import JointDynamics
    >>> JointDynamics(armature=0.5)
    Traceback (most recent call last):
    sixvec.errors.ModelError: armature=0.5 must be a tuple with one number per freedom of the joint, such as (0.5,)
    """

    armature: tuple[float, ...] = ()
    damping: tuple[float, ...] = ()
    friction: tuple[float, ...] = ()
    stiffness: tuple[float, ...] = ()
    rest: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for f in fields(self):
            values = getattr(self, f.name)
            if not isinstance(values, tuple):
                object.__setattr__(self, f.name, _entries(f.name, values))


def _entries(name: str, values: Any) -> tuple[float, ...]:
    """Any sequence as a tuple; a single number does not determine the number of freedoms of the joint."""
    try:
        if not isinstance(values, str):
            return tuple(values)
    except TypeError:
        pass
    per = "position coordinate" if name == "rest" else "freedom"
    raise ModelError(f"{name}={values} must be a tuple with one number per {per} of the joint, such as ({values},)")


@dataclass(frozen=True, slots=True)
class Mimic:
    """A joint that follows another:  q = multiplier · q_leader + offset.  `leader` is the name of the leader's body.

    >>> from sixvec.model import Mimic
    >>> Mimic("left_finger", multiplier=-1.0).offset
    0.0
    """

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body and the joint that connects it to its parent.

    `placement` is the joint frame in the parent's frame; the joint then moves the body in the joint frame.
    The inertia is given in the body's own frame.
    """

    name: str
    parent: str | None = WORLD
    joint: Joint = field(default_factory=Fixed)
    placement: Pose = field(default_factory=Pose.identity)
    inertia: RigidInertia = field(default_factory=RigidInertia.zero)
    joint_name: str = ""
    limits: Limits = field(default_factory=Limits)
    dynamics: JointDynamics = field(default_factory=JointDynamics)
    mimic: Mimic | None = None

    @property
    def joint_label(self) -> str:
        """The name of the joint; that of the body where it has none."""
        return self.joint_name or self.name

    @property
    def armature(self) -> tuple[float, ...]:
        """Reflected rotor inertia of each velocity coordinate."""
        return self.dynamics.armature or (0.0,) * self.joint.nv

    # The joint in the recursions of algorithms/: q, v and a are indexed by body and give its joint's coordinates.

    def pose_in_parent(self, q: Any) -> FactoredPose:
        """X_PB: the constant placement, then the joint (Featherstone (3)).  Bruyninckx (5.9)."""
        return FactoredPose(self.placement, self.joint.pose(q[self]))

    def subspace(self, q: Any) -> tuple[Motion, ...]:
        """The columns of S, in body coordinates."""
        return self.joint.subspace(q[self])

    def joint_velocity(self, q: Any, v: Any) -> Motion:
        """vJ = S v (Featherstone (5))."""
        return sum((S * rate for S, rate in zip(self.subspace(q), v[self], strict=True)), Motion.zero())

    def joint_acceleration(self, q: Any, v: Any, a: Any) -> Motion:
        """The derivative of vJ in body coordinates: S a + Ṡ v."""
        return self.joint_velocity(q, a) + self.joint.bias(q[self], v[self])

    def numbers(self) -> Iterator[float]:
        """Every parameter that must be a finite number."""
        yield from self.placement.rot.matrix
        yield from self.placement.pos
        yield from self.inertia
        for value in vars(self.joint).values():
            yield from [value] if isinstance(value, int | float) else value
        for values in (getattr(self.dynamics, f.name) for f in fields(self.dynamics)):
            yield from values
        if self.mimic is not None:
            yield from (self.mimic.multiplier, self.mimic.offset)

    @property
    def is_finite(self) -> bool:
        """Whether no parameter is infinite or not a number; symbols pass."""
        try:
            return all(map(math.isfinite, self.numbers()))
        except TypeError:
            return all(math.isfinite(x) for x in self.numbers() if isinstance(x, int | float))

    @property
    def not_finite(self) -> str:
        """The first field with a number that is infinite or NaN, as text for an error; "" if there is none.

        >>> import math
        >>> from sixvec.model import Body, JointDynamics
        >>> Body("arm", dynamics=JointDynamics(damping=(math.nan,))).not_finite
        'its dynamics.damping is nan'
        """
        parts: dict[str, Iterable[Any]] = {
            "placement": (*self.placement.rot.matrix, *self.placement.pos),
            "inertia.mass": (self.inertia.mass,),
            "inertia.moment": self.inertia.moment,
            "inertia.rot": self.inertia.rot,
        }
        parts |= {f"joint.{k}": [x] if isinstance(x, int | float) else x for k, x in vars(self.joint).items()}
        parts |= {f"dynamics.{f.name}": getattr(self.dynamics, f.name) for f in fields(self.dynamics)}
        if self.mimic is not None:
            parts |= {"mimic.multiplier": (self.mimic.multiplier,), "mimic.offset": (self.mimic.offset,)}
        for name, values in parts.items():
            numbers = [x for x in values if isinstance(x, int | float)]
            if not all(map(math.isfinite, numbers)):
                return f"its {name} is {', '.join(f'{x:g}' for x in numbers)}"
        return ""


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame on a body (or, with body None, on the world)."""

    name: str
    body: str | None
    placement: Pose = field(default_factory=Pose.identity)
