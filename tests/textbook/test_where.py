"""`where`: equations, sections and chapters by name, and mistakes with advice."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import sixvec
from sixvec.errors import ArgumentError
from sixvec.textbook import citations, equations, where
from sixvec.textbook.citation import mistakes
from sixvec.textbook.inventory import functions
from sixvec.textbook.where import resolved


@pytest.mark.parametrize(
    "question", ["Bruyninckx (5.24)", "Bruyninckx 5.24", "bruyninckx 5.24", " Bruyninckx, (5.24) ", "BRUYNINCKX (5.24)"]
)
def test_an_equation_in_every_spelling(question: str) -> None:
    (place,) = sixvec.where(question).places
    assert place.equation.label == "Bruyninckx (5.24)" and place.names == ("Robot.analytical_jacobian",)
    text = repr(sixvec.where(question))
    assert "sixvec.Robot.analytical_jacobian: Ĵ" in text and "test: tests/" in text and "§5.5.2" in text


def test_the_erratum_is_shown() -> None:
    assert "erratum: The inverse multiplies" in repr(where("Bruyninckx (6.35)"))
    assert "erratum" not in repr(where("Bruyninckx (6.33)"))


def test_steps_lead_on_to_the_function() -> None:
    assert "sixvec.geometry.common_normal" in repr(where("Bruyninckx (2.11)"))
    assert "definition" in repr(where("Bruyninckx (2.30)"))  # repeats (2.19), which defines Δ


def test_sections_and_chapters_list_their_equations() -> None:
    assert [p.equation.number for p in where("Bruyninckx §5.5").places] == [f"5.{k}" for k in range(23, 30)]
    assert len(where("Bruyninckx 5").places) == 58 and len(where("Bruyninckx 4.12.3").places) == 9
    assert len(where("Featherstone §Jacobians").places) == len(where("featherstone jacobians").places) == 11
    assert len(where("Rodriguez-Kreutz a").places) == 51 and len(where("Lynch-Park").places) == 99
    assert "has no numbered equations" in repr(where("Bruyninckx §1.2"))
    assert "erratum to §2.4" in repr(where("Bruyninckx §2.4"))


def test_citations_are_asked_as_docstrings_have_them() -> None:
    labels = [p.equation.label for p in where("Featherstone (12); Lynch-Park (9.42), (9.55)-(9.57)").places]
    assert labels == ["Featherstone (12)", *(f"Lynch-Park (9.{k})" for k in (42, 55, 56, 57))]
    assert len(where("Bruyninckx §5.5.1-§5.5.3").places) == 5
    for key in {str(c) for f in functions_cited() for c in citations(f)}:
        assert where(key).title or where(key).places


def functions_cited() -> list[str]:
    return [inspect.getdoc(resolved(name)) or "" for names, _ in functions().values() for name in names]


def test_a_number_of_both_kinds_says_so() -> None:
    assert "ask for" in repr(where("Bruyninckx 5.5")) and "ask for" not in repr(where("Bruyninckx (5.5)"))


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("Bruyninks 5.24", 'did you mean "Bruyninckx"'),
        ("Bruyninckx (5.59)", 'no equation "5.59" in Bruyninckx; did you mean "5.'),
        ("Bruyninckx §5.16", "no section"),
        ("Lynch-Park 9.400", 'did you mean "9.40"'),
        ("", "write a document and a number"),
        ("5.24", "write a document and a number"),
        ("Bruyninckx (5.24", None),
        ("Featherstone ))((", "write a document and a number"),
        ("x" * 100_000, "no document"),
        ("Lynch-Park (9.42), (9.560)", 'no equation "9.560"'),
        ("Bruyninckx §5.14, §5.99", 'no section "5.99"'),
        ("Bruyninckx (5.25)-(5.23)", "is a range"),
        (5.24, "5.24"),
    ],
)
def test_mistakes_have_advice(question: Any, message: str | None) -> None:
    if message is None:
        assert where(question).places
        return
    with pytest.raises(ArgumentError) as problem:
        where(question)
    assert message in str(problem.value) and len(str(problem.value)) < 1000


def test_every_equation_has_an_answer() -> None:
    for equation in equations().values():
        text = repr(where(equation.label))
        assert text.startswith(equation.label) and "\n" in text


def test_citations_in_every_form() -> None:
    text = """Trees (Bruyninckx (5.25)-(5.27), §5.5.3 and (5.29); Featherstone
    (17)); Rodriguez-Kreutz (a.46), (4.21b); Bruyninckx §2.7.3 to §2.7.6; Featherstone §Model-Data-Structure."""
    assert [repr(c) for c in citations(text)] == [
        "Bruyninckx (5.25)-(5.27)", "Bruyninckx §5.5.3", "Bruyninckx (5.29)", "Featherstone (17)",
        "Rodriguez-Kreutz (a.46)", "Rodriguez-Kreutz (4.21b)", "Bruyninckx §2.7.3-§2.7.6",
        "Featherstone §Model-Data-Structure",
    ]  # fmt: skip
    assert mistakes(text) == []


@pytest.mark.parametrize(
    "text",
    ["Eq. 9", "Eqs. 4.4-4.6", "see (8.20).", "Featherstone 2010, Fig. 4", "Bruyninckx 8.21", "of §5.2", "(a.35)"],
)
def test_other_forms_are_mistakes(text: str) -> None:
    assert mistakes(text)


@pytest.mark.parametrize("text", ["Sphere(4.2)", "f(2.5)", "v[3](1)", "Featherstone's S"])
def test_code_is_not_a_citation(text: str) -> None:
    assert not mistakes(text) and not list(citations(text))


def test_a_notebook_shows_the_formulas() -> None:
    text = where("Bruyninckx (6.35)")._repr_markdown_()
    assert "$$\\ddot q = M^{-1} (\\tau - c - g)$$" in text and "`sixvec.Robot.mass_matrix_solve`" in text
    assert "Erratum: The inverse" in text
    section = where("Bruyninckx §5.5.3")._repr_markdown_()
    assert section.startswith("**Bruyninckx §5.5.3**") and section.count("$$") == 2 * 3
    assert "step towards (2.13)" in where("Bruyninckx (2.11)")._repr_markdown_()
