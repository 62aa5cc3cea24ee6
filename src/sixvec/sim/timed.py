"""What every path of a rollout has: times, applied joint forces, and a chart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sixvec.arguments import Array
from sixvec.arguments.answering import OF_PATHS, Answering
from sixvec.arguments.binding import named_arguments
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError
from sixvec.lazy import lazy
from sixvec.verdict import tally

if TYPE_CHECKING:
    from sixvec.robot import Robot
    from sixvec.viz.scene import Axes


class Timed(Result, Answering):
    """Base of trajectories: states (..., steps, n) after each step of `dt` seconds."""

    q: Array
    v: Array
    dt: Any
    verdict: Any
    _instead = OF_PATHS
    _robot: Robot | None = None
    _forces: Callable[[Array, Array], Array | None] | None = None

    def of(self, robot: Robot, forces: Callable[[Array, Array], Array | None]) -> Self:
        """This path with its robot and with what computes its joint forces, on demand, from q and v."""
        self.__dict__.update(_robot=robot, _forces=forces)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """A control law may be a function that cannot be pickled; the forces can."""
        return {k: x for k, x in self.__dict__.items() if k != "_forces"} | {"tau": self.tau}

    @property
    def t(self) -> Any:
        """The times of the states (..., steps), in seconds after the start; None without a time step."""
        return None if self.dt is None else np.asarray(self.dt)[..., None] * np.arange(1, self.q.shape[-2] + 1)

    @lazy
    def tau(self) -> Any:
        """The applied joint forces (..., steps, nv) of each step: those given, or what the control law returned.

        They do not include passive forces or those of contacts.  For joints driven by acceleration they are the forces
        at the start of the step that it takes.  They are computed on first use.  None where they are not known: on
        arrays of torch and JAX, and where contacts push driven joints.

        >>> import sixvec
        >>> arm = sixvec.load("planar_2r")
        >>> path = arm.rollout([1.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.01, steps=3, control=lambda q, v, u: u - 5.0 * q)
        >>> path.tau[0].tolist()
        [-5.0, 0.0]
        """
        return None if self._forces is None else self._forces(self.q, self.v)

    @named_arguments
    def plot(self, joints: Sequence[str] | None = None) -> list[Axes]:
        """Positions, velocities and joint forces over time, with their limits, on one new figure; returns its axes.

        >>> import sixvec
        >>> arm = sixvec.load("planar_2r")
        >>> path = arm.rollout([1.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.01, steps=100)
        >>> [ax.get_ylabel() for ax in path.plot()]
        ['position [rad]', 'velocity [rad/s]', 'torque [N m]']
        """
        from sixvec.viz.joint_path import draw_trajectory

        if self._robot is None:
            raise ArgumentError("plot: this path has no robot; sixvec.viz.draw_joint_path(robot, path, dt) draws it")
        return draw_trajectory(self._robot, self, joints)

    def __repr__(self) -> str:
        if self.dt is None:
            return super().__repr__()
        steps = sorted({float(x) for x in np.asarray(self.dt).ravel()})
        size = " to ".join(f"{x:g}" for x in dict.fromkeys((steps[0], steps[-1]))) if steps else "no"
        verdict = "" if self.verdict is None or not np.any(self.verdict) else f", {tally(np.asarray(self.verdict))}"
        count = self.q.shape[-2]
        shapes = f"q {tuple(self.q.shape)}, v {tuple(self.v.shape)}"
        return f"<{type(self).__name__}: {count} step{'s' * (count != 1)} of {size} s, {shapes}{verdict}>"
