"""Weights that make metres, radians and joint rates comparable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_for_each, positive_number, real_array, require_finite, require_shape
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, CallError, ShapeError
from sixvec.robot import Robot
from sixvec.solve.decomposition import as_matrix
from sixvec.tolerances import EQUAL


@dataclass(frozen=True, eq=False)
class Metric(Result):
    """Two norms:  |twist|² = tᵀ W t  and  |joint velocity|² = vᵀ N v, each weight symmetric and positive definite.

    A Jacobian mixes units, so its singular values mean nothing until both norms are chosen; rank alone does not
    depend on them (Bruyninckx §4.9, §5.5.1, §5.8.2).  `task` W is (..., m, m) for the m rows of the Jacobian that it
    weighs (6, or those of a chosen task), `joint` N is (..., nv, nv); leading axes broadcast against a batch.

    >>> from sixvec.solve import Metric
    >>> Metric.from_length(0.5, 2).task.diagonal().tolist()
    [0.25, 0.25, 0.25, 1.0, 1.0, 1.0]
    """

    task: Array
    joint: Array

    def __post_init__(self) -> None:
        for name in ("task", "joint"):
            weight = as_matrix(getattr(self, name), f"the {name} weight")
            require_shape(f"the {name} weight", weight, *weight.shape[-1:] * 2, why="a square matrix")
            object.__setattr__(self, name, weight)
            _require_positive(weight, name)

    @classmethod
    def from_length(cls, length: float, nv: int, rates: ArrayLike | None = None) -> Metric:
        """W = diag(L², L², L², 1, 1, 1), N = diag(1/rate²): a radian counts as L metres, a joint's `rate` as one.

        A usual L is the size of the tool or the length of the arm; it depends on the reference point of the Jacobian.
        """
        length = positive_number("the length that weighs a radian", length, "metres")
        rates = 1.0 if rates is None else rates
        scale = number_for_each("the rates that weigh the joints", rates, nv, "joint velocities", positive=True)
        return cls(np.diag([length**2] * 3 + [1.0] * 3), np.diag(1.0 / scale**2))

    @classmethod
    def from_limits(cls, robot: Robot, length: float) -> Metric:
        """As `from_length`, each joint measured by its velocity limit: a joint at its limit counts as one.

        >>> import numpy as np
        >>> import sixvec
        >>> from sixvec.solve import Metric
        >>> arm = sixvec.load("panda")
        >>> bool(np.isclose(Metric.from_limits(arm, 0.2).joint[0, 0], 1 / arm.velocity_limits[0] ** 2))
        True
        """
        if not np.isfinite(robot.velocity_limits).all():
            free = [i for i, limit in enumerate(robot.velocity_limits) if not np.isfinite(limit)]
            raise ArgumentError(f"{robot.name} has no velocity limit for coordinates {free}; give `rates` instead")
        return cls.from_length(length, robot.nv, robot.velocity_limits)

    @classmethod
    def from_inertia(cls, robot: Robot, q: ArrayLike, task: ArrayLike) -> Metric:
        """The joint norm is twice the kinetic energy, N = M(q), which is independent of units."""
        return cls(np.asarray(task, float), np.asarray(robot.mass_matrix(q), float))

    @property
    def task_root(self) -> Array:
        """L with W = L Lᵀ."""
        return np.linalg.cholesky(self.task)

    @property
    def joint_root(self) -> Array:
        """K with N = K Kᵀ."""
        return np.linalg.cholesky(self.joint)

    def of_rows(self, rows: Sequence[int]) -> Metric:
        """The metric of a task that uses only these rows of the twist and ignores the others."""
        inside = np.linalg.inv(self.task)[..., rows, :][..., :, rows] if len(rows) < self.task.shape[-1] else None
        return self if inside is None else Metric(np.linalg.inv(inside), self.joint)

    def weighted(self, J: ArrayLike) -> Array:
        """Lᵀ J K⁻ᵀ: the Jacobian between coordinates in which both norms are Euclidean."""
        J = real_array("the Jacobian", J, self.task.shape[-1], self.joint.shape[-1], why="as the weights of the metric")
        weighted = np.swapaxes(self.task_root, -1, -2) @ J
        return np.swapaxes(np.linalg.solve(self.joint_root, np.swapaxes(weighted, -1, -2)), -1, -2)


def require_metric(metric: Any, nv: int | None = None) -> None:
    """A TypeError for anything but a metric: six numbers of mixed units have no size without one.

    With the robot's `nv`, a ShapeError for one that is made for other joints, or for less than a whole twist.

    >>> require_metric(Metric.from_length(0.2, 6), 7)
    Traceback (most recent call last):
    sixvec.errors.ShapeError: the metric weighs 6 joint velocities, the robot has 7: Metric.from_length(length, 7)
    """
    if not isinstance(metric, Metric):
        raise CallError(
            f"metric must be a Metric, made with Metric.from_length for example, not a {type(metric).__name__}"
        )
    if nv is None:
        return
    if metric.joint.shape[-1] != nv:
        raise ShapeError(
            f"the metric weighs {metric.joint.shape[-1]} joint velocities, the robot has {nv}: "
            f"Metric.from_length(length, {nv})"
        )
    if metric.task.shape[-1] != 6:
        raise ShapeError(f"the metric weighs {metric.task.shape[-1]} rows of a twist, 6 are asked for")


def _require_positive(weight: Array, name: str) -> None:
    require_finite(f"the {name} weight", weight)
    if weight.size and np.abs(weight - np.swapaxes(weight, -1, -2)).max() > EQUAL * np.abs(weight).max():
        raise ArgumentError(f"the {name} weight is not symmetric")
    try:
        np.linalg.cholesky(weight)
    except np.linalg.LinAlgError:
        raise ArgumentError(f"the {name} weight is not positive definite") from None
