"""A robot with variable loads: their inertias are inputs of the machine code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from sixvec.errors import ArgumentError
from sixvec.kernels.store import Kernels
from sixvec.model import Model
from sixvec.model.edits.attach import payload
from sixvec.model.edits.checked import require_finite_inertia, require_nonnegative_mass
from sixvec.robot import Robot
from sixvec.spatial import RigidInertia, Sym3, Vec3


class LoadedKernels(Kernels):
    """The kernels of a robot with loads in frames; robots with other loads in those frames share them."""

    def __init__(self, unloaded: Kernels, loads: Mapping[str, RigidInertia]) -> None:
        super().__init__(_with_loads(unloaded.model, loads))
        self.unloaded, self.loads = unloaded, dict(loads)
        self.traced, self.payloads = unloaded.model, tuple(loads)
        self._made = unloaded.carrying(self.payloads)
        self.parameters = tuple(np.array([*load], float) for load in loads.values())
        for numbers in self.parameters:
            numbers.flags.writeable = False

    def __reduce__(self) -> Any:
        return LoadedKernels, (self.unloaded, self.loads)

    def robot(self) -> LoadedRobot:
        return LoadedRobot.of(self)


class LoadedRobot(Robot):
    """A robot with loads in frames.  Robots with other loads in the same frames share its kernels.

    `model` contains each load as a separate body without a frame; `with_payload` adds one more load, and `unloaded` is
    the robot without any.  Another load in the same frame needs no tracing and no compilation.

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> light, heavy = (robot.with_payload("panda_link8", mass) for mass in (1.0, 3.0))
    >>> q = robot.random(0)
    >>> own, one, three = (r.gravity_forces(q) for r in (robot, light, heavy))
    >>> numpy.allclose(three - own, 3.0 * (one - own))
    True
    >>> light.kernel("gravity_forces") is heavy.kernel("gravity_forces")
    True
    >>> both = light.with_payload("panda_link8", 2.0)
    >>> numpy.allclose(both.gravity_forces(q), three)
    True
    """

    _kernels: LoadedKernels

    @property
    def unloaded(self) -> Robot:
        """The robot without its loads."""
        return self._kernels.unloaded.robot()

    def with_payload(self, frame: str, load: RigidInertia | float) -> LoadedRobot:
        """The same robot with this load too: loads of the same frame add up."""
        self.model.frame(frame)
        loads, more = self._kernels.loads, rigid_load(load)
        return LoadedRobot.of(
            LoadedKernels(self._kernels.unloaded, {**loads, frame: loads[frame] + more if frame in loads else more})
        )


def rigid_load(load: Any) -> RigidInertia:
    """A load as an inertia in its frame; a number is the mass of a point at the origin.

    >>> rigid_load(2.0).mass
    2.0
    >>> rigid_load([2.0, 0.1])
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: a payload is a RigidInertia in its frame, or the mass in kg of a point at the frame's \
origin, not [2.0, 0.1]; RigidInertia.from_center_of_mass(mass, center, inertia) makes one
    """
    if isinstance(load, Real) and not isinstance(load, bool):
        load = RigidInertia(float(load), Vec3.zero(), Sym3.zero())
    if not isinstance(load, RigidInertia):
        raise ArgumentError(
            "a payload is a RigidInertia in its frame, or the mass in kg of a point at the frame's origin, not "
            f"{load!r}; RigidInertia.from_center_of_mass(mass, center, inertia) makes one"
        )
    require_finite_inertia(load, "payload")
    require_nonnegative_mass(load, "payload")  # each load separately: a sum could hide the mistake
    return load


def _with_loads(model: Model, loads: Mapping[str, RigidInertia]) -> Model:
    """The model with a body for each load.  Its frames remain those of its kernels."""
    loaded = model
    for frame, load in loads.items():
        name, taken = "payload", {*loaded.by_name, *(f.name for f in model.frames)}
        while name in taken:
            name += "_"
        loaded = replace(payload(loaded, frame, load, name), frames=model.frames)
    return loaded
