"""How well a robot moves, pushes and accelerates its tool, with weights for the units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, number_for_each
from sixvec.arguments.result import Result
from sixvec.constraints.loop_equations import feasible_basis
from sixvec.errors import ArgumentError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.model.spanning_tree import require_sliding
from sixvec.robot import Robot
from sixvec.solve.metric import Metric, require_metric
from sixvec.solve.spectrum import Spectrum, spectrum
from sixvec.tolerances import RANK


@dataclass(frozen=True, eq=False, repr=False)
class ManipulabilityEllipsoid(Result):
    """The ellipsoid of unit joint inputs: the principal `axes` (..., 6, k), one per column, and their `radii`.

    `volume` is the product of the radii, Yoshikawa's index √det(J N⁻¹ Jᵀ) with both weights: 0 in a singularity
    for velocities, infinite for forces.
    """

    radii: Array
    axes: Array

    @property
    def volume(self) -> Array:
        """The product of the radii."""
        return _volume(self.radii)

    @property
    def isotropy(self) -> Array:
        """Smallest over largest radius, in [0, 1]; 0 if a radius is infinite.

        >>> float(ManipulabilityEllipsoid(np.array([2.0, 1.0]), np.eye(2)).isotropy)
        0.5
        """
        return _isotropy(self.radii)


@any_arrays_same_dtype
def _volume(radii: Array) -> Array:
    return np.asarray(np.prod(radii, axis=-1))


@any_arrays_same_dtype
def _isotropy(radii: Array) -> Array:
    largest, smallest = radii.max(axis=-1, initial=0.0), radii.min(axis=-1, initial=np.inf)
    usable = (largest > 0.0) & np.isfinite(largest)
    share = np.where(usable, smallest / np.where(usable, largest, 1.0), 0.0)
    return np.where(np.isnan(largest), np.nan, share)


@any_arrays_same_dtype
def velocity_manipulability(
    robot: Robot, q: ArrayLike, frame: str, metric: Metric, reference: Reference = "local_world_aligned"
) -> ManipulabilityEllipsoid:
    """The twists of joint velocities with vᵀ N v ≤ 1, in a mechanism with loops only those that keep the loops closed.

    T. Yoshikawa, Int. J. Robotics Research 4(2), 1985; Bruyninckx §5.5.1.  For fewer than six joints it is the
    ellipsoid within the feasible twists.  The weight matters: without one radians and metres are mixed,
    and the index depends on the unit of length.

    >>> import sixvec
    >>> from sixvec.analysis import velocity_manipulability
    >>> from sixvec.solve import Metric
    >>> arm = sixvec.load("panda")
    >>> e = velocity_manipulability(arm, arm.random(0, 3), "panda_link8", Metric.from_length(0.2, 7))
    >>> e.volume.shape, e.axes.shape
    ((3,), (3, 6, 6))
    """
    return _ellipsoid(_feasible_spectrum(robot, q, frame, metric, reference))


@any_arrays_same_dtype
def force_manipulability(
    robot: Robot, q: ArrayLike, frame: str, metric: Metric, reference: Reference = "local"
) -> ManipulabilityEllipsoid:
    """The wrenches exerted by the robot with joint forces τᵀ N⁻¹ τ ≤ 1, measured by fᵀ W⁻¹ f.

    The norms are dual to those of velocity, so that power is bounded by the product of the norms: the axes are the
    duals W t of those of velocity, the radii the reciprocals; directions of low speed have high force.  In a
    singularity, where a singular value is below RANK times the largest, the structure bears some wrenches
    without joint forces, and the radius and the volume are infinite.  Wrenches are in frame axes by default; set
    `reference` to "local_world_aligned" for the duals of the default axes of velocity.
    """
    s = _feasible_spectrum(robot, q, frame, metric, reference)
    k = s.values.shape[-1]
    lost = (s.values <= RANK * s.values.max(axis=-1, keepdims=True, initial=0.0)) & ~np.isnan(s.values)
    radii = np.where(lost, np.inf, 1.0 / np.where(lost, 1.0, s.values))
    return ManipulabilityEllipsoid(radii, metric.task @ s.twists[..., :k])


@any_arrays_same_dtype
def dynamic_manipulability(
    robot: Robot,
    q: ArrayLike,
    frame: str,
    task: Metric | ArrayLike,
    efforts: ArrayLike | None = None,
    reference: Reference = "local_world_aligned",
) -> ManipulabilityEllipsoid:
    """The accelerations at rest, gravity compensated, of joint forces with Σ (τᵢ/effortᵢ)² ≤ 1:  a = J M⁻¹ τ.

    T. Yoshikawa's dynamic manipulability (ICRA 1985): the radii of Lᵀ J M⁻¹ diag(efforts), W = L Lᵀ the `task` weight,
    (6, 6) or a metric's, whose joint weight is not used.  `efforts` are the robot's effort limits if not given;
    with loops M is that of the closed mechanism, and passive joints have 0.

    >>> import sixvec
    >>> from sixvec.analysis import dynamic_manipulability
    >>> from sixvec.solve import Metric
    >>> arm = sixvec.load("panda")
    >>> dynamic_manipulability(arm, arm.random(0), "panda_link8", Metric.from_length(0.2, 7)).radii.shape
    (6,)
    """
    require_sliding(robot.model, "dynamic_manipulability")
    metric = task if isinstance(task, Metric) else Metric(np.asarray(task, float), np.eye(robot.nv))
    require_metric(metric, robot.nv)
    scale = number_for_each("efforts", robot.effort_limits if efforts is None else efforts, robot.nv, "velocities")
    least = scale >= 0.0 if robot.model.closures else scale > 0.0
    if not (np.isfinite(scale) & least).all():
        raise ArgumentError(
            f"dynamic manipulability needs finite, positive efforts for all joints, not {scale.tolist()}"
        )
    J = np.asarray(robot.jacobian(q, frame, reference))
    M = np.asarray(robot.mass_matrix(q))
    # A sample that is not finite is NaN by its Jacobian; its weight must not raise an error for the others.
    M = np.where(np.isfinite(M).all(axis=(-1, -2), keepdims=True), M, np.eye(robot.nv))
    K = feasible_basis(robot, q, Metric.from_length(1.0, robot.nv))
    Kt = np.swapaxes(K, -1, -2)
    accelerations = K @ np.linalg.solve(Kt @ M @ K, Kt * scale)  # M⁻¹ diag(efforts) for a tree
    s = spectrum(J @ accelerations, Metric(metric.task, np.eye(robot.nv)))
    k = min(s.values.shape[-1], K.shape[-1])
    return ManipulabilityEllipsoid(s.values[..., :k], s.twists[..., :k])


def _feasible_spectrum(robot: Robot, q: ArrayLike, frame: str, metric: Metric, reference: Reference) -> Spectrum:
    """The spectrum of the motions that keep the loops closed, measured in the joint norm."""
    require_metric(metric, robot.nv)
    J = np.asarray(robot.jacobian(q, frame, reference), float)
    if not robot.model.closures:
        return spectrum(J, metric)
    K = feasible_basis(robot, q, metric)
    return spectrum(J @ K, Metric(metric.task, np.eye(K.shape[-1])))


def _ellipsoid(s: Spectrum) -> ManipulabilityEllipsoid:
    return ManipulabilityEllipsoid(s.values, s.twists[..., : s.values.shape[-1]])
