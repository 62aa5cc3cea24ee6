"""What a stack of accelerations decides in one step, or in each of many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.errors import ArgumentError, unknown
from sixvec.tasks.step import Step

NO_FORCES: Any = None


@dataclass(frozen=True, eq=False, repr=False)
class AccelerationStep(Step):
    """As `Step`, with accelerations `a`, joint forces `tau` and the wrenches `force` (..., contacts, 6) on held frames.

    v and q follow after one step.  Wrenches are those of the surroundings on the robot, moment first, at the origins of
    the frames `contacts`, in world axes.  Where a step is INFEASIBLE, `a` brakes, there are no forces, and `tau` holds
    gravity and velocity products, within the effort limits.

    >>> import sixvec as sv
    >>> from sixvec import tasks
    >>> arm = sv.load("planar_2r")
    >>> stack = tasks.Stack(arm, tasks.Posture([0.3, 0.5]), order="acceleration")
    >>> step = stack([0.3, 0.5], {}, dt=0.01, v=[0.0, 0.0])  # at rest at its posture: forces carry the weight
    >>> bool(abs(step.a).max() < 1e-6), bool(abs(step.tau - arm.gravity_forces([0.3, 0.5])).max() < 1e-5)
    (True, True)
    """

    a: Array = NO_FORCES
    tau: Array = NO_FORCES
    force: Array = NO_FORCES
    variables: tuple[str, ...] = ()
    contacts: tuple[str, ...] = ()

    def force_on(self, frame: str) -> Array:
        """The wrench (..., 6) on a held frame, by the name of its task."""
        if frame not in self.contacts:
            raise ArgumentError(f"force_on: {unknown('contact', frame, self.contacts)}")
        return self.force[..., self.contacts.index(frame), :]

    @property
    def _names_of_rows(self) -> tuple[str, ...]:
        return (*self.variables, *self.names)

    def _further_limits(self, active: NDArray[np.int8]) -> list[str]:
        words = ("torque limit", "friction", "largest normal force", "lifts off")
        named = zip(self._names_of_rows, active, strict=True)
        return [name for name, side in named if side and name.rpartition(": ")[2] in words]
