"""Tasks of the joints: a posture, a velocity, little motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.difference import difference
from sixvec.arguments import real_array
from sixvec.errors import ArgumentError, unknown
from sixvec.model import Model
from sixvec.model.coordinate_names import coordinate_names, joint_slices
from sixvec.scalar import Scalar
from sixvec.tasks.task import Options, Rows, Shape


@dataclass(frozen=True, kw_only=True)
class Joints(Options):
    """Tasks with a row for each coordinate of v, or for those of some `joints`."""

    joints: Any = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        joints = (self.joints,) if isinstance(self.joints, str) else tuple(self.joints)
        object.__setattr__(self, "joints", joints)

    def coordinates(self, model: Model) -> list[int]:
        """The coordinates of v that count."""
        slices = joint_slices(model, "v")
        for name in self.joints:
            if name not in slices:
                raise ArgumentError(f"{type(self).__name__}: {unknown('joint', name, slices, model.name)}")
        return [k for name in self.joints or slices for k in range(model.nv)[slices[name]]]

    def labels(self, model: Model) -> tuple[str, ...]:
        names = coordinate_names(model, "v")
        return tuple(f"{self.name}: {names[k]}" for k in self.coordinates(model))

    def identity(self, model: Model) -> list[list[float]]:
        """The rows of the coordinates."""
        return [[float(k == j) for j in range(model.nv)] for k in self.coordinates(model)]


@dataclass(frozen=True)
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

    def rows(self, model: Model, q: Any, target: Any, dt: Scalar) -> Rows:
        missing = difference(model, q, list(target if self.q is None else self.q))
        return Rows(self.identity(model), [self.gain / dt * missing[k] for k in self.coordinates(model)])


@dataclass(frozen=True)
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
        return Rows(self.identity(model), [target[k] for k in self.coordinates(model)])


@dataclass(frozen=True)
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
        rows = self.identity(model)
        return Rows(rows, [0.0] * len(rows))
