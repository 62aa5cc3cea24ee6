"""Tensions that produce given joint forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, number_for_each, real_array
from sixvec.arguments.checks import common_batch, require_all
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.muscles.least_effort import LeastEffort, least_effort
from sixvec.muscles.pulling import coordinate_labels, joint_places, tendon_places, tension_limits
from sixvec.verdict import Verdict, Verdicts, tally

if TYPE_CHECKING:
    from sixvec.robot import Robot


@dataclass(frozen=True, eq=False, repr=False)
class Tensions(Result):
    """Tensions (..., tendons) in N, the joint forces tau (..., nv) that they produce, and a verdict for each sample.

    `residual` is the part of the requested joint forces that is missing, and `joint` the coordinate of v that misses
    most, -1 where nothing is missing; `explain` names it.  It is true if every sample is solved.
    """

    tension: Array
    tau: Array
    residual: Array
    verdict: Verdicts
    joint: NDArray[np.int64]
    names: tuple[str, ...] = ()
    """A name for each coordinate of v."""
    activation: Array | None = None
    """Activations (..., muscles), where these were looked for."""

    def __bool__(self) -> bool:
        return bool((self.verdict == int(Verdict.SOLVED)).all())

    def __str__(self) -> str:
        return tally(self.verdict)

    def explain(self, index: Any = ()) -> str:
        """What the verdict of one sample means; of a batch, the sample with an index such as `3` or `(0, 3)`.

        >>> import sixvec
        >>> from sixvec.model import FixedTendon
        >>> from sixvec.muscles import tensions
        >>> flexor = FixedTendon("flexor", (("joint2", 0.05),))
        >>> print(tensions(sixvec.load("planar_2r").with_tendons(flexor), [0.0, 0.0], [0.0, 3.0]).explain())
        infeasible: no tensions within the limits produce 3 at joint2; the nearest is 0
        """
        if np.ndim(self.verdict[index]):
            shape = self.verdict.shape
            raise ArgumentError(f"these are {self.verdict.size} samples; explain(index) describes one of batch {shape}")
        verdict = Verdict(int(self.verdict[index]))
        if verdict != Verdict.INFEASIBLE:
            return str(verdict)
        i = int(self.joint[index])
        got = float(self.tau[index][i]) + 0.0
        goal = got + float(self.residual[index][i])
        return (
            f"{verdict}: no tensions within the limits produce {goal:.3g} at {self.names[i]}; the nearest is {got:.3g}"
        )


@any_arrays_same_dtype
def tensions(
    robot: Robot,
    q: ArrayLike,
    tau: ArrayLike,
    *,
    lower: ArrayLike = 0.0,
    upper: ArrayLike = np.inf,
    weight: ArrayLike = 1.0,
    aim: ArrayLike = 0.0,
    tendons: Sequence[str] | None = None,
    joints: Sequence[str] | None = None,
) -> Tensions:
    """Tensions within limits, in N, that produce the joint forces tau (..., nv) at q (..., nq) with the least effort.

    Of all t with  -Jᵀ t = tau  and  lower ≤ t ≤ upper  the one for which  Σ ((t - aim) / weight)²  is least, with J the
    `tendon_jacobian`.  `lower`, `upper`, `weight` (a muscle's peak force or cross-section) and `aim` (a cable's
    preferred tension) are numbers, or one for each tendon.  Only the tendons named in `tendons` pull, and only the
    joints named in `joints` are driven by them; by default all.  A sample whose forces no tensions can produce has the
    verdict "infeasible", with the tensions that come nearest and the joint that lacks most.

    For a cable-driven robot tau is the wrench on its platform: this is the distribution of tension.
    Quadratic programs in a batch.  Bruyninckx §6.1.

    >>> import sixvec
    >>> from sixvec.model import FixedTendon
    >>> from sixvec.muscles import tensions
    >>> pair = FixedTendon("flexor", (("joint2", -0.05),)), FixedTendon("extensor", (("joint2", 0.04),))
    >>> arm = sixvec.load("planar_2r").with_tendons(*pair)
    >>> result = tensions(arm, [0.0, 0.0], [[0.0, 2.0], [0.0, -2.0]], joints=["joint2"])
    >>> result.tension.round(9).tolist(), str(result)
    ([[40.0, 0.0], [0.0, 50.0]], '2 solved')
    """
    where = "tensions"
    places, driven = tendon_places(robot, tendons, where), joint_places(robot, joints, where)
    count = len(places)
    least, most = tension_limits(lower, upper, count, where)
    scale = number_for_each(f"{where}: weight", weight, count, "tendons", positive=True)
    goal = real_array(f"{where}: tau", tau, robot.nv)
    centre = np.broadcast_to(real_array(f"{where}: aim", aim), np.broadcast_shapes(np.shape(aim), (count,)))
    require_all(f"{where}: aim", centre, ~np.isinf(centre), "finite")
    J = np.asarray(robot.tendon_jacobian(real_array(f"{where}: q", q, robot.nq)), float)[..., places, :]
    A = -np.swapaxes(J, -1, -2)
    common_batch(
        where, [J.shape[:-2], goal.shape[:-1], least.shape[:-1], most.shape[:-1]], ["q", "tau", "lower", "upper"]
    )
    solution = least_effort(A[..., driven, :], goal[..., driven], least, most, scale, centre)
    return _result(robot, A, driven, places, solution)


def _result(robot: Robot, A: Array, driven: list[int], places: list[int], s: LeastEffort) -> Tensions:
    """The result for all tendons and joints from that for the chosen ones."""
    batch = s.verdict.shape
    tension = np.where(np.isnan(s.x).all(-1, keepdims=True), np.nan, np.zeros((*batch, len(robot.model.tendons))))
    tension[..., places] = s.x
    residual = np.where(np.isnan(s.lack).all(-1, keepdims=True), np.nan, np.zeros((*batch, robot.nv)))
    residual[..., driven] = s.lack
    tau = np.einsum("...ij,...j->...i", A, s.x)
    return Tensions(tension, tau, residual, s.verdict, missing_most(s, driven), tuple(coordinate_labels(robot)))


def missing_most(s: LeastEffort, driven: list[int]) -> NDArray[np.int64]:
    """The coordinate that misses most in each sample, -1 where nothing is missing."""
    if not driven:
        return np.full(s.verdict.shape, -1)
    worst = np.asarray(driven)[np.abs(np.nan_to_num(s.lack)).argmax(-1)]
    return np.where(s.verdict == int(Verdict.INFEASIBLE), worst, -1)
