"""Results of a platform: twists and wheel rates, with their slip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.kernels.any_arrays import values_of
from sixvec.lazy import lazy
from sixvec.mobile.wheel import Caster
from sixvec.tolerances import EQUAL
from sixvec.verdict import Verdict

_WHY = {
    Verdict.SINGULAR: "the wheels do not determine the motion",
    Verdict.INVALID: "the motion is not finite",
    Verdict.AT_LIMIT: "the wheels would have to be steered beyond their limit",
}


@dataclass(frozen=True, eq=False, repr=False)
class CasterRates(Result):
    """Rates (..., casters) in rad/s at which casters roll and swivel."""

    roll: Array
    swivel: Array

    @classmethod
    def of(cls, casters: Sequence[Caster], twist: Array, angles: Array) -> CasterRates:
        """Those of casters that point to `angles` (..., casters) on a platform with this twist (..., 3)."""
        x, y, offset, radius = np.array([[w.x, w.y, w.offset, w.radius] for w in casters]).reshape(-1, 4).T
        omega, vx, vy = (twist[..., k, None] for k in range(3))
        px, py = vx - omega * y, vy + omega * x
        c, s = np.cos(angles), np.sin(angles)
        return cls((c * px + s * py) / radius, (c * py - s * px) / offset - omega)


@dataclass(frozen=True, eq=False, repr=False)
class LineForces(Result):
    """Forces (..., n) along the lines of a platform's wheels, N."""

    force: Array
    residual: Array
    """The part (...) of the wrench that no forces apply, N or N m; 0 if there is none."""


@dataclass(frozen=True, eq=False, repr=False)
class EquivalentLegs(Result):
    """Pivots (..., n, 2) of RPR legs, on the ground and on the platform."""

    ground: Array
    platform: Array


@dataclass(frozen=True, eq=False, repr=False)
class SlipReport(Result):
    """Slip of the wheels; batch axes first."""

    slip: Array
    """m/s along each line of `names`: at the rim, positive if a wheel is too fast; sideways, to the left."""
    residual: Array
    """The greatest slip, m/s."""
    speed: Array
    """The largest speed of a wheel, for comparison, m/s."""
    names: tuple[str, ...]

    @lazy
    def verdict(self) -> NDArray[np.int8]:
        """SOLVED if no wheel slips, UNREACHABLE if they cannot roll together, AT_LIMIT if the steering cannot
        follow, SINGULAR if the motion is not determined, INVALID if it is not finite."""
        residual, speed = values_of(self.residual), values_of(self.speed)
        slips = residual > self._rolling * speed
        verdict = np.where(slips, Verdict.UNREACHABLE, np.where(self._at_limit(), Verdict.AT_LIMIT, Verdict.SOLVED))
        verdict = np.where(np.isnan(residual), Verdict.SINGULAR, verdict)
        return np.where(np.isfinite(speed), verdict, Verdict.INVALID).astype(np.int8)

    @property
    def _rolling(self) -> float:
        """Slip of this fraction of the speed is rounding."""
        return max(EQUAL, 4.0 * float(np.finfo(values_of(self.residual).dtype).eps))

    def _at_limit(self) -> Any:
        return False

    def explain(self, index: Any = ()) -> str:
        """One sample as text: the wheels that slip, and their slip."""
        slip, verdict = values_of(self.slip)[index], Verdict(int(self.verdict[index]))
        if verdict == Verdict.SOLVED:
            return "all wheels roll"
        if verdict in _WHY:
            return _WHY[verdict]
        least = self._rolling * values_of(self.speed)[index]
        shown = [k for k in np.argsort(-np.abs(slip)) if abs(slip[k]) > least]
        return "the wheels cannot roll together: " + ", ".join(f"{self.names[k]} {slip[k]:.3g} m/s" for k in shown)

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())

    def __repr__(self) -> str:
        rolling = self.verdict == Verdict.SOLVED
        text = f"{int(rolling.sum())} of {rolling.size} roll" if rolling.ndim else self.explain()
        return f"<{type(self).__name__}: {text}>"


@dataclass(frozen=True, eq=False, repr=False)
class PlatformVelocity(SlipReport):
    """The twist (..., 3) of a platform from the rates of its wheels; as an array it is the twist."""

    twist: Array
    array_part: ClassVar[str] = "twist"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(values_of(self.twist), dtype=dtype, copy=copy)


@dataclass(frozen=True, eq=False, repr=False)
class WheelRates(SlipReport):
    """Rates (..., driven wheels) and steering (..., inputs) for a twist of the platform; as an array, the rates."""

    rates: Array
    steer: Array
    array_part: ClassVar[str] = "rates"
    limits: tuple[float, ...] = ()
    """Of the steering, if the wheels follow."""

    def _at_limit(self) -> Any:
        return (np.abs(values_of(self.steer)) >= np.array(self.limits)).any(axis=-1) if self.limits else False

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(values_of(self.rates), dtype=dtype, copy=copy)
