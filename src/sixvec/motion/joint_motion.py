"""Motions: positions, velocities and accelerations of a robot as functions of time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, positive_number, real_array
from sixvec.arguments.answering import OF_MOTIONS, Answering
from sixvec.arguments.binding import named_arguments
from sixvec.errors import ArgumentError
from sixvec.kernels.devices import namespace
from sixvec.robot import Robot
from sixvec.sim import Trajectory
from sixvec.tolerances import ROUNDING

if TYPE_CHECKING:
    from sixvec.viz.scene import Axes

PLOTTED = 400
"""Points of a chart."""

MOST_INSTANTS = 10_000_000
"""Steps into which a motion is divided: hours of a controller's."""


class JointMotion(Answering):
    """Base of all motions over time: `robot`, `duration` (a number, or one for each motion of a batch), and `q(t)`,
    `v(t)`, `a(t)` at times t, (m,) for all motions or (..., m) for each.  Before the start and after the end a motion
    rests."""

    robot: Robot
    duration: Any
    _instead = OF_MOTIONS

    def q(self, t: ArrayLike) -> Any:
        """Positions at times t: (..., m, nq)."""
        raise NotImplementedError

    def v(self, t: ArrayLike) -> Any:
        """Velocities at times t."""
        raise NotImplementedError

    def a(self, t: ArrayLike) -> Any:
        """Accelerations at times t."""
        raise NotImplementedError

    def tau(self, t: ArrayLike) -> Any:
        """Joint forces at times t, friction of the joints included."""
        v = self.v(t)
        return with_friction(self.robot, self.robot.inverse_dynamics(self.q(t), v, self.a(t)), v)

    def instants(self, dt: float) -> Array:
        """Times dt, 2 dt, … until the longest motion has ended, (m,)."""
        step = positive_number("dt", dt, "seconds")
        longest = float(np.nanmax(np.append(self.duration, 0.0)))
        if longest > MOST_INSTANTS * step:
            raise ArgumentError(
                f"dt is {step:g} s, and the motion takes {longest:g} s: more than {MOST_INSTANTS} steps"
            )
        return step * np.arange(1, max(1, math.ceil(longest / step - ROUNDING)) + 1)

    def sampled(self, dt: float = 0.01) -> Trajectory:
        """States after each step of dt seconds, and the joint forces at its start, as a rollout has them.

        >>> import sixvec as sv
        >>> from sixvec import motion
        >>> move = motion.rest_to_rest(sv.load("planar_2r"), [0.0, 0.0], [1.0, 0.2], "cubic", velocity=1.0)
        >>> move.sampled(0.1)
        <Trajectory: 15 steps of 0.1 s, q (15, 2), v (15, 2)>
        """
        t = self.instants(dt)
        return Trajectory(self.q(t), self.v(t), dt=float(dt)).of(self.robot, lambda q, v: self.tau(t - dt))

    @named_arguments
    def plot(self, joints: Sequence[str] | None = None) -> list[Axes]:
        """Positions, velocities and joint forces over time, with their limits, on one new figure; returns its axes.

        >>> import sixvec as sv
        >>> from sixvec import motion
        >>> move = motion.rest_to_rest(sv.load("planar_2r"), [0.0, 0.0], [1.0, 0.2], "cubic", velocity=1.0)
        >>> [ax.get_ylabel() for ax in move.plot()]
        ['position [rad]', 'velocity [rad/s]', 'torque [N m]']
        """
        return self.sampled(float(np.nanmax(self.duration)) / PLOTTED).plot(joints)

    def export(self, file: str | Path, dt: float = 0.01, *, overwrite: bool = False) -> None:
        """Write one motion as `*.csv`, a row for each step, or as `*.json`, a JointTrajectory of ROS 2.

        Columns are the time and the positions, velocities, accelerations and joint forces of all coordinates.  A file
        that exists is replaced only with `overwrite=True`.
        """
        from sixvec.motion.export import write_motion

        write_motion(self, Path(file), dt, overwrite)

    def joint_trajectory(self, dt: float = 0.01) -> dict[str, Any]:
        """A JointTrajectory message of ROS 2 as a dictionary.

        >>> import sixvec as sv
        >>> from sixvec import motion
        >>> move = motion.rest_to_rest(sv.load("planar_2r"), [0.0, 0.0], [1.0, 0.2], "cubic", velocity=1.0)
        >>> message = move.joint_trajectory(dt=0.5)
        >>> message["joint_names"], len(message["points"]), message["points"][1]["time_from_start"]
        (['joint1', 'joint2'], 4, {'sec': 0, 'nanosec': 500000000})
        """
        from sixvec.motion.export import joint_trajectory

        return joint_trajectory(self, dt)


def friction_of(robot: Robot) -> tuple[Array, Array]:
    """Viscous and dry friction of all velocity coordinates."""
    viscous, dry = np.zeros(robot.nv), np.zeros(robot.nv)
    for b in robot.model.moving:
        at = robot.model.v_slices[b.name]
        viscous[at] = b.dynamics.damping or 0.0
        dry[at] = b.dynamics.friction or 0.0
    return viscous, dry


def with_friction(robot: Robot, tau: Array, v: Array, direction: Any = None) -> Any:
    """Joint forces that also overcome the friction of the joints; those that are still, but for rounding, have none.

    Dry friction is against a direction of the motion (..., nv), by default that of the velocities.
    """
    viscous, dry = map(namespace(v).asarray, friction_of(robot))
    along = v if direction is None else direction
    still = abs(along) <= ROUNDING * abs(along).sum(axis=-1, keepdims=True)
    return tau + viscous * v + dry * np.where(still, 0.0, np.sign(along))


def at_times(t: Any, batch: tuple[int, ...], like: Any = None) -> Any:
    """Times for each motion of a batch, (..., m), of the library of an array; a single time gives (..., 1)."""
    xp = namespace(like)
    t = real_array("t", t) if xp is np else xp.asarray(t)
    t = t[None] if t.ndim == 0 else t
    return xp.broadcast_to(t, (*np.broadcast_shapes(batch, t.shape[:-1]), t.shape[-1]))
