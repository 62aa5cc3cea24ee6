"""The reachable and the dexterous workspace of a frame, by sampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, positive_number, real_array, whole_number
from sixvec.arguments.result import Result
from sixvec.constraints.loop_equations import loop_jacobian
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.ik.hybrid_position import hybrid_position
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.lazy import lazy
from sixvec.model.actuation import active_joints
from sixvec.model.coordinate_names import joint_slices
from sixvec.robot import Robot
from sixvec.solve.direction import Directions, direction_rows
from sixvec.solve.metric import Metric, require_metric
from sixvec.solve.spectrum import spectrum

DIRECTIONS = 32
"""Number of directions of approach that are distinguished."""
MOST_CELLS = 2**20
"""Cells along each axis beyond which a grid is too fine for counting."""


@dataclass(frozen=True, eq=False)
class Workspace(Result):
    """Sampled poses of a frame, counted in cubic cells of side `cell`.

    Sampling approaches a workspace from the inside: volumes and shares grow with the number of samples, and
    `volume_error` estimates what is missing.
    """

    q: Array
    poses: Array
    smallest: Array
    """The smallest singular value of each sample, in the metric."""
    cell: float

    def __repr__(self) -> str:
        off = f"{self.volume:.3g} ± {self.volume_error:.2g} m³; "
        axes = zip("xyz", self.lower + 0.0, self.upper + 0.0, strict=True)
        ranges = ", ".join(f"{name} {a:.3g}..{b:.3g}" for name, a, b in axes)
        return f"Workspace: {len(self.q)} samples in {len(self.cells)} cells of {self.cell:.3g} m; {off}{ranges} m"

    @property
    def points(self) -> Array:
        """Positions of the frame's origin, (n, 3)."""
        return self.poses[:, :3, 3]

    @lazy
    def _numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        places = np.round(self.points / self.cell).astype(np.int64)
        first = places.min(axis=0)
        shape = tuple(int(n) for n in np.ptp(places, axis=0) + 1)
        cells, number = np.unique(np.ravel_multi_index(tuple((places - first).T), shape), return_inverse=True)
        return np.stack(np.unravel_index(cells, shape), axis=1) + first, number.reshape(-1)

    @property
    def cells(self) -> NDArray[np.int64]:
        """The cells that contain samples, (k, 3): cell c is centred on c·cell."""
        return self._numbers[0]

    @property
    def centers(self) -> Array:
        """Their centres, (k, 3)."""
        return self.cells * self.cell

    @property
    def volume(self) -> float:
        """Volume of the reachable cells, m³, counting half of those on the boundary; see `volume_error`.

        For a flat workspace it is the area times the side of a cell.
        """
        return (len(self.cells) - 0.5 * self._on_boundary) * self.cell**3

    @lazy
    def volume_error(self) -> float:
        """Estimated error of `volume`, m³: cells not yet found by any sample, and a quarter of each boundary cell.

        The first term is A. Chao's estimate (Scand. J. Stat. 11(4), 1984) from the cells that were hit once and twice.
        It is infinite where more than half of the samples are alone in their cell: then the number of missing cells is
        unknown.
        """
        hits = np.bincount(self._numbers[1])
        once, twice = int((hits == 1).sum()), int((hits == 2).sum())
        if 2 * once > len(self.q):
            return np.inf
        unseen = once * (once - 1) / (2.0 * (twice + 1))
        return (unseen + 0.25 * self._on_boundary) * self.cell**3

    @lazy
    def _on_boundary(self) -> int:
        """Cells with a neighbour that was not reached; neighbours across a flat workspace do not count."""
        cells = self.cells - self.cells.min(axis=0) + 1
        shape = cells.max(axis=0) + 2
        reached = np.sort(np.ravel_multi_index(tuple(cells.T), shape))
        inside = np.ones(len(cells), bool)
        for axis in np.flatnonzero(np.ptp(cells, axis=0) > 0):
            for side in (-1, 1):
                beside = cells.copy()
                beside[:, axis] += side
                numbers = np.ravel_multi_index(tuple(beside.T), shape)
                inside &= reached[np.minimum(np.searchsorted(reached, numbers), len(reached) - 1)] == numbers
        return int((~inside).sum())

    @property
    def lower(self) -> Array:
        """The least coordinates reached, (3,)."""
        return np.asarray(self.points.min(axis=0))

    @property
    def upper(self) -> Array:
        """The greatest coordinates reached, (3,)."""
        return np.asarray(self.points.max(axis=0))

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether points (..., 3) are in a cell that was reached."""
        p = real_array("points", points, 3)
        reached = {tuple(c) for c in self.cells.tolist()}
        places = np.round(p.reshape(-1, 3) / self.cell)
        inside = [tuple(c) in reached for c in places.tolist()]
        return np.array(inside, bool).reshape(p.shape[:-1])

    @lazy
    def mobility(self) -> Array:
        """For each cell the best smallest singular value: the distance from losing a direction there."""
        cells, number = self._numbers
        best = np.zeros(len(cells))
        np.maximum.at(best, number, self.smallest)
        return best

    @lazy
    def service(self) -> Array:
        """For each cell the share of directions of approach (the frame's z axis) from which it was reached.

        The service angle of Vinogradov et al. (1971) divided by 4π; Kumar and Waldron (J. Mech. Design 103(3), 1981).
        """
        cells, number = self._numbers
        visited = np.zeros((len(cells), DIRECTIONS), bool)
        visited[number, np.argmax(self.poses[:, :3, 2] @ _sphere().T, axis=1)] = True
        return np.asarray(visited.mean(axis=1))

    def dexterous(self, *, mobility: float | None = None, service: float | None = None) -> NDArray[np.bool_]:
        """Which cells are dexterous, by one of two definitions that differ.

        `mobility`: all six directions of velocity are possible, with singular values above this (Bruyninckx §5.1).
        `service`: reached from at least this share of all directions (the usual definition requires 1).
        """
        if (mobility is None) == (service is None):
            raise ArgumentError("dexterous needs one of mobility= and service=: the two definitions differ")
        return self.mobility > mobility if mobility is not None else self.service >= float(service or 0.0)

    def draw(self, ax: Any = None, values: ArrayLike | None = None) -> Any:
        """A mark at the middle of each cell, coloured by `values` (k,), such as `mobility` or `service`, if given.

        Without axes `sixvec.viz.scene` makes new ones; returns the marks, which a colour bar needs (and whose `axes`
        are those drawn in).  Needs matplotlib.
        """
        from sixvec.viz import draw_workspace, scene

        return draw_workspace(scene() if ax is None else ax, self.centers, values)


def workspace(
    robot: Robot,
    frame: str,
    metric: Metric,
    *,
    samples: int = 100_000,
    cell: float | None = None,
    rng: np.random.Generator | int = 0,
) -> Workspace:
    """Poses of a frame at random joint positions within the limits.

    Small cells are missed by the samples, large ones overlap the boundary: without `cell` the side with the least
    `volume_error` is chosen.  The error falls slowly, about as the cube root of the number of samples.

    In a mechanism with loops the motors have random positions and the passive joints follow; positions at which the
    loops do not close are skipped.

    >>> import sixvec
    >>> from sixvec.analysis import workspace
    >>> from sixvec.solve import Metric
    >>> arm = sixvec.load("planar_2r")
    >>> w = workspace(arm, "tip", Metric.from_length(1.0, 2), samples=2000, cell=0.2)
    >>> bool(w.contains([1.5, 0.0, 0.0])), bool(w.contains([2.5, 0.0, 0.0]))
    (True, False)
    >>> sixvec.analysis.Workspace(w.q[:1], 0.0 * w.poses[:1], w.smallest[:1], 0.2)
    Workspace: 1 samples in 1 cells of 0.2 m; 0.008 ± inf m³; x 0..0, y 0..0, z 0..0 m
    """
    samples = whole_number("samples", samples, 1)
    cell = None if cell is None else positive_number("cell", cell, "metres")
    require_metric(metric, robot.nv)
    q = _positions(robot, frame, samples, rng)
    poses = np.asarray(robot.pose(q, frame))
    cell = _best_cell(q, poses) if cell is None else cell
    if np.abs(poses[:, :3, 3]).max() / cell > MOST_CELLS:
        raise ArgumentError(f"cells of {cell} m are too small for a workspace of this size")
    J = loop_jacobian(robot, q, robot.jacobian(q, frame), metric)
    return Workspace(q, poses, spectrum(J, metric).smallest, cell)


@any_arrays_same_dtype
def configuration(robot: Robot, q: ArrayLike, frame: str, metric: Metric, directions: Directions = "pose") -> Array:
    """The sign of det J, for as many directions as joints: (...,).

    It changes only through a singularity, so postures with different signs (elbow up and down, wrist flipped) cannot be
    joined without passing one (Bruyninckx §5.1).

    >>> import sixvec
    >>> from sixvec.analysis import configuration
    >>> from sixvec.solve import Metric
    >>> arm = sixvec.load("planar_2r")
    >>> configuration(arm, [[0.0, 1.0], [0.0, -1.0]], "tip", Metric.from_length(1.0, 2), "x z").tolist()
    [1.0, -1.0]
    """
    require_metric(metric, robot.nv)
    chosen = direction_rows(directions)
    if len(chosen) != robot.nv:
        raise ArgumentError(f"{robot.name} has {robot.nv} freedoms; choose as many directions, not {len(chosen)}")
    J = np.asarray(robot.jacobian(q, frame))[..., chosen, :]
    with np.errstate(invalid="ignore"):
        return np.asarray(np.sign(np.linalg.det(metric.of_rows(chosen).weighted(J))))


def _positions(robot: Robot, frame: str, samples: int, rng: np.random.Generator | int) -> Array:
    q = np.asarray(robot.random(rng, samples), float)
    if not robot.model.closures:
        return q
    at = joint_slices(robot.model, "q")
    motors = {name: q[:, at[name]] for name in active_joints(robot.model)}
    positions = hybrid_position(robot, q, frame, motors, {})
    if not positions.solved.any():
        raise DegenerateError(f"{robot.name}: at none of {samples} positions of the motors did the loops close")
    return positions.q[positions.solved]


def _best_cell(q: Array, poses: Array) -> float:
    """The side of cells, from a few candidates per doubling, for which the volume is most accurate."""
    extent = float(np.ptp(poses[:, :3, 3], axis=0).max())
    if not extent > 0.0:
        return 1.0
    sides = extent / 2.0 ** np.arange(2.0, 8.01, 0.5)
    tried = [Workspace(q, poses, np.zeros(0), float(side)) for side in sides]
    return min(tried, key=lambda w: w.volume_error / w.volume).cell


def _sphere() -> Array:
    """Directions spread evenly over the sphere on a spiral of golden angles."""
    k = np.arange(DIRECTIONS) + 0.5
    z, turn = 1.0 - 2.0 * k / DIRECTIONS, np.pi * (3.0 - np.sqrt(5.0)) * k
    r = np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)
