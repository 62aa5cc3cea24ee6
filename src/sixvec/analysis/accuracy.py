"""How well a robot returns to a pose: accuracy and repeatability as ISO 9283 defines them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.arguments.rigid_poses import MEASURED_DEVIATION, require_rotations
from sixvec.errors import ArgumentError, ShapeError
from sixvec.ik.kinematic_maps import pose_difference
from sixvec.kernels.any_arrays import any_arrays_same_dtype

SIGMAS = 3.0
"""ISO 9283 reports three standard deviations."""
FEWEST = 2


@dataclass(frozen=True, eq=False, repr=False)
class PoseAccuracy(Result):
    """Pose accuracy and repeatability of n attained poses for one command (ISO 9283:1998, 7.2).

    Lengths in metres, angles in radians.  The orientation is the rotation vector from command to attained, whose
    components are the standard's angles a, b, c for the small errors of robots.
    """

    offset: Array
    """x̄ - x_c: mean attained position less the commanded one."""
    position_accuracy: float
    """AP = |x̄ - x_c|."""
    position_repeatability: float
    """RP = l̄ + 3 S_l, with l the distances of the attained positions from their mean."""
    orientation_accuracy: Array
    """AP_a, AP_b, AP_c: mean attained angles less the commanded ones."""
    orientation_repeatability: Array
    """RP_a, RP_b, RP_c: three standard deviations of each angle."""
    count: int

    def __str__(self) -> str:
        angles = ", ".join(f"{x * 1e3:.3g}" for x in self.orientation_accuracy)
        spread = ", ".join(f"±{x * 1e3:.3g}" for x in self.orientation_repeatability)
        return (
            f"{self.count} poses: accuracy {self.position_accuracy * 1e3:.3g} mm ({angles} mrad), "
            f"repeatability {self.position_repeatability * 1e3:.3g} mm ({spread} mrad)"
        )


@any_arrays_same_dtype
def pose_accuracy(commanded: ArrayLike, attained: ArrayLike) -> PoseAccuracy:
    """Accuracy and repeatability of poses (n, 4, 4) attained for one commanded pose (4, 4).

    ISO 9283 requires n = 30 approaches.  Standard deviations divide by n - 1.

    >>> import numpy as np
    >>> from sixvec.analysis import pose_accuracy
    >>> here = np.eye(4)
    >>> shifted = np.stack([here, here])
    >>> shifted[0, 0, 3], shifted[1, 0, 3] = 0.001, 0.003
    >>> result = pose_accuracy(here, shifted)
    >>> round(result.position_accuracy, 6), round(result.position_repeatability, 6)
    (0.002, 0.001)
    """
    names = "one commanded pose (4, 4) and attained ones (n, 4, 4)", "attained poses", "poses"
    target, poses = _measured(commanded, attained, (4, 4), *names)
    require_rotations(target, "pose_accuracy: commanded", MEASURED_DEVIATION)
    require_rotations(poses, "pose_accuracy: attained", MEASURED_DEVIATION)
    e = np.asarray(pose_difference(target, poses))
    angles, positions = e[:, :3], e[:, 3:]
    mean = positions.mean(axis=0)
    distances = np.linalg.norm(positions - mean, axis=1)
    return PoseAccuracy(
        mean,
        float(np.linalg.norm(mean)),
        float(distances.mean() + SIGMAS * distances.std(ddof=1)),
        angles.mean(axis=0),
        SIGMAS * angles.std(axis=0, ddof=1),
        len(poses),
    )


@dataclass(frozen=True)
class DistanceAccuracy:
    """Accuracy and repeatability of the distance between two positions, m."""

    accuracy: float
    """AD: error of the mean distance."""
    repeatability: float
    """RD: 3 standard deviations."""


def distance_accuracy(commanded: ArrayLike, attained: ArrayLike) -> DistanceAccuracy:
    """AD and RD of ISO 9283:1998, 7.3: error of the mean distance between two positions, and ± 3 standard deviations.

    `commanded` (2, 3) are the two positions, `attained` (n, 2, 3) the pairs that were reached.

    >>> import numpy as np
    >>> from sixvec.analysis import distance_accuracy
    >>> pairs = np.array([[[0.0, 0.0, 0.0], [1.001, 0.0, 0.0]]] * 3)
    >>> found = distance_accuracy([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], pairs)
    >>> round(found.accuracy, 6), round(found.repeatability, 6)
    (0.001, 0.0)
    """
    names = "two commanded positions (2, 3) and pairs (n, 2, 3)", "pairs", "positions"
    target, pairs = _measured(commanded, attained, (2, 3), *names)
    lengths = np.linalg.norm(pairs[:, 1] - pairs[:, 0], axis=1)
    distance = np.linalg.norm(target[1] - target[0])
    return DistanceAccuracy(float(abs(lengths.mean() - distance)), float(SIGMAS * lengths.std(ddof=1)))


def _measured(
    commanded: ArrayLike, attained: ArrayLike, shape: tuple[int, int], both: str, several: str, all_of_them: str
) -> tuple[Array, Array]:
    """Check that one pose is commanded and enough are attained; the names appear in errors."""
    target, measured = np.asarray(commanded, float), np.asarray(attained, float)
    if target.shape != shape or measured.ndim != 3 or measured.shape[1:] != shape:
        raise ShapeError(f"{both}, not {target.shape} and {measured.shape}")
    if len(measured) < FEWEST:
        raise ArgumentError(f"repeatability needs at least {FEWEST} {several}, not {len(measured)}")
    if not (np.isfinite(target).all() and np.isfinite(measured).all()):
        raise ArgumentError(f"some of the {all_of_them} are not finite")
    return target, measured
