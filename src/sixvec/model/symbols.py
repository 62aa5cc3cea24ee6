"""Parameters of a model that are symbols: formulas may contain them, machine code may not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sixvec.errors import DtypeError
from sixvec.model.model import Model
from sixvec.scalar import Scalar


def symbols_of(model: Model) -> dict[str, str]:
    """The parts of a model that contain symbols, with the symbols; empty if all parameters are numbers."""
    parts: dict[str, Iterable[Any]] = {f'body "{b.name}"': b.numbers() for b in model.bodies}
    parts |= {f'frame "{f.name}"': (*f.placement.rot.matrix, *f.placement.pos) for f in model.frames}
    parts["gravity"] = model.gravity
    return {place: names for place, values in parts.items() if (names := ", ".join(_names(values)))}


@contextmanager
def numbers_needed(model: Model) -> Iterator[None]:
    """Raise an error that names the symbols where a computation needs numbers."""
    try:
        yield
    except TypeError as error:
        if not (symbolic := symbols_of(model)):
            raise
        listed = "; ".join(f"{place} has {symbols}" for place, symbols in symbolic.items())
        raise DtypeError(
            f"{model.name} has symbols where numbers are needed: {listed}.  Put numbers there, or ask for formulas "
            "with robot.symbolic or robot.evaluate"
        ) from error


def number_or_symbol(what: str, x: Scalar) -> Scalar:
    """A float, if it is a number; symbols are unchanged."""
    try:
        return float(x)
    except TypeError:
        if hasattr(x, "__truediv__"):
            return x
    except ValueError:
        pass
    raise DtypeError(f"{what} must hold numbers or symbols, not {x!r}")


def _names(values: Iterable[Any]) -> list[str]:
    symbols: set[Any] = set()
    for x in values:
        if not isinstance(x, int | float) and not _is_number(x):
            symbols |= getattr(x, "free_symbols", {x})
    return sorted(map(str, symbols))


def _is_number(x: Any) -> bool:
    try:
        float(x)
    except TypeError:
        return False
    return True
