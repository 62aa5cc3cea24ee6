"""Unit checks: quantities of pint as the scalars of every equation of the library.

Because every equation runs on any scalar, it runs on quantities too, and a term with the wrong unit raises pint's
`DimensionalityError`.  Angles are pure numbers: radians, or degrees, which pint converts.  Bruyninckx §4.11.3.
"""

from __future__ import annotations

from typing import Any

from sixvec.errors import MissingExtra


def unit_registry() -> Any:
    """pint's units with the plain number 0 as zero in every unit.

    Equations contain structural zeros: off the diagonal of an inertia, in the moment of a body about its centre of
    mass, in the position of the identity.  With pint's own registry `0.0 * metre` is a length, which does not add to a
    force; here the number 0 times a quantity is the number 0.  `0.0 * u.metre`, written with the unit itself, is a
    length in both.  Quantities of two registries do not mix: use one per program.  Bruyninckx (4.46)-(4.48).

    >>> from sixvec.geometry.rigid_body import unit_registry
    >>> from sixvec.spatial import Motion, RigidInertia, Sym3, Vec3
    >>> u = unit_registry()
    >>> body = RigidInertia(2.0 * u.kg, Vec3.zero(), Sym3.diagonal(*(k * u.kg * u.m**2 for k in (0.1, 0.2, 0.3))))
    >>> spin = Motion(Vec3(0.0, 0.0, 4.0 / u.s), Vec3(3.0 * u.m / u.s, 0.0, 0.0))
    >>> print(body.kinetic_energy(spin).to(u.joule))
    11.4 joule
    >>> spin.ang.z + spin.lin.x
    Traceback (most recent call last):
    ...
    pint.errors.DimensionalityError: Cannot convert from '1 / second' (1 / [time]) to 'meter / second' \
([length] / [time])
    """
    try:
        import pint
    except ImportError as error:
        raise MissingExtra("quantities with units need pint", extra="units") from error
    from pint.registry import GenericUnitRegistry

    class Quantity(pint.UnitRegistry.Quantity[Any]):
        def __mul__(self, other: Any) -> Any:
            return 0.0 if _is_plain_zero(other) else super().__mul__(other)  # type: ignore[no-untyped-call]

        __rmul__ = __mul__

        def __rtruediv__(self, other: Any) -> Any:
            return 0.0 if _is_plain_zero(other) else super().__rtruediv__(other)  # type: ignore[no-untyped-call]

    class Unit(pint.UnitRegistry.Unit):
        def __mul__(self, other: Any) -> Any:
            if _is_plain_zero(other):
                return self._REGISTRY.Quantity(other, self._units)
            return super().__mul__(other)  # type: ignore[no-untyped-call]

        __rmul__ = __mul__

    registry = type("UnitRegistry", (GenericUnitRegistry,), {"Quantity": Quantity, "Unit": Unit})
    return registry()


def _is_plain_zero(x: Any) -> bool:
    return isinstance(x, int | float) and x == 0.0
