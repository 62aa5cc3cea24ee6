"""A robot with a load that may change: the load's inertia is an input of the machine code, not a part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.kernels import Kernels
from sixvec.model.edits.attach import payload
from sixvec.robot import Robot
from sixvec.spatial import RigidInertia

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sixvec.algorithms import Algorithm
    from sixvec.compile import Kernel


class LoadedKernels(Kernels):
    """The kernels of a robot that holds a load in a frame; robots with other loads in that frame share them."""

    def __init__(self, unloaded: Kernels, frame: str, inertia: RigidInertia) -> None:
        super().__init__(payload(unloaded.model, frame, inertia))
        self.unloaded, self._frame, self._inertia = unloaded, frame, inertia
        self._made = unloaded.carrying(frame)
        numbers = np.array([*inertia], float)
        numbers.flags.writeable = False
        self.parameters = (numbers,)

    def __reduce__(self) -> Any:
        return LoadedKernels, (self.unloaded, self._frame, self._inertia)

    def robot(self) -> LoadedRobot:
        return LoadedRobot.of(self)

    def new(
        self, algorithm: Algorithm, options: dict[str, Any], external: Sequence[str], payload: str | None = None
    ) -> Kernel:
        return self.unloaded.new(algorithm, options, external, payload or self._frame)


class LoadedRobot(Robot):
    """A robot that holds a load in a frame.  Robots with other loads in the same frame share its kernels.

    `model` holds the load as a body of its own; `with_payload` gives the same robot with another load, which costs
    nothing: no tracing and no compiling.

    >>> import numpy, sixvec
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> robot = sixvec.load("panda")
    >>> loads = [RigidInertia.from_center_of_mass(m, Vec3(0.0, 0.0, 0.1), Sym3.zero()) for m in (1.0, 3.0)]
    >>> light, heavy = (robot.with_payload("panda_link8", load) for load in loads)
    >>> q = robot.random(0)
    >>> own, one, three = (r.gravity_forces(q) for r in (robot, light, heavy))
    >>> numpy.allclose(three - own, 3.0 * (one - own))
    True
    >>> light.kernel("gravity_forces") is heavy.kernel("gravity_forces")
    True
    """

    _kernels: LoadedKernels

    def with_payload(self, frame: str, inertia: RigidInertia) -> LoadedRobot:
        """The same robot with this load instead."""
        return self._kernels.unloaded.robot().with_payload(frame, inertia)
