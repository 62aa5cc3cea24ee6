"""Every number of the built-in robots, against files in tests/golden/robots that are read when they change.

Most numbers are measurements of others, which no law knows.  `SIXVEC_WRITE_GOLDEN=1 pytest
tests/robots/test_recorded_robots.py` writes the files anew.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from pathlib import Path

import pytest

from sixvec.robots.built_in import MECHANISMS

FOLDER = Path(__file__).parent.parent / "golden/robots"


def lines(value: object, place: str) -> Iterator[tuple[str, list[object]]]:
    """The leaves of a value with their places, numbers that belong together on one line; nothing of what is empty."""
    if value in (None, (), ""):
        return
    numbers, kind = [*_numbers(value)], [type(value).__name__] * is_dataclass(value)
    if None not in numbers:
        yield place, [*kind, *numbers]
    elif parts := _parts(value):
        if kind:
            yield place, kind
        for name, part in parts:
            yield from lines(part, f"{place}.{name}")
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


def same(found: str, recorded: str) -> bool:
    """Equal words, or numbers up to the rounding of another processor's sine."""
    try:
        return math.isclose(float(found), float(recorded), rel_tol=1e-12, abs_tol=1e-15)
    except ValueError:
        return found == recorded


@pytest.mark.parametrize("name", MECHANISMS)
def test_no_number_of_a_robot_changes_unnoticed(name: str) -> None:
    text = "".join(
        f"{place} {' '.join(f'{x:.15g}' if isinstance(x, float) else str(x) for x in leaves)}\n"
        for place, leaves in lines(MECHANISMS[name](), name)
    )
    file = FOLDER / f"{name}.txt"
    if os.environ.get("SIXVEC_WRITE_GOLDEN"):
        FOLDER.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for found, recorded in zip_longest(text.splitlines(), file.read_text().splitlines(), fillvalue=""):
        a, b = found.split(), recorded.split()
        assert len(a) == len(b) and all(map(same, a, b)), (
            f"{found}\nis not as recorded:\n{recorded}\nif meant: SIXVEC_WRITE_GOLDEN=1"
        )
