"""All poses of a platform for given actuator positions, as a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.kernels.any_arrays import values_of
from sixvec.lazy import lazy
from sixvec.parallel.rod_lines import least_values
from sixvec.verdict import Verdict

if TYPE_CHECKING:
    from sixvec.parallel.mechanism import ParallelRobot

THIN = 1e-3
"""A margin below this is printed."""


@dataclass(frozen=True, eq=False)
class AssemblyModes(Result):
    """The poses in which the legs close, of one sample or of a batch.

    For one sample `poses` are those that exist; in a batch each sample has as many slots as the largest count, and
    slots beyond its `count` are NaN.
    """

    poses: Array
    """(count, …) of one sample, (..., most, …) of a batch."""
    count: Any
    """The number of real poses."""
    complex_count: Any
    """The number of solutions found over the complex numbers, real ones included."""
    certified: Any
    """Whether this is the number for the design, all distinct and each checked: the list is complete, also for
    dimensions and positions that differ in the last digit.  `margin` says how far it is from a list that is not."""
    labels: Any
    """A name for each pose, in the order of `poses`: signs that change only through a singularity."""
    residual: Any
    """The largest error of a leg over the poses, in metres; zero if there are none."""
    self_motion: Any = False
    """Whether the platform moves with all legs locked: then there is a curve of poses, and none is listed."""
    q: Any = None
    """The actuator positions that were given, (..., n)."""
    verdict: Any = Verdict.SOLVED
    """`Verdict` of each sample: invalid if a leg has no positive length, unreachable if there is no pose."""
    leg: Any = -1
    """The leg without a positive length, or the leg that cannot close together with `other`; else -1."""
    other: Any = -1
    mechanism: ParallelRobot | None = None
    """The robot."""
    complex_margin: Any = np.inf
    """The least value of `margin` over the solutions that are not poses; infinite if none was computed."""

    @lazy
    def margin(self) -> Any:
        """The least singular value of the rods' lines, in units of the largest, over all solutions that were computed.

        Zero at a singularity of type II: there poses coincide, or are not isolated.  Near it a small change of the
        dimensions or positions, by about the square of the margin, changes the number of poses.  Infinite if there is
        no solution, or if a closed form has no real one.  Where paths were followed, complex solutions count with a
        lower bound, at most 2.5 times too small.
        """
        if self.mechanism is None:
            return self.complex_margin
        real = least_values(self.mechanism, values_of(self.q), values_of(self.poses))
        least = np.minimum(real.min(axis=-1, initial=np.inf), self.complex_margin)
        return least if np.ndim(self.count) else float(least)

    def explain(self, index: Any = ()) -> str:
        """One sample as text."""
        leg, other, count = (int(np.asarray(x)[index]) for x in (self.leg, self.other, self.count))
        if int(np.asarray(self.verdict)[index]) == Verdict.INVALID:
            return f"invalid: leg {leg} has no positive finite length"
        if np.asarray(self.self_motion)[index]:
            return "a self-motion: the platform moves with all legs locked, its poses are not isolated"
        if leg >= 0:
            return f"cannot close: legs {leg} and {other} are too different in length for their pivots"
        sure = bool(np.asarray(self.certified)[index])
        if not count:
            return "cannot close: there is no real pose" if sure else "no pose was found, possibly one is missing"
        return f"{count} poses, {'none is missing' if sure else 'possibly one is missing'}"

    def __repr__(self) -> str:
        if np.ndim(self.count):
            return f"<AssemblyModes of {np.size(self.count)} samples, {int(np.sum(self.certified))} certified>"
        if self.self_motion:
            return "<AssemblyModes: a self-motion, poses are not isolated>"
        if self.verdict != Verdict.SOLVED:
            return f"<AssemblyModes: {self.explain()}>"
        text = "certified" if self.certified else "possibly incomplete"
        if self.certified and self.margin < THIN:
            text += f" with a margin of {self.margin:.1g}"
        return f"<AssemblyModes: {self.count} poses, {self.complex_count} complex solutions, {text}>"


def gathered(
    poses: Array,
    valid: Array,
    labels: Any,
    residual: Array,
    complex_count: Any,
    certified: Any,
    self_motion: Any = False,
    complex_margin: Any = np.inf,
) -> AssemblyModes:
    """A result from slots: poses (*batch, k, …), valid (*batch, k) and labels (k,) or (*batch, k).

    Existing poses come first, in the order of the slots.
    """
    batch = valid.shape[:-1]
    if batch and valid.all():
        names = np.broadcast_to(np.asarray(labels, object), valid.shape)
        worst, count = residual.max(axis=-1, initial=0.0), np.full(batch, valid.shape[-1])
        filled = [np.broadcast_to(np.asarray(x), batch) for x in (complex_count, certified, self_motion)]
        return AssemblyModes(poses, count, filled[0], filled[1], names, worst, filled[2], complex_margin=complex_margin)
    order = np.argsort(~valid, axis=-1, kind="stable")
    inner = poses.ndim - valid.ndim
    poses = np.take_along_axis(poses, order.reshape(*order.shape, *[1] * inner), axis=len(batch))
    names = np.take_along_axis(np.broadcast_to(np.asarray(labels, object), valid.shape), order, axis=-1)
    there = np.take_along_axis(valid, order, axis=-1)
    count = valid.sum(axis=-1)
    worst = np.where(valid, residual, 0.0).max(axis=-1, initial=0.0)
    filled = [np.broadcast_to(np.asarray(x), batch) for x in (complex_count, certified, self_motion)]
    if not batch:
        n = int(count)
        return AssemblyModes(
            poses[:n], n, int(filled[0]), bool(filled[1]), tuple(names[:n]), float(worst), bool(filled[2]),
            complex_margin=float(complex_margin),
        )  # fmt: skip
    most = int(count.max(initial=0))
    poses = np.where(there.reshape(*there.shape, *[1] * inner), poses, np.nan)
    head = (slice(None),) * len(batch) + (slice(0, most),)
    names = np.where(there, names, "")
    return AssemblyModes(
        poses[head], count, filled[0], filled[1], names[head], worst, filled[2], complex_margin=complex_margin
    )
