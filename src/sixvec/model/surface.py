"""How shapes touch: friction, masks and softness of a shape, and the parameters of a pair.

The fields and their defaults are those of MuJoCo (modeling guide, "contact parameters"), because it is the only format
that defines all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Literal

from sixvec.errors import ModelError

Combination = Literal["max", "min"]
"""How two coefficients of friction become one: the larger (MuJoCo) or the smaller (ODE, the default engine of SDF)."""

SOLREF = (0.02, 1.0)
"""Time constant in seconds and damping ratio of a soft constraint; two negative numbers are stiffness and damping."""

SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
"""Impedance of a soft constraint at its surface and at its width (in metres); then the shape of the curve between."""

DIMENSIONS = (1, 3, 4, 6)
"""Directions in which a contact pushes: the normal, sliding (2), spinning about the normal (1), rolling (2)."""

SMALLEST_WEIGHT = 1e-15
"""Weights of softness below this count as zero, as in MuJoCo."""


@dataclass(frozen=True, slots=True)
class Surface:
    """The contact properties of a shape.

    `friction` holds Coulomb's coefficient and the arms, in metres, of spinning and rolling friction.  Two shapes may
    touch if `contype` of one and `conaffinity` of the other have a common bit.  Shapes closer than `margin` (the sum
    of both) touch; `gap` more is the distance at which a simulator may list them.  The soft parameters `solref`,
    `solimp` and `solmix` (their weight) are those of the file; rigid contacts do not use them.

    >>> from sixvec.model import Surface
    >>> Surface(friction=(0.7, 0.005, 0.0001)).dimension
    3
    """

    friction: tuple[float, ...] = (1.0, 0.005, 0.0001)
    dimension: int = 3
    margin: float = 0.0
    gap: float = 0.0
    restitution: float = 0.0
    priority: int = 0
    contype: int = 1
    conaffinity: int = 1
    solref: tuple[float, ...] = SOLREF
    solimp: tuple[float, ...] = SOLIMP
    solmix: float = 1.0

    def __post_init__(self) -> None:
        _validate(self)

    def may_touch(self, other: Surface) -> bool:
        """Whether the masks of two surfaces let them touch."""
        return bool(self.contype & other.conaffinity or other.contype & self.conaffinity)


@dataclass(frozen=True, slots=True)
class ContactParameters:
    """The parameters of a pair of shapes.  `friction`: sliding along two tangents, spinning, rolling about both.

    >>> from sixvec.model import ContactParameters
    >>> ContactParameters().friction
    (1.0, 1.0, 0.005, 0.0001, 0.0001)
    """

    friction: tuple[float, ...] = (1.0, 1.0, 0.005, 0.0001, 0.0001)
    dimension: int = 3
    margin: float = 0.0
    gap: float = 0.0
    restitution: float = 0.0
    solref: tuple[float, ...] = SOLREF
    solreffriction: tuple[float, ...] = (0.0, 0.0)
    solimp: tuple[float, ...] = SOLIMP

    def __post_init__(self) -> None:
        _validate(self)


def _validate(properties: Surface | ContactParameters) -> None:
    for f in fields(properties):
        value: Any = getattr(properties, f.name)
        count = len(f.default) if isinstance(f.default, tuple) else 0
        if count and (not isinstance(value, tuple) or len(value) != count):
            raise ModelError(f"{f.name} {value!r} of a contact needs {count} numbers, such as {f.default}")
        if not all(map(math.isfinite, value if isinstance(value, tuple) else (value,))):
            raise ModelError(f"{f.name} {value} of a contact is not finite")
    if properties.dimension not in DIMENSIONS:
        raise ModelError(f"a contact has the dimension {properties.dimension}; it may have 1, 3, 4 or 6")
    if min(properties.friction) < 0.0:
        raise ModelError(f"friction {properties.friction} of a contact is negative")
    if not 0.0 <= properties.restitution <= 1.0:
        raise ModelError(f"restitution {properties.restitution} of a contact; it is between 0 and 1")


def combined(first: Surface, second: Surface, rule: Combination = "max") -> ContactParameters:
    """The parameters of the contact between two surfaces: those of the higher priority, else of both.

    Of equal priority the friction is the larger (or the smaller) one, coefficient by coefficient, the dimension the
    larger, the softness the mean with the weights `solmix`.  Margins and gaps are added in any case (MuJoCo 4).

    >>> combined(Surface(friction=(0.5, 0.0, 0.0)), Surface(friction=(0.9, 0.0, 0.0))).friction[0]
    0.9
    """
    if first.priority != second.priority:
        chosen = first if first.priority > second.priority else second
        slide, spin, roll = chosen.friction
        dimension, solref, solimp, restitution = chosen.dimension, chosen.solref, chosen.solimp, chosen.restitution
    else:
        choose = max if rule == "max" else min
        slide, spin, roll = map(choose, first.friction, second.friction)
        dimension, restitution = max(first.dimension, second.dimension), max(first.restitution, second.restitution)
        share = _share(first.solmix, second.solmix)
        solimp = _mean(first.solimp, second.solimp, share)
        # Stiffness and damping (negative numbers) have no mean with a time constant.
        soft = first.solref[0] > 0.0 and second.solref[0] > 0.0
        solref = _mean(first.solref, second.solref, share) if soft else tuple(map(min, first.solref, second.solref))
    return ContactParameters(
        (slide, slide, spin, roll, roll), dimension, first.margin + second.margin, first.gap + second.gap, restitution,
        solref, (0.0, 0.0), solimp,
    )  # fmt: skip


def _share(first: float, second: float) -> float:
    """The weight of the first of two surfaces; half where neither has any."""
    if first >= SMALLEST_WEIGHT and second >= SMALLEST_WEIGHT:
        return first / (first + second)
    if first < SMALLEST_WEIGHT and second < SMALLEST_WEIGHT:
        return 0.5
    return 0.0 if first < SMALLEST_WEIGHT else 1.0


def _mean(first: tuple[float, ...], second: tuple[float, ...], share: float) -> tuple[float, ...]:
    return tuple(share * a + (1.0 - share) * b for a, b in zip(first, second, strict=True))
