"""Joints of SDF: motion, limits, and passive forces (sdformat.org, specification of <joint>)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sixvec.formats.doctor import joints, units
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt, attempt_each, examine, raise_or_note
from sixvec.formats.sdf.elements import SDF, flag
from sixvec.formats.sdf.places import MODEL_FRAME, Places, Scope
from sixvec.formats.unsupported import made
from sixvec.model import JointDynamics, Limits
from sixvec.model.joints import Fixed, Helical, Joint, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Vec3

AXES = {
    "revolute": ("axis",),
    "continuous": ("axis",),
    "prismatic": ("axis",),
    "screw": ("axis",),
    "universal": ("axis", "axis2"),
    "revolute2": ("axis", "axis2"),
    "ball": (),
    "fixed": (),
}
"""For each type of joint, the elements that give its axes."""

ONE_COORDINATE = tuple(kind for kind, axes in AXES.items() if len(axes) == 1)

LONGEST_LIMIT = 1e16
"""Larger bounds mean unlimited: the default of versions before 1.10, like a negative effort or velocity."""

AXES_IN_MODEL = (1, 4)
"""The last version that gives joint axes in the frame of the model; later ones give them in the joint's."""


@dataclass(frozen=True)
class Motion:
    """How a joint moves, and its passive forces."""

    joint: Joint
    limits: Limits = Limits()  # noqa: RUF009 - frozen
    dynamics: JointDynamics = JointDynamics()  # noqa: RUF009 - frozen
    is_limited: bool = field(default=False, compare=False)
    """Whether the file gives a bound of the position."""

    @property
    def turned(self) -> Motion:
        """The reversed joint, with the same coordinates (universal: in the opposite order)."""
        backward = self.joint.reversed_backward()
        if backward is None:
            return replace(self, joint=self.joint.reversed() or self.joint)
        held = self.limits
        limits = Limits(held.lower[::-1], held.upper[::-1], held.velocity[::-1], held.effort[::-1])
        dynamics = JointDynamics(*(values[::-1] for values in _values(self.dynamics)))
        return Motion(backward, limits, dynamics)


def _values(record: JointDynamics) -> list[tuple[float, ...]]:
    return [getattr(record, name) for name in record.__dataclass_fields__]


def read_motion(node: Node, key: str, scope: Scope, places: Places, version: tuple[int, ...]) -> Motion:
    """The motion of a <joint> whose frame has that key."""
    kind = node.text("type", f"give one of {', '.join(AXES)}, gearbox")
    if kind not in AXES:
        raise node.unknown("joint type", kind, AXES, "SDF")
    tags = [attempt(None, node.required, tag, f"add <{tag}> with its <xyz>") for tag in AXES[kind]]
    axes = [axis for axis in tags if axis is not None]
    directions = [attempt(None, _direction, axis, key, scope, places, version) for axis in axes]
    slope = attempt(0.0, pitch, node) if kind == "screw" else 0.0
    joint: Joint = Fixed()
    if None not in (*tags, *directions):
        first = axes[0].child("xyz") or axes[0] if axes else node
        joint = attempt(joint, made, first, _joint, kind, directions, slope)
    limits, is_limited = _limits(axes, kind)
    return Motion(joint, limits, attempt(JointDynamics(), _dynamics, axes), is_limited)


def _joint(kind: str, axes: list[Vec3], slope: float) -> Joint:
    made: dict[str, Callable[..., Joint]] = {
        "prismatic": Prismatic,
        "screw": lambda axis: Helical(axis, slope),
        "universal": Universal,
        "revolute2": Universal,
        "ball": Spherical,
        "fixed": Fixed,
    }
    return made.get(kind, Revolute)(*axes)


def pitch(node: Node) -> float:
    """Metres per radian of a screw.

    <screw_thread_pitch> is metres per turn of a right-handed screw; the older <thread_pitch> is radians per metre, and
    positive for a left-handed one.
    """
    old = node.child("thread_pitch")
    if old is None or node.child("screw_thread_pitch") is not None:
        return node.number_in("screw_thread_pitch", 1.0) / (2.0 * math.pi)
    value = old.content_numbers(1)[0]
    if value == 0.0 or not math.isfinite(1.0 / value):
        raise old.error(f"{value} radians per metre is not a screw", "give another number, or a prismatic joint")
    return -1.0 / value


def _direction(axis: Node, key: str, scope: Scope, places: Places, version: tuple[int, ...]) -> Vec3:
    """The direction of an axis in the frame of its joint."""
    xyz = axis.child("xyz")
    direction = Vec3(0.0, 0.0, 1.0) if xyz is None else Vec3.of(xyz.content_numbers(3))
    in_model = version <= AXES_IN_MODEL or flag(axis, "use_parent_model_frame")
    name = (xyz.attributes.get("expressed_in") if xyz is not None else None) or (MODEL_FRAME if in_model else "")
    if not name:
        return direction
    frame = scope.frame if name == MODEL_FRAME else attempt(key, places.find, scope, name, xyz or axis)
    return places.between(key, frame).rot @ direction


FREE = (-math.inf, math.inf, math.inf, math.inf)
"""Lower, upper, velocity and effort where nothing limits a coordinate."""


def _limits(axes: list[Node], kind: str) -> tuple[Limits, bool]:
    """The limits, and whether the file gives a bound of the position."""
    of_axes = [_axis_limits(axis, kind) for axis in axes]
    columns = list(zip(*(limits for limits, _ in of_axes), strict=True)) or [()] * 4
    finite = [() if all(x == none for x in column) else column for column, none in zip(columns, FREE, strict=True)]
    if finite[0] or finite[1]:
        finite[:2] = columns[:2]
    lower, upper, velocity, effort = finite
    return Limits(lower, upper, velocity, effort), any(is_given for _, is_given in of_axes)


def _axis_limits(axis: Node, kind: str) -> tuple[tuple[float, ...], bool]:
    limit = axis.child("limit")
    if limit is None:
        return FREE, False
    lower, upper = (_bound(limit, tag, missing) for tag, missing in (("lower", -math.inf), ("upper", math.inf)))
    effort, velocity = (_bound(limit, tag, math.inf) for tag in ("effort", "velocity"))
    is_given = _examine(limit, kind, (lower, upper), effort, velocity)
    if lower > upper:
        raise_or_note(limit.error(f"lower={lower} is above upper={upper}", "give lower ≤ upper"))
    endless = kind == "continuous"
    limits = (
        -math.inf if endless or lower <= -LONGEST_LIMIT else lower,
        math.inf if endless or upper >= LONGEST_LIMIT else upper,
        math.inf if velocity < 0.0 or velocity >= LONGEST_LIMIT else velocity,
        math.inf if effort < 0.0 or effort >= LONGEST_LIMIT else effort,
    )
    return limits, is_given


def _bound(limit: Node, tag: str, missing: float) -> float:
    return attempt_each(missing, limit.number_in, tag, missing, infinite=True)


def _examine(limit: Node, kind: str, bounds: tuple[float, float], effort: float, velocity: float) -> bool:
    """Apply the rules of the check; whether a bound is given.  Huge bounds and negative efforts mean unlimited."""
    lower, upper = (None if abs(x) >= LONGEST_LIMIT else x for x in bounds)
    given = [x for x in (lower, upper) if x is not None]
    if kind not in ONE_COORDINATE or not given:
        return False
    largest = (None if x < 0.0 or math.isinf(x) else x for x in (effort, velocity))
    examine(joints.joint_can_be_driven, limit, *largest)
    if kind == "prismatic":
        examine(units.slide_is_metres, limit, given, SDF)
    elif kind != "continuous":
        examine(units.turn_is_radians, limit, given)
    if kind != "continuous":
        examine(joints.range_is_not_empty, limit, lower, upper)
    return True


def _dynamics(axes: list[Node]) -> JointDynamics:
    names = ("damping", "friction", "spring_stiffness")
    table = {name: tuple(attempt(0.0, _term, axis, name) for axis in axes) for name in names}
    damping, friction, stiffness = (values if any(values) else () for values in table.values())
    rest = tuple(_term(axis, "spring_reference", signed=True) for axis in axes) if stiffness else ()
    return JointDynamics((), damping, friction, stiffness, rest if any(rest) else ())


def _term(axis: Node, name: str, *, signed: bool = False) -> float:
    dynamics = axis.child("dynamics")
    if dynamics is None:
        return 0.0
    value = dynamics.number_in(name, 0.0)
    return value if signed else dynamics.not_negative(name, value)
