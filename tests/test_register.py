"""The register of capabilities keeps its word: names exist, tests cover them, and the textbook map is made from it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

import sixvec

TOOLS = Path(__file__).parent.parent / "tools"
sys.path.insert(0, str(TOOLS))
textbook_map = importlib.import_module("write_textbook_map")
sys.path.remove(str(TOOLS))

REGISTER = textbook_map.register()
EQUATIONS = textbook_map.equations()
COVERING = textbook_map.covering()


def named(path: str) -> Any:
    """What a dotted name below `sixvec` stands for: an attribute, or a module that nothing imports."""
    found: Any = sixvec
    place = "sixvec"
    for part in path.split("."):
        place += f".{part}"
        found = getattr(found, part) if hasattr(found, part) else importlib.import_module(place)
    return found


@pytest.mark.parametrize("capability", [c for c in REGISTER if c.there], ids=lambda c: c.row)
def test_a_capability_has_a_name_and_a_test(capability: Any) -> None:
    assert capability.names, "no public name"
    for name in capability.names:
        assert named(name) is not None
    assert COVERING.get(capability.row), f"no test is marked covers({capability.row!r})"


def test_what_is_said_to_be_missing_is_missing() -> None:
    """A row that tests cover has its name in the register."""
    assert not [c.row for c in REGISTER if not c.there and c.row in COVERING]


def test_rows_are_listed_once() -> None:
    rows = [c.row for c in REGISTER]
    assert len(rows) == len(set(rows))


def test_marks_name_rows_of_the_register() -> None:
    assert not set(COVERING) - {c.row for c in REGISTER}


@pytest.mark.parametrize("group", EQUATIONS, ids=lambda e: f"{e.document} {e.numbers}")
def test_equations_lead_to_functions_and_rows(group: Any) -> None:
    for name in group.names:
        assert named(name) is not None
    assert group.names and set(group.rows) <= {c.row for c in REGISTER if c.there}


def test_the_textbook_map_is_up_to_date() -> None:
    assert textbook_map.PAGE.read_text() == textbook_map.text(), "run `make map`"
