"""The interface of every joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from sixvec.scalar import Scalar
from sixvec.spatial import Mat3, Motion, Pose, RigidInertia, Vec3

Coordinates = Sequence[Scalar]
X_AXIS, Y_AXIS, Z_AXIS = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)

_SIX = 6
_TURNS = 3

UNLIMITED = 1e5
"""Ranges wider than this, in rad or m, limit nothing: files that need a number write such ones."""


class Joint(Protocol):
    """A joint lets a body move relative to its parent.

    The joint frame is the body's frame at the neutral position.  `pose(q)` is the pose of the body in the joint frame;
    `subspace(q)` the columns of S, in body coordinates: the body's velocity relative to its parent is S v.

    The defaults fit joints whose position is a plain vector with q̇ = v and whose S is constant in the body.
    """

    nq: ClassVar[int]
    nv: ClassVar[int]
    angular: ClassVar[tuple[bool, ...]] = ()
    """For each position coordinate, whether it is an angle (its natural range is then one turn)."""

    quaternion: ClassVar[slice | None] = None
    """The indices of a unit quaternion among the coordinates, if there is one."""

    position: ClassVar[slice | None] = None
    """The indices of the origin's position that accompanies a quaternion, in the axes of the joint frame."""

    freedoms: ClassVar[tuple[str, ...]] = ()
    """Short names of the velocity coordinates of a joint with several."""

    units: ClassVar[str] = "rad"
    """What the coordinates are, with units: a comment in generated code."""

    @property
    def kind(self) -> str:
        """The name of the joint type in messages."""
        return type(self).__name__.lower()

    @property
    def is_fixed(self) -> bool:
        """Whether the joint leaves no freedom."""
        return self.nv == 0

    @property
    def is_free(self) -> bool:
        """Whether the joint leaves all six freedoms: it transmits no force, and no motor can drive it."""
        return self.nv == _SIX

    @property
    def periodic(self) -> tuple[bool, ...]:
        """For each position coordinate, whether the pose repeats after a turn of 2π."""
        return self.angular or (False,) * self.nq

    @property
    def screws(self) -> tuple[Motion, ...]:
        """The columns of S at the neutral position, where the frames of joint and body coincide."""
        return self.subspace(self.neutral())

    @property
    def rotation_axes(self) -> tuple[Vec3, ...]:
        """The axes of the freedoms that turn the body, at the neutral position."""
        return tuple(s.ang for s in self.screws if s.ang != Vec3.zero())

    @property
    def keeps_origin(self) -> bool:
        """Whether the body only turns about the joint's origin, or does not move."""
        return all(s.lin == Vec3.zero() for s in self.screws)

    @property
    def is_translation(self) -> bool:
        """Whether the joint has one freedom that does not turn the body."""
        return self.nv == 1 and not self.rotation_axes

    @property
    def is_rotation(self) -> bool:
        """Whether the joint has one freedom, a turn about an axis through its origin."""
        return self.nv == 1 and self.keeps_origin

    @property
    def is_ball(self) -> bool:
        """Whether the joint has three freedoms, the turns about its origin."""
        return self.nv == _TURNS and self.keeps_origin

    def pose(self, q: Coordinates) -> Pose: ...

    def subspace(self, q: Coordinates) -> tuple[Motion, ...]:
        """The columns of S in body coordinates: V = S v, τ = Sᵀ F, so τ·v is the power F·V.  Featherstone (5)-(7)."""

    def bias(self, q: Coordinates, v: Coordinates) -> Motion:
        """Ṡ v, the apparent derivative in body coordinates: zero unless S depends on q."""
        return Motion.zero()

    def rate(self, q: Coordinates, v: Coordinates) -> Coordinates:
        """q̇ at velocity v."""
        return v

    def integrate(self, q: Coordinates, v: Coordinates) -> Coordinates:
        """q ⊕ v: the position after moving with constant v for unit time."""
        return [a + b for a, b in zip(q, v, strict=True)]

    def difference(self, q0: Coordinates, q1: Coordinates) -> Coordinates:
        """q1 ⊖ q0: the v with q0 ⊕ v = q1."""
        return [b - a for a, b in zip(q0, q1, strict=True)]

    def bracket(self, u: Coordinates, v: Coordinates) -> Coordinates:
        """[u, v] in the Lie algebra of the positions: how moving by u and by v fail to commute."""
        return [0.0] * self.nv

    def neutral(self) -> tuple[float, ...]:
        return (0.0,) * self.nq

    def sample(self, rng: np.random.Generator, lower: Any, upper: Any, shape: tuple[int, ...]) -> Any:
        """Random positions (*shape, nq) within limits; unlimited angles cover a turn, unlimited lengths ±1 m.

        A range wider than `UNLIMITED` is that of a joint without limits; of it, the part nearest to zero is covered.
        """
        reach = np.where(self.angular, np.pi, 1.0)
        half = np.asarray(upper, float) / 2 - np.asarray(lower, float) / 2  # the full width may overflow
        wide = np.isfinite(half) & (half > UNLIMITED / 2)
        near = np.where(wide, np.clip(0.0, lower + reach, upper - reach), 0.0)
        lower = np.where(wide, np.maximum(lower, near - reach), lower)
        upper = np.where(wide, np.minimum(upper, near + reach), upper)
        lo = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * reach, -reach))
        hi = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2 * reach, reach))
        return rng.uniform(lo, hi, (*shape, self.nq))

    def elementary(self) -> tuple[tuple[Pose, Joint], ...]:
        """The same joint as a chain of (placement, joint) whose subspaces are constant and axes on +z.

        A trailing placement that turns the last body back to this joint's body frame has joint `Fixed`.
        """
        return ((Pose.identity(), self),)

    def with_pitch(self, pitch: Scalar) -> Joint:
        """The same joint with another pitch, in metres per radian; joints without a pitch are unchanged."""
        return self

    def reversed(self) -> Joint | None:
        """The motion of the parent relative to the body, with the same coordinates; None if no joint describes it."""
        return None

    def reversed_backward(self) -> Joint | None:
        """The motion of the parent relative to the body, with the coordinates in the opposite order, if `reversed`
        cannot describe it; None if no joint does."""
        return None

    def mirrored(self, H: Mat3) -> Joint | None:
        """The joint reflected by the matrix H, with the same coordinates; None if no joint describes it.

        A reflection takes directions u to H u and axes of rotation w to -H w.
        """
        return None

    def transferable(self, inertia: RigidInertia) -> RigidInertia:
        """The part of the body's inertia that may be welded to the parent without changing the dynamics.

        It must be the same in the parent's coordinates at every q, and the joint must not accelerate it.  Only
        elementary joints need this.
        """
        return RigidInertia.zero()
