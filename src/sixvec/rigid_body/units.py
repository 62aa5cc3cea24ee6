"""Unit checks: numbers that carry their unit through any equation of the library.

Because every equation runs on any scalar, it runs on a `Quantity` too, and a term with the wrong unit raises.  For
plain numbers; angles are pure numbers.  Bruyninckx 4.11.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

from sixvec.errors import FrameError


@dataclass(frozen=True, slots=True)
class Unit:
    """kg^mass · m^length · s^time.

    >>> str(KILOGRAM * METRE / SECOND**2), NEWTON == KILOGRAM * METRE / SECOND**2
    ('kg m s^-2', True)
    """

    mass: int = 0
    length: int = 0
    time: int = 0

    @overload
    def __mul__(self, other: Unit) -> Unit: ...
    @overload
    def __mul__(self, other: float) -> Quantity: ...
    def __mul__(self, other: Unit | float) -> Unit | Quantity:
        if isinstance(other, Unit):
            return Unit(self.mass + other.mass, self.length + other.length, self.time + other.time)
        return Quantity(other, self)

    def __rmul__(self, value: float) -> Quantity:
        return Quantity(value, self)

    def __truediv__(self, other: Unit) -> Unit:
        return self * other**-1

    def __pow__(self, k: int) -> Unit:
        return Unit(self.mass * k, self.length * k, self.time * k)

    def __str__(self) -> str:
        powers = (("kg", self.mass), ("m", self.length), ("s", self.time))
        return " ".join(name if k == 1 else f"{name}^{k}" for name, k in powers if k) or "1"


ONE = Unit()
KILOGRAM, METRE, SECOND = Unit(mass=1), Unit(length=1), Unit(time=1)
NEWTON = KILOGRAM * METRE / SECOND**2
NEWTON_METRE = NEWTON * METRE
"""Of moments; the joule, the unit of energy, has the same dimensions."""

JOULE = NEWTON_METRE
WATT = JOULE / SECOND
NEWTON_SECOND = NEWTON * SECOND
"""Of linear momentum."""

NEWTON_METRE_SECOND = NEWTON_METRE * SECOND
"""Of angular momentum."""


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """A plain number with a unit; sums and comparisons ask for equal units, products and quotients make new ones.

    The number 0 has every unit, as empty sums and structural zeros are written so.

    >>> str(2.0 * METRE / (4.0 * SECOND))
    '0.5 m s^-1'
    >>> 2.0 * METRE + 1.0 * SECOND
    Traceback (most recent call last):
    ...
    sixvec.errors.FrameError: cannot add or compare 2.0 m and 1.0 s: their units differ
    """

    value: float
    unit: Unit

    def __str__(self) -> str:
        return f"{self.value} {self.unit}"

    def __add__(self, other: Quantity | float) -> Quantity:
        return Quantity(self.value + self._alike(other), self.unit)

    __radd__ = __add__

    def __sub__(self, other: Quantity | float) -> Quantity:
        return Quantity(self.value - self._alike(other), self.unit)

    def __rsub__(self, other: Quantity | float) -> Quantity:
        return Quantity(self._alike(other) - self.value, self.unit)

    def __neg__(self) -> Quantity:
        return Quantity(-self.value, self.unit)

    def __abs__(self) -> Quantity:
        return Quantity(abs(self.value), self.unit)

    def __mul__(self, other: Quantity | float) -> Quantity:
        other = _quantity(other)
        return Quantity(self.value * other.value, self.unit * other.unit)

    __rmul__ = __mul__

    def __truediv__(self, other: Quantity | float) -> Quantity:
        other = _quantity(other)
        return Quantity(self.value / other.value, self.unit / other.unit)

    def __rtruediv__(self, other: float) -> Quantity:
        return _quantity(other) / self

    def __lt__(self, other: Quantity | float) -> bool:
        return self.value < self._alike(other)

    def __gt__(self, other: Quantity | float) -> bool:
        return self.value > self._alike(other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quantity | int | float):
            return NotImplemented
        return self.value == self._alike(other)

    def __hash__(self) -> int:
        return hash(self.value)

    def sqrt(self) -> Quantity:
        """√; the powers of the unit must be even.

        >>> str((4.0 * METRE**2).sqrt())
        '2.0 m'
        """
        unit = Unit(self.unit.mass // 2, self.unit.length // 2, self.unit.time // 2)
        if unit**2 != self.unit:
            raise FrameError(f"{self} has no square root: the powers of its unit are not even")
        return Quantity(self.value**0.5, unit)

    def as_number(self, unit: Unit) -> float:
        """The number, if the unit is the one expected.

        >>> (3.0 * NEWTON * (2.0 * METRE)).as_number(JOULE)
        6.0
        """
        if self.unit != unit:
            raise FrameError(f"{self} is not in {unit}")
        return self.value

    def _alike(self, other: Quantity | float) -> float:
        if not isinstance(other, Quantity) and other == 0.0:
            return 0.0
        other = _quantity(other)
        if other.unit != self.unit:
            raise FrameError(f"cannot add or compare {self} and {other}: their units differ")
        return other.value


def _quantity(x: Quantity | float) -> Quantity:
    return x if isinstance(x, Quantity) else Quantity(x, ONE)
