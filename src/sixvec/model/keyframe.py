"""Named states of a robot, such as a home position."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ModelError
from sixvec.model.body import Body

if TYPE_CHECKING:
    from sixvec.model.model import Model

Array = NDArray[np.float64]
Coordinates = tuple[tuple[str, tuple[float, ...]], ...]
"""For the names of joints, their numbers in q or v."""


@dataclass(frozen=True, slots=True)
class Keyframe:
    """A state by the names of joints and actuators, so that it stays valid when a robot is edited.

    Joints that it does not name are neutral and at rest; controls and activations are zero.  `state` gives arrays.

    >>> from sixvec.model import Keyframe
    >>> Keyframe("home", positions=(("elbow", (1.5,)),)).time
    0.0
    """

    name: str
    positions: Coordinates = ()
    velocities: Coordinates = ()
    controls: tuple[tuple[str, float], ...] = ()
    activations: tuple[tuple[str, float], ...] = ()
    time: float = 0.0

    def state(self, model: Model) -> KeyframeState:
        """Its numbers in the order of a model."""
        q, v = np.zeros(model.nq), np.zeros(model.nv)
        positions, velocities = dict(self.positions), dict(self.velocities)
        for b in model.moving:
            q[model.q_slices[b.name]] = positions.get(b.joint_label, b.joint.neutral())
            v[model.v_slices[b.name]] = velocities.get(b.joint_label, (0.0,) * b.joint.nv)
        controls, activations = dict(self.controls), dict(self.activations)
        u, w = (np.array([x.get(a.name, 0.0) for a in model.actuators]) for x in (controls, activations))
        return KeyframeState(self.name, q, v, u, w, self.time)

    def within(self, joints: Collection[str], actuators: Collection[str]) -> Keyframe:
        """What it says of the joints and actuators that remain."""
        return replace(
            self,
            positions=tuple(x for x in self.positions if x[0] in joints),
            velocities=tuple(x for x in self.velocities if x[0] in joints),
            controls=tuple(x for x in self.controls if x[0] in actuators),
            activations=tuple(x for x in self.activations if x[0] in actuators),
        )

    def renamed(self, joint: Callable[[str], str], actuator: Callable[[str], str]) -> Keyframe:
        """The same state with other names of joints and actuators."""
        return replace(
            self,
            positions=tuple((joint(name), x) for name, x in self.positions),
            velocities=tuple((joint(name), x) for name, x in self.velocities),
            controls=tuple((actuator(name), x) for name, x in self.controls),
            activations=tuple((actuator(name), x) for name, x in self.activations),
        )


@dataclass(frozen=True, slots=True, eq=False)
class KeyframeState:
    """A keyframe as arrays: positions, velocities, a control and an activation for each actuator.

    >>> import sixvec
    >>> from sixvec.model import Keyframe
    >>> Keyframe("bent", positions=(("joint2", (0.5,)),)).state(sixvec.load("planar_2r").model).q.tolist()
    [0.0, 0.5]
    """

    name: str
    q: Array
    v: Array
    u: Array
    activation: Array
    time: float


def validate_keyframes(
    keyframes: Collection[Keyframe], joints: Mapping[str, Body], actuators: Collection[str], where: str
) -> None:
    """Raise for names that repeat or do not exist, and for wrong counts of numbers."""
    names: set[str] = set()
    for k in keyframes:
        if k.name in names:
            raise ModelError(f'{where}: two keyframes are named "{k.name}"; names must differ')
        names.add(k.name)
        whose = f'{where}: keyframe "{k.name}"'
        for count, coordinates in (("nq", k.positions), ("nv", k.velocities)):
            for name, values in coordinates:
                expected = getattr(joints[name].joint, count) if name in joints else -1
                if len(values) != expected or not all(map(math.isfinite, values)):
                    problem = f"{expected} finite numbers" if name in joints else "a joint that exists"
                    raise ModelError(f'{whose} has {values} for joint "{name}"; it needs {problem}')
        for name, value in (*k.controls, *k.activations):
            if name not in actuators or not math.isfinite(value):
                raise ModelError(f'{whose} has {value} for actuator "{name}"; it needs one that exists, and a number')
