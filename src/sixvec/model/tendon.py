"""Tendons: cables whose length depends on the position of the robot.

They are data: actuators pull on them, and their forces are not part of the dynamics of the joints.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise

from sixvec.errors import ModelError, unknown
from sixvec.model.body import Body
from sixvec.spatial import Pose

Names = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class TendonForces:
    """The passive properties of a tendon; nothing by default.

    A spring of `stiffness` acts outside the lengths `rest` (lower and upper end of the slack); None is the length at
    the position of the file.  `lower` and `upper` limit the length.

    >>> from sixvec.model import TendonForces
    >>> TendonForces(upper=0.4).lower
    -inf
    """

    lower: float = -math.inf
    upper: float = math.inf
    stiffness: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    rest: tuple[float, float] | None = None

    @property
    def present(self) -> tuple[str, ...]:
        """The names of the forces that are not zero."""
        return tuple(name for name in ("stiffness", "damping", "friction", "armature") if getattr(self, name))


@dataclass(frozen=True, slots=True)
class FixedTendon:
    """A length that is a sum of joint positions,  offset + Σ factor · q.  Joints are named by themselves.

    >>> from sixvec.model import FixedTendon
    >>> FixedTendon("coupling", (("hip", 1.0), ("knee", -0.5))).joints
    ('hip', 'knee')
    """

    name: str
    terms: tuple[tuple[str, float], ...]
    offset: float = 0.0
    forces: TendonForces = field(default_factory=TendonForces)

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(joint for joint, _ in self.terms)

    @property
    def frames(self) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class ViaPoint:
    """The origin of a frame through which a tendon passes.

    >>> from sixvec.model import ViaPoint
    >>> ViaPoint("wrist").frame
    'wrist'
    """

    frame: str


@dataclass(frozen=True, slots=True)
class Wrap:
    """A sphere, or an infinite cylinder about z, over which a tendon runs between two via points if it is in the way.

    It has the pose `placement` in `frame`.  The tendon passes on the side of the origin of the frame `side`, and
    inside the shape if that origin is inside; without it the tendon takes the shorter way.

    >>> from sixvec.model import Wrap
    >>> Wrap("elbow", 0.03, cylinder=True).side is None
    True
    """

    frame: str
    radius: float
    cylinder: bool
    placement: Pose = field(default_factory=Pose.identity)
    side: str | None = None
    name: str = ""
    """That of the shape in the file."""


@dataclass(frozen=True, slots=True)
class Pulley:
    """The end of one branch of a tendon and the start of another.

    The lengths of what follows count divided by `divisor`.

    >>> from sixvec.model import Pulley
    >>> Pulley(2.0).divisor
    2.0
    """

    divisor: float


PathElement = ViaPoint | Wrap | Pulley


@dataclass(frozen=True, slots=True)
class SpatialTendon:
    """A tendon along the shortest way through points of bodies and over shapes.

    >>> from sixvec.model import SpatialTendon, ViaPoint, Wrap
    >>> SpatialTendon("biceps", (ViaPoint("shoulder"), Wrap("elbow", 0.03, True), ViaPoint("forearm"))).frames
    ('shoulder', 'elbow', 'forearm')
    """

    name: str
    path: tuple[PathElement, ...]
    forces: TendonForces = field(default_factory=TendonForces)

    @property
    def joints(self) -> tuple[str, ...]:
        return ()

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames that its path needs."""
        frames: list[str] = []
        for element in self.path:
            match element:
                case ViaPoint(frame):
                    frames.append(frame)
                case Wrap():
                    frames += [element.frame, *([element.side] if element.side else ())]
        return tuple(frames)


Tendon = FixedTendon | SpatialTendon


def renamed_tendon(t: Tendon, name: Names, joint: Names, frame: Names) -> Tendon:
    """The same tendon with other names of itself, of joints and of frames."""
    if isinstance(t, FixedTendon):
        return replace(t, name=name(t.name), terms=tuple((joint(j), factor) for j, factor in t.terms))
    return replace(t, name=name(t.name), path=tuple(_renamed(element, frame) for element in t.path))


def _renamed(element: PathElement, frame: Names) -> PathElement:
    match element:
        case ViaPoint(name):
            return ViaPoint(frame(name))
        case Wrap():
            return replace(element, frame=frame(element.frame), side=frame(element.side) if element.side else None)
    return element


def validate_tendons(
    tendons: Collection[Tendon], joints: Mapping[str, Body], frames: Collection[str], where: str
) -> None:
    """Raise for joints and frames that do not exist, numbers that are not finite, and paths that lead nowhere."""
    names: set[str] = set()
    for t in tendons:
        whose = f'{where}: tendon "{t.name}"'
        if t.name in names:
            raise ModelError(f'{where}: two tendons are named "{t.name}"; names must differ')
        names.add(t.name)
        for name in t.joints:
            if name not in joints or joints[name].joint.nv != 1:
                single = [label for label, b in joints.items() if b.joint.nv == 1]
                raise ModelError(unknown("joint with one freedom", name, single, where) + f' (in tendon "{t.name}")')
        for name in t.frames:
            if name not in frames:
                raise ModelError(unknown("frame", name, frames, where) + f' (in tendon "{t.name}")')
        forces = [getattr(t.forces, f.name) for f in fields(t.forces) if f.name not in ("lower", "upper", "rest")]
        if not all(map(math.isfinite, (*forces, *(t.forces.rest or ())))):
            raise ModelError(f"{whose} has a number that is not finite: {t.forces}")
        if math.isnan(t.forces.lower) or math.isnan(t.forces.upper) or t.forces.lower > t.forces.upper:
            raise ModelError(f"{whose} has the limits {t.forces.lower:g} and {t.forces.upper:g}; give the lower first")
        if isinstance(t, FixedTendon):
            if not t.terms or not all(map(math.isfinite, (t.offset, *(factor for _, factor in t.terms)))):
                raise ModelError(f"{whose} needs joints with finite factors, not {t.terms}")
        else:
            _validate_path(t, whose)


def _validate_path(t: SpatialTendon, whose: str) -> None:
    """A path has branches, divided by pulleys; each starts and ends at a point, with at most one shape between two."""
    branches: list[list[PathElement]] = [[]]
    for element in t.path:
        if isinstance(element, Pulley):
            if not (math.isfinite(element.divisor) and element.divisor > 0.0):
                raise ModelError(f"{whose}: the divisor of a pulley is {element.divisor}; it must be above 0")
            branches.append([])
            continue
        if isinstance(element, Wrap) and not (math.isfinite(element.radius) and element.radius > 0.0):
            raise ModelError(f"{whose}: the radius of a shape is {element.radius}; it must be above 0")
        branches[-1].append(element)
    for branch in (b for b in branches if b or len(branches) == 1):
        kinds = [isinstance(element, ViaPoint) for element in branch]
        if len(branch) < 2 or not (kinds[0] and kinds[-1]):
            raise ModelError(f"{whose}: each branch of its path must start and end at a point, with two or more")
        if any(not a and not b for a, b in pairwise(kinds)):
            raise ModelError(f"{whose}: two shapes follow each other on its path; put a point between them")
