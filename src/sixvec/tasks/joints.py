"""Tasks of the joints: a posture, a velocity, little motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.difference import difference
from sixvec.arguments import real_array
from sixvec.errors import ArgumentError, unknown
from sixvec.model import Model
from sixvec.model.coordinate_names import coordinate_names
from sixvec.scalar import Scalar
from sixvec.tasks.task import Mismatch, Rows, Shape, Task, squares


@dataclass(frozen=True, kw_only=True, repr=False)
class Joints(Task):
    """Tasks with a row for each coordinate of v, or for those of some `joints`."""

    joints: Any = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        joints = (self.joints,) if isinstance(self.joints, str) else tuple(self.joints)
        object.__setattr__(self, "joints", joints)

    def coordinates(self, model: Model) -> list[int]:
        """The coordinates of v that count."""
        freedoms = [joint for joint, _ in joint_freedoms(model)]
        for name in self.joints:
            if name not in freedoms:
                raise ArgumentError(f"{type(self).__name__}: {unknown('joint', name, {*freedoms}, model.name)}")
        return [k for k, joint in enumerate(freedoms) if not self.joints or joint in self.joints]

    def labels(self, model: Model) -> tuple[str, ...]:
        names = coordinate_names(model, "v")
        return tuple(f"{self.name}: {names[k]}" for k in self.coordinates(model))

    def unit_rows(self, model: Model) -> list[list[float]]:
        """The rows of the coordinates."""
        return [[float(k == j) for j in range(model.nv)] for k in self.coordinates(model)]


@dataclass(frozen=True, repr=False)
class Posture(Joints):
    """Joints at a position (nq): given here, or as a target under the name "posture".

    >>> from sixvec.tasks import Posture
    >>> Posture([0.1, 0.2], weight=1e-3).q
    (0.1, 0.2)
    """

    q: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.q is not None:
            q = real_array("Posture: q", self.q, "nq", batch=False, finite=True)
            object.__setattr__(self, "q", tuple(q.tolist()))

    def shape(self, model: Model) -> Shape | None:
        self.coordinates(model)
        if self.q is None:
            return (model.nq,)
        if len(self.q) != model.nq:
            raise ArgumentError(f"Posture: q has {len(self.q)} entries, but positions of {model.name} have {model.nq}")
        return None

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        missing = difference(model, q, list(target if self.q is None else self.q))
        kinds, chosen = joint_freedoms(model), self.coordinates(model)
        angles, lengths = ([missing[k] for k in chosen if kinds[k][1] is is_angle] for is_angle in (True, False))
        return Mismatch([missing[k] for k in chosen], self.unit_rows(model), squares(lengths), squares(angles))


@dataclass(frozen=True, repr=False)
class JointVelocity(Joints):
    """Joint velocities: the target is v (nv), of which only those of `joints` count.

    >>> from sixvec.tasks import JointVelocity
    >>> JointVelocity(joints="waist").joints
    ('waist',)
    """

    def default_name(self) -> str:
        return "joint velocity"

    def shape(self, model: Model) -> Shape:
        self.coordinates(model)
        return (model.nv,)

    def rows(self, model: Model, q: Any, target: Any, dt: Scalar) -> Rows:
        return Rows(self.unit_rows(model), [target[k] for k in self.coordinates(model)])


@dataclass(frozen=True, repr=False)
class Damping(Joints):
    """Little motion: v = 0, with a small weight.

    >>> from sixvec.tasks import Damping
    >>> Damping(weight=1e-3).name
    'damping'
    """

    def shape(self, model: Model) -> Shape | None:
        self.coordinates(model)
        return None

    def rows(self, model: Model, q: Any, target: Any, dt: Scalar) -> Rows:
        rows = self.unit_rows(model)
        return Rows(rows, [0.0] * len(rows))


def joint_freedoms(model: Model) -> list[tuple[str, bool]]:
    """For each coordinate of v the joint it belongs to, and whether it is an angle."""
    freedoms = []
    for b in model.moving:
        # Joints with a quaternion rotate first, then translate.
        is_angle = b.joint.angular if b.joint.nq == b.joint.nv else [k < 3 for k in range(b.joint.nv)]
        freedoms += [(b.joint_name or b.name, bool(x)) for x in is_angle]
    return freedoms
