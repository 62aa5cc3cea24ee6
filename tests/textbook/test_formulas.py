"""Equations of the map in TeX: each belongs to a number and can be typeset in a table."""

from __future__ import annotations

import re

import pytest

from sixvec.textbook import equations, formulas

LYNCH_PARK = [("9.41", "9.23"), ("9.43", "9.57"), ("9.46", "9.54"), ("9.85", "9.12"), ("9.86", "9.13"), ("9.90", "9.1")]
BRUYNINCKX = [("2.30", "2.19"), ("5.14", "2.19"), ("6.3", "2.19"), ("7.40", "2.19"), ("5.39", "6.33")]
RODRIGUEZ_KREUTZ = [("5.3", "a.7"), ("5.12", "a.2")]


def test_every_number_has_a_formula_in_the_order_of_the_documents() -> None:
    assert [*formulas()] == [*equations()]


def test_each_formula_is_closed_tex_that_a_table_can_hold() -> None:
    for place, text in formulas().items():
        assert text.count("{") == text.count("}") and text.isascii(), place
        assert not re.search(r"[|$<>]", text), f"{place}: they end cells and equations"
        assert sorted(re.findall(r"\\begin{(\w+)}", text)) == sorted(re.findall(r"\\end{(\w+)}", text)), place
        assert len(re.findall(r"\\left\b", text)) == len(re.findall(r"\\right\b", text)), place


@pytest.mark.parametrize(
    ("document", "same"),
    [("Lynch-Park", LYNCH_PARK), ("Bruyninckx", BRUYNINCKX), ("Rodriguez-Kreutz", RODRIGUEZ_KREUTZ)],
)
def test_repeated_equations_have_the_formula_of_the_first(document: str, same: list[tuple[str, str]]) -> None:
    for repeated, first in same:
        assert formulas()[document, repeated] == formulas()[document, first]
