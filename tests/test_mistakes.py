"""Wrong arguments raise the right class of error, and the message names the function and the argument."""

from __future__ import annotations

from importlib import import_module
from itertools import chain
from pathlib import Path

import pytest

from mistakes import Mistake
from naming import named

AREAS = sorted(file.stem for file in (Path(__file__).parent / "mistakes").glob("in_*.py"))
TABLE: list[Mistake] = list(chain.from_iterable(import_module(f"mistakes.{area}").rows() for area in AREAS))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.what)
def test_a_wrong_argument_raises_its_class_of_error_and_is_named(row: Mistake) -> None:
    with pytest.raises(row.error, match=named(*row.names)) as caught:
        row.call()
    assert type(caught.value) is row.error


def test_no_row_is_there_twice() -> None:
    names = [row.what for row in TABLE]
    assert len({*names}) == len(names)
