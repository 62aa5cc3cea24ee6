"""How a parallel robot is shown: in pictures and in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.errors import ArgumentError, ShapeError
from sixvec.parallel.space import Branch
from sixvec.spatial import RigidInertia, Sym3, Vec3

if TYPE_CHECKING:
    from sixvec.parallel.assembly_modes import AssemblyModes
    from sixvec.parallel.dynamics import PlatformDynamics
    from sixvec.parallel.mechanism import ParallelRobot
    from sixvec.parallel.track import ModeTrack
    from sixvec.robot import Robot
    from sixvec.viz.scene import Axes3D, Figure
    from sixvec.viz.viewer import Viewer


class Pictured:
    """The methods of `ParallelRobot` that show it."""

    def draw(
        self, X: ArrayLike, ax: Axes3D | None = None, *, branch: Branch = None, color: str | None = None
    ) -> Axes3D:
        """Base, legs and platform at one pose; returns the axes.  Needs matplotlib.

        >>> from matplotlib.figure import Figure
        >>> from sixvec.parallel import Delta
        >>> from sixvec.viz import scene
        >>> Delta(0.2, 0.05, 0.25, 0.6).draw([0.0, 0.0, -0.5], scene(Figure())).name
        '3d'
        """
        from sixvec.viz.platform_drawing import draw_platform

        return draw_platform(cast("ParallelRobot", self), X, ax, branch=branch, color=color)

    def draw_modes(self, modes: AssemblyModes, columns: int = 4, figure: Figure | None = None) -> Figure:
        """All poses of one result of `assembly_modes` side by side, with their labels; returns the figure."""
        from sixvec.viz.platform_drawing import draw_modes

        return draw_modes(cast("ParallelRobot", self), modes, columns, figure)

    def view(self, X: ArrayLike | None = None, branch: Branch = None, **options: Any) -> Viewer:
        """Open the robot in the browser at a pose, with a slider for each actuator.  Needs viser.

        Options are those of `Robot.view`.  The bodies have masses of one kilogram: `robot(…).view(q)` shows given
        masses.
        """
        from sixvec.parallel.dynamics import home_pose

        at = home_pose(cast("ParallelRobot", self), branch) if X is None else X
        dynamics = self._unit_dynamics(at, branch)
        return dynamics.robot.view(dynamics.position(at, branch), **options)

    def play(self, path: ArrayLike | ModeTrack | AssemblyModes, dt: float, **options: Any) -> Viewer:
        """Show poses (k, …), a `ModeTrack` or one result of `assembly_modes` in the browser, one pose every `dt`."""
        robot, q = self._path(path)
        return robot.play(q, dt, **options)

    def animate(
        self,
        path: ArrayLike | ModeTrack | AssemblyModes,
        file: str | Path,
        dt: float = 1.0 / 30.0,
        *,
        overwrite: bool = False,
    ) -> Path:
        """Write the animation of `play` as a page that plays without a server, `*.html`, or as a picture, `*.png`."""
        robot, q = self._path(path)
        return robot.animate(q, file, dt, overwrite=overwrite)

    def _path(self, path: Any) -> tuple[Robot, Array]:
        """A robot for display, and its joint positions at the existing poses."""
        mechanism = cast("ParallelRobot", self)
        poses = mechanism.space.checked(getattr(path, "poses", path), "play: poses")
        inner = len(mechanism.space.port.shape)
        if poses.ndim != inner + 1:
            raise ShapeError(f"play shows one path of poses, or the modes of one sample; this has shape {poses.shape}")
        there = np.isfinite(poses).all(axis=tuple(range(1, inner + 1)))
        if not there.any():
            raise ArgumentError("play: there is no pose to show")
        poses, branch = poses[there], None
        if getattr(path, "q", None) is not None:
            branch = mechanism.branch(poses, path.q if np.ndim(path.q) == 1 else path.q[there])
        dynamics = self._unit_dynamics(poses[0], None if branch is None else branch[0])
        q = dynamics.position(poses, branch)
        if (lost := ~np.isfinite(q).all(axis=-1)).any():
            raise ArgumentError(f"play: the legs do not reach pose {int(lost.argmax())}")
        return dynamics.robot, q

    def _unit_dynamics(self, X: Any, branch: Any) -> PlatformDynamics:
        one = RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.diagonal(0.01, 0.01, 0.01))
        dynamics: PlatformDynamics = cast("ParallelRobot", self).dynamics((one, one), one, X, branch=branch)
        return dynamics
