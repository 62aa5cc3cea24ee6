"""Quantities with tags: kind, axes, reference point, order and units, checked by every operation.

The tags are Python strings and classes, not numbers: they are checked while a program is traced and leave nothing in
the compiled code.  Bruyninckx §1.1, §4.4: one physical quantity has many representations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar, get_args

from sixvec.errors import ArgumentError, FrameError, unknown
from sixvec.scalar import Scalar
from sixvec.spatial.pose import InversePose, Pose
from sixvec.spatial.unit_system import SI, UnitSystem
from sixvec.spatial.vector import Vec3

T = TypeVar("T")

Order = Literal["angular_first", "linear_first"]
"""The order of the two 3-vectors of a six-vector in an array; it has no physical meaning."""

Kind = Literal["spatial acceleration", "classical acceleration"]
"""What a Motion measures if it is not a velocity; `acceleration_in_kind` of `geometry.rigid_body` converts."""

WORLD = "world"
"""The name that `reference_tags` uses for the world frame."""


def reference_tags(frame: str, reference: str) -> tuple[str, str]:
    """(axes, point) of the results of `robot.velocity` and similar methods for a frame in one of their references.

    >>> reference_tags("tool0", "local_world_aligned")
    ('world', 'tool0')
    """
    tags = {"local": (frame, frame), "world": (WORLD, WORLD), "local_world_aligned": (WORLD, frame)}
    if reference not in tags:
        raise ArgumentError(unknown("reference", reference, tags))
    return tags[reference]


@dataclass(frozen=True, slots=True, repr=False)
class Tagged(Generic[T]):
    """A value with the frame whose `axes` it follows, its reference `point`, its `order` as an array, and its `units`.

    A twist with the axes of "world" and the point "tool" is a pose twist of the tool; with both "world" a screw twist;
    with both "tool" a body twist (Bruyninckx §4.2.2).  Free vectors have no point (None), and `kind` names the measured
    quantity where the type of the value is ambiguous.  Only quantities with the same tags add, pair or cross;
    `in_axes`, `at_point`, `in_order` and `in_units` change one tag, and the numbers with it.  `from_array` and
    `as_array` convert from and to arrays.  Bruyninckx (4.14).

    >>> from sixvec.spatial import Motion, Tagged
    >>> a = Tagged(Motion.zero(), axes="world", point="world")
    >>> b = Tagged(Motion.zero(), axes="world", point="tool")
    >>> a + b
    Traceback (most recent call last):
    ...
    sixvec.errors.FrameError: cannot add Motion[axes world, point world] and Motion[axes world, point tool]
    """

    value: T
    axes: str
    point: str | None = None
    order: Order = "angular_first"
    units: UnitSystem = SI
    kind: Kind | None = None

    def __post_init__(self) -> None:
        if self.kind not in (None, *get_args(Kind)):
            raise ArgumentError(unknown("kind", str(self.kind), get_args(Kind)))
        if self.order not in get_args(Order):
            raise ArgumentError(unknown("order", self.order, get_args(Order)))
        if self.order == "linear_first" and not hasattr(self.value, "linear_first"):
            raise FrameError(f"a {type(self.value).__name__} has no linear part to put first")

    @classmethod
    def from_array(
        cls, kind: type[T], six: Iterable[Scalar], axes: str, point: str,
        order: Order = "angular_first", units: UnitSystem = SI,
    ) -> Tagged[T]:  # fmt: skip
        """Six numbers in the given order and units, as a motion or force.

        >>> from sixvec.spatial import Motion, Tagged, UnitSystem
        >>> V = Tagged.from_array(Motion, [300.0, 0.0, 0.0, 0.0, 0.0, 1.0], "world", "tool", "linear_first",
        ...                       UnitSystem("mm"))
        >>> V.value.ang.z, V.in_units(UnitSystem()).value.lin.x
        (1.0, 0.3)
        """
        makers: Any = kind
        make = makers.from_linear_first if order == "linear_first" else makers.of
        return cls(make(six), axes, point, order, units)

    def as_array(self) -> list[Scalar]:
        """The numbers in the order of the tag, in the units of the tag."""
        return list(self)

    def __str__(self) -> str:
        place = "" if self.point is None else f", point {self.point}"
        order = "" if self.order == "angular_first" else ", linear first"
        units = "" if self.units == SI else f", in {self.units}"
        return f"{self.kind or type(self.value).__name__}[axes {self.axes}{place}{order}{units}]"

    def __repr__(self) -> str:
        order = "" if self.order == "angular_first" else f", order={self.order!r}"
        units = "" if self.units == SI else f", units={self.units!r}"
        kind = "" if self.kind is None else f", kind={self.kind!r}"
        return f"Tagged(value={self.value!r}, axes={self.axes!r}, point={self.point!r}{order}{units}{kind})"

    def __iter__(self) -> Iterator[Any]:
        value: Any = self.value
        return iter(value.linear_first if self.order == "linear_first" else value)

    def __add__(self, other: Tagged[T]) -> Tagged[T]:
        a, b = self._pair(other, "add")
        return self._with(a + b)

    def __sub__(self, other: Tagged[T]) -> Tagged[T]:
        a, b = self._pair(other, "subtract")
        return self._with(a - b)

    def __neg__(self) -> Tagged[T]:
        value: Any = self.value
        return self._with(-value)

    def __mul__(self, k: Scalar) -> Tagged[T]:
        value: Any = self.value
        return self._with(value * k)

    __rmul__ = __mul__

    def dot(self, other: Tagged[Any]) -> Scalar:
        """The scalar product or power of two quantities with the same tags."""
        self._check(other, "pair")
        value: Any = self.value
        return value.dot(other.value)

    def cross(self, other: Tagged[Any]) -> Tagged[Any]:
        """The vector product or Lie bracket of two quantities with the same tags."""
        self._check(other, "cross")
        value: Any = self.value
        return self._with(value.cross(other.value))

    def at_point(self, name: str, r: Tagged[Vec3]) -> Tagged[T]:
        """The same quantity with the reference point `name`, at the displacement r from the present one."""
        if r.axes != self.axes:
            raise FrameError(f"cannot shift {self} by {r}: the axes differ")
        if r.units != self.units:
            raise FrameError(f"cannot shift {self} by {r}: their units differ")
        self.check_movable()
        value: Any = self.value
        return replace(self, value=value.shifted(r.value), point=name)

    def in_axes(self, X: TaggedPose) -> Tagged[T]:
        """The same quantity in the axes of another frame, its reference point unchanged: blkdiag(R, R).

        Bruyninckx (4.16), (4.17).
        """
        if X.source != self.axes:
            raise FrameError(f"cannot turn {self} with {X}, which needs axes {X.source}")
        value: Any = self.value
        turned = X.pose.rot @ value if self.point is None else Pose(X.pose.rot, Vec3.zero()) @ value
        return replace(self, value=turned, axes=X.target)

    def in_order(self, order: Order) -> Tagged[T]:
        """The same quantity with its array in the other order."""
        return replace(self, order=order)

    def in_units(self, units: UnitSystem) -> Tagged[T]:
        """The same quantity in other units.

        >>> from sixvec.spatial import Force, Tagged, UnitSystem, Vec3
        >>> push = Tagged(Force(Vec3(0.0, 0.0, 2.0), Vec3(5.0, 0.0, 0.0)), "world", "tool")
        >>> print(push.in_units(UnitSystem("mm", "t")), push.in_units(UnitSystem("mm", "t")).value.ang.z)
        Force[axes world, point tool, in mm, t, s] 2000.0
        """
        return replace(self, value=self.units.converted(self.value, units), units=units)

    def check_movable(self) -> None:
        """Raise an error: the value of the quantity at another point needs more than these numbers."""
        if self.kind == "classical acceleration":
            raise FrameError(
                f"{self} cannot change its point without the angular velocity; "
                "move an AccelerationField, or the spatial acceleration"
            )

    def _with(self, value: T) -> Tagged[T]:
        return replace(self, value=value)

    def _pair(self, other: Tagged[T], verb: str) -> tuple[Any, Any]:
        if isinstance(other, Tagged) and type(self.value) is not type(other.value):
            raise FrameError(f"cannot {verb} {self} and {other}: they are of different kinds")
        self._check(other, verb)
        return self.value, other.value

    def _check(self, other: Tagged[Any], verb: str) -> None:
        if not isinstance(other, Tagged):
            raise FrameError(f"cannot {verb} {self} and an untagged {type(other).__name__}")
        if self._tags() != other._tags():
            raise FrameError(f"cannot {verb} {self} and {other}")

    def _tags(self) -> tuple[Any, ...]:
        return self.axes, self.point, self.order, self.units, self.kind


@dataclass(frozen=True, slots=True)
class TaggedPose:
    """The pose `X_AB` of frame B = `source` in frame A = `target`; it acts on what is tagged with B and its units.

    >>> from sixvec.spatial import Pose, TaggedPose, Vec3
    >>> X_WA = TaggedPose(Pose.translation(Vec3(1.0, 0.0, 0.0)), "W", "A")
    >>> X_AB = TaggedPose(Pose.translation(Vec3(0.0, 1.0, 0.0)), "A", "B")
    >>> print(X_WA @ X_AB)
    Pose[of B in W]
    >>> X_AB @ X_WA
    Traceback (most recent call last):
    ...
    sixvec.errors.FrameError: cannot apply Pose[of B in A] to Pose[of A in W]: B is not W
    """

    pose: Pose | InversePose
    target: str
    source: str
    units: UnitSystem = SI

    def __str__(self) -> str:
        units = "" if self.units == SI else f", in {self.units}"
        return f"Pose[of {self.source} in {self.target}{units}]"

    def inv(self) -> TaggedPose:
        return TaggedPose(self.pose.inv(), self.source, self.target, self.units)

    def in_units(self, units: UnitSystem) -> TaggedPose:
        """The same pose with its position in other units."""
        pose = self.pose.as_pose() if isinstance(self.pose, InversePose) else self.pose
        return TaggedPose(self.units.converted(pose, units), self.target, self.source, units)

    def __matmul__(self, other: Any) -> Any:
        """Compose, or move: a free vector is rotated; both tags of anything else must equal `source`."""
        if isinstance(other, TaggedPose):
            self._check(other, other.target)
            return TaggedPose(self.pose @ other.pose, self.target, other.source, self.units)
        if not isinstance(other, Tagged):
            raise FrameError(f"cannot apply {self} to an untagged {type(other).__name__}")
        self._check(other, other.axes)
        if other.point is None:
            return other.in_axes(self)
        self._check(other, other.point)
        other.check_movable()
        return replace(other, value=self.pose @ other.value, axes=self.target, point=self.target)

    def _check(self, other: Tagged[Any] | TaggedPose, inner: str) -> None:
        if other.units != self.units:
            raise FrameError(f"cannot apply {self} to {other}: their units differ; convert one with in_units")
        if inner != self.source:
            raise FrameError(f"cannot apply {self} to {other}: {self.source} is not {inner}")
