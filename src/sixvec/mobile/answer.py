"""Results of a platform: twists and wheel rates, with their slip."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.border.answer import Answer
from sixvec.lazy import lazy
from sixvec.verdict import Verdict

Array = NDArray[Any]

ROLLING = 1e-9
"""Slip below this fraction of the largest wheel speed counts as zero: well above rounding, well below any sensor."""


_WHY = {
    Verdict.SINGULAR: "the wheels do not determine the motion",
    Verdict.INVALID: "the motion is not finite",
    Verdict.AT_LIMIT: "the wheels would have to be steered beyond their limit",
}


@dataclass(frozen=True, eq=False, repr=False)
class CasterRates(Answer):
    """Rates (..., casters) in rad/s at which casters roll and swivel."""

    roll: Array
    swivel: Array


@dataclass(frozen=True, eq=False, repr=False)
class EquivalentLegs(Answer):
    """Pivots (..., n, 2) of RPR legs, on the ground and on the platform."""

    ground: Array
    platform: Array


@dataclass(frozen=True)
class SlipReport:
    """Slip of the wheels; batch axes first."""

    slip: Array
    """m/s along each line of `names`: at the rim, positive if a wheel is too fast; sideways, to the left."""
    residual: Array
    """The greatest slip, m/s."""
    speed: Array = field(repr=False)
    """The largest speed of a wheel, for comparison, m/s."""
    names: tuple[str, ...] = field(repr=False)

    @lazy
    def verdict(self) -> NDArray[np.int8]:
        """SOLVED if no wheel slips, UNREACHABLE if they cannot roll together, AT_LIMIT if the steering cannot
        follow, SINGULAR if the motion is not determined, INVALID if it is not finite."""
        slips = self.residual > ROLLING * self.speed
        found = np.where(slips, Verdict.UNREACHABLE, np.where(self._at_limit(), Verdict.AT_LIMIT, Verdict.SOLVED))
        found = np.where(np.isnan(self.residual), Verdict.SINGULAR, found)
        return np.where(np.isfinite(self.speed), found, Verdict.INVALID).astype(np.int8)

    def _at_limit(self) -> Any:
        return False

    def explain(self, index: Any = ()) -> str:
        """One sample in words: the wheels that slip, and their slip."""
        slip, verdict = self.slip[index], Verdict(int(self.verdict[index]))
        if verdict == Verdict.SOLVED:
            return "all wheels roll"
        if verdict in _WHY:
            return _WHY[verdict]
        shown = [k for k in np.argsort(-np.abs(slip)) if abs(slip[k]) > ROLLING * self.speed[index]]
        return "the wheels cannot roll together: " + ", ".join(f"{self.names[k]} {slip[k]:.3g} m/s" for k in shown)

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())

    def _summary(self) -> str:
        if self.verdict.ndim == 0:
            return self.explain()
        return f"{int((self.verdict == Verdict.SOLVED).sum())} of {self.verdict.size} roll"


@dataclass(frozen=True, repr=False)
class PlatformVelocity(SlipReport):
    """The twist (..., 3) of a platform from the rates of its wheels; as an array it is the twist."""

    twist: Array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.twist, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"<PlatformVelocity: {self._summary()}>"


@dataclass(frozen=True, repr=False)
class WheelRates(SlipReport):
    """Rates (..., driven wheels) and steering (..., inputs) for a twist of the platform; as an array, the rates."""

    rates: Array
    steer: Array
    limits: tuple[float, ...] = ()
    """Of the steering, if the wheels follow."""

    def _at_limit(self) -> Any:
        return (np.abs(self.steer) >= np.array(self.limits)).any(axis=-1) if self.limits else False

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.rates, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"<WheelRates: {self._summary()}>"
