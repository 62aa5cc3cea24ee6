"""The workspace of a platform and the quality of its motion, as maps and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array, whole_number
from sixvec.arguments.result import Result
from sixvec.arguments.rigid_poses import require_rotations
from sixvec.errors import ArgumentError, unknown
from sixvec.kernels.any_arrays import any_arrays_same_dtype, values_of
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.quality import quality
from sixvec.parallel.reach import reach
from sixvec.parallel.space import Branch, Spatial

if TYPE_CHECKING:
    from sixvec.viz.scene import Axes, Axes3D

MAPS = {
    "dexterity": "dexterity",
    "stiffness": "least stiffness [N/m]",
    "accuracy": "shift for a unit error of actuators",
}
"""The maps that can be drawn, and the labels of their colour bars."""


@dataclass(frozen=True, eq=False)
class PlatformWorkspace(Result):
    """A grid of positions (nx, ny, nz, 3), which of them are reached, and their volume.

    The maps (nx, ny, nz) are those of `PoseQuality`, the best over the orientations; if a position is not reached,
    they are those of a singular pose.
    """

    points: Array
    reached: Array
    volume: float
    dexterity: Array
    stiffness: Array
    accuracy: Array

    @property
    def centers(self) -> Array:
        """(k, 3): the reached positions, as shown by `Viewer.points` and `sixvec.viz.draw_workspace`."""
        return self.points[self.reached]

    def draw(self, ax: Axes3D | None = None, map: str = "dexterity") -> Any:
        """A mark at each reached position, coloured by one of the maps; returns the marks.

        Without axes `sixvec.viz.scene` makes new ones.  Needs matplotlib.
        """
        from sixvec.viz import draw_workspace, scene

        values = self._map(map)[self.reached]
        return draw_workspace(scene() if ax is None else ax, values_of(self.centers), values)

    def draw_slice(
        self, ax: Axes | None = None, map: str = "dexterity", *, across: str = "z", at: float | None = None
    ) -> Axes:
        """The map in the layer of the grid that is nearest to `at`, seen along the axis `across`; returns the axes.

        By default the layer in the middle.  Needs matplotlib.
        """
        from sixvec.viz.style import chart

        values = np.where(self.reached, self._map(map), np.nan)
        if across not in ("x", "y", "z"):
            raise ArgumentError(f"draw_slice: across must be 'x', 'y' or 'z', not {across!r}")
        normal = "xyz".index(across)
        axes = [np.moveaxis(values_of(self.points)[..., k], k, 0)[:, 0, 0] for k in range(3)]
        layers = axes[normal]
        layer = len(layers) // 2 if at is None else int(np.abs(layers - at).argmin())
        first, second = (k for k in range(3) if k != normal)
        ax = chart(ax, (4.6, 4.0))
        ax.grid(False)
        shown = ax.pcolormesh(
            axes[first], axes[second], np.take(values, layer, axis=normal).T, cmap="viridis", shading="nearest"
        )
        ax.figure.colorbar(shown, ax=ax, shrink=0.85, label=MAPS[map])
        ax.set(xlabel=f"{'xyz'[first]} [m]", ylabel=f"{'xyz'[second]} [m]", title=f"{across} = {layers[layer]:.3g} m")
        ax.set_aspect("equal")
        return ax

    def _map(self, name: str) -> Array:
        if name not in MAPS:
            raise ArgumentError(unknown("map", name, MAPS, "a workspace"))
        return np.asarray(values_of(getattr(self, name)))

    def __repr__(self) -> str:
        return f"<PlatformWorkspace: {int(self.reached.sum())} of {self.reached.size} points, {self.volume:.3g} m³>"


@any_arrays_same_dtype
def workspace(
    mechanism: ParallelRobot,
    box: ArrayLike,
    orientations: ArrayLike | None = None,
    count: int = 20,
    branch: Branch = None,
    *,
    stiffness: ArrayLike = 1.0,
    **limits: Any,
) -> PlatformWorkspace:
    """Positions in a box, ((x0, x1), (y0, y1), (z0, z1)), that the platform reaches in one of the orientations.

    With one rotation (3, 3), the identity by default, it is the workspace of constant orientation; with several
    (k, 3, 3) a position counts if it is reached with any of them.  `limits` are those of `reach`, `stiffness` is that
    of the actuators.

    >>> from sixvec.parallel import Delta, workspace
    >>> workspace(Delta(0.2, 0.05, 0.25, 0.6), [(-0.3, 0.3), (-0.3, 0.3), (-0.7, -0.3)], count=8)
    <PlatformWorkspace: 472 of 512 points, 0.133 m³>
    """
    sides, count = real_array("box", box), whole_number("count", count, 1)
    if sides.shape != (3, 2) or not (sides[:, 0] < sides[:, 1]).all():
        raise ArgumentError("box is ((x0, x1), (y0, y1), (z0, z1)) with the smaller number first")
    if orientations is not None and not isinstance(mechanism.space, Spatial):
        raise ArgumentError("this platform keeps its orientation; leave orientations out")
    cell = (sides[:, 1] - sides[:, 0]) / count
    axes = [low + size * (np.arange(count) + 0.5) for low, size in zip(sides[:, 0], cell, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    turns = np.eye(3)[None] if orientations is None else _rotations(orientations)
    reached = np.zeros(points.shape[:3], bool)
    best = {name: np.full(points.shape[:3], np.inf if name == "accuracy" else 0.0) for name in MAPS}
    for R in turns:
        X = np.tile(np.eye(4), (*points.shape[:3], 1, 1))
        X[..., :3, :3], X[..., :3, 3] = R, points
        inside = reach(mechanism, X, branch, **limits).reached
        judged = quality(mechanism, X[inside], stiffness, branch)
        for name, values in best.items():
            better = np.minimum if name == "accuracy" else np.maximum
            values[inside] = better(values[inside], getattr(judged, name))
        reached |= inside
    return PlatformWorkspace(points, reached, float(reached.sum() * cell.prod()), **best)


def _rotations(orientations: Any) -> Array:
    turns = real_array("orientations", orientations, 3, 3)
    require_rotations(turns, "orientations")
    return turns.reshape(-1, 3, 3)
