"""Every number of a model as lines of text, compared with a recorded file that is read when it changes.

With `SIXVEC_WRITE_GOLDEN=1` in the environment a test that compares writes its file anew.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from pathlib import Path

from sixvec.model import ContactRules, Model, SimulationOptions, Surface

ROUNDING = 1e-14
"""Smaller numbers are zeros that sines and cosines missed."""


UNSAID = (Surface(), ContactRules(), SimulationOptions())
"""What a file that says nothing of contacts and simulation has."""


def recorded(model: Model, name: str, digits: int = 15) -> str:
    """A line for each part of a model, with its place."""
    return "".join(
        f"{place} {' '.join(_written(x, digits) for x in leaves)}\n" for place, leaves in _lines(model, name)
    )


def _written(leaf: object, digits: int) -> str:
    if not isinstance(leaf, float):
        return str(leaf)
    return f"{leaf if abs(leaf) > ROUNDING else 0.0:.{digits}g}"


def assert_recorded(file: Path, text: str, rounding: float = 1e-15) -> None:
    """That the text is the one of the file, up to the rounding of another processor's sine."""
    if os.environ.get("SIXVEC_WRITE_GOLDEN"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for found, kept in zip_longest(text.splitlines(), file.read_text().splitlines(), fillvalue=""):
        a, b = found.split(), kept.split()
        assert len(a) == len(b) and all(_same(x, y, rounding) for x, y in zip(a, b, strict=True)), (
            f"{found}\nis not as recorded:\n{kept}\nif meant: SIXVEC_WRITE_GOLDEN=1"
        )


def _lines(value: object, place: str) -> Iterator[tuple[str, list[object]]]:
    """The leaves of a value with their places, numbers that belong together on one line; nothing of what is empty."""
    if value in (None, (), "", *UNSAID):
        return
    numbers, kind = [*_numbers(value)], [type(value).__name__] * is_dataclass(value)
    if None not in numbers:
        yield place, [*kind, *numbers]
    elif parts := _parts(value):
        if kind:
            yield place, kind
        for name, part in parts:
            yield from _lines(part, f"{place}.{name}")
    else:
        yield place, [value]


def _parts(value: object) -> list[tuple[str, object]]:
    if is_dataclass(value):
        return [(field.name, getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, tuple | list):
        return [(getattr(item, "name", "") or str(i), item) for i, item in enumerate(value)]
    return []


def _numbers(value: object) -> Iterator[float | None]:
    """None for what is not a number."""
    if parts := _parts(value):
        for _, part in parts:
            yield from _numbers(part)
    else:
        yield float(value) if isinstance(value, float | int) else None


def _same(found: str, kept: str, rounding: float) -> bool:
    """Equal words, or numbers up to rounding."""
    try:
        return math.isclose(float(found), float(kept), rel_tol=1e3 * rounding, abs_tol=rounding)
    except ValueError:
        return found == kept
