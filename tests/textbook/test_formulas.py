"""Equations of the map in TeX: each belongs to a number and can be typeset in a table."""

from __future__ import annotations

import re

import pytest

from sixvec.textbook import equations, formulas

NUMBERS = [place for place in equations() if place[0] in ("Featherstone", "Lynch-Park")]


def test_every_number_of_two_documents_has_a_formula() -> None:
    assert set(formulas()) == set(NUMBERS)


@pytest.mark.parametrize("place", NUMBERS, ids=" ".join)
def test_the_formula_is_closed_tex_that_a_table_can_hold(place: tuple[str, str]) -> None:
    text = formulas()[place]
    assert text.count("{") == text.count("}") and text.isascii()
    assert not re.search(r"[|$<>]", text), "they end cells and equations"
    assert sorted(re.findall(r"\\begin{(\w+)}", text)) == sorted(re.findall(r"\\end{(\w+)}", text))
    assert text.count(r"\left") - text.count(r"\leftarrow") == text.count(r"\right") - text.count(r"\rightarrow")


def test_repeated_equations_have_the_formula_of_the_first_up_to_its_form() -> None:
    same = [("9.41", "9.23"), ("9.43", "9.57"), ("9.46", "9.54"), ("9.85", "9.12"), ("9.86", "9.13"), ("9.90", "9.1")]
    for repeated, first in same:
        assert formulas()["Lynch-Park", repeated] == formulas()["Lynch-Park", first]
