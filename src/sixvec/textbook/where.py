"""`where("Bruyninckx (5.24)")`: the function that computes an equation, its test, and what is wrong in print."""

from __future__ import annotations

import importlib
import inspect
import re
from dataclasses import dataclass, replace
from typing import Any

from sixvec.errors import ArgumentError, unknown
from sixvec.textbook.citation import DOCUMENTS, citations, is_citation
from sixvec.textbook.inventory import Equation, equations, errata, formulas, functions, inside, numbers, sections

_CITED = re.compile(rf"  (?:(?:{'|'.join(DOCUMENTS)}) [^A-Zc-z;]+(?:; )?)+$")
_QUESTION = re.compile(r"\s*([A-Za-z]+(?:-[A-Za-z]+)?)\s*,?\s*(§|\(|)\s*([\w.-]*)\s*\)?\s*")


@dataclass(frozen=True)
class Place:
    """An equation with the public names that compute it, the tests that cover it, and the erratum if there is one.

    >>> from sixvec import where
    >>> print(where("Bruyninckx (2.10)").places[0].line)
    Bruyninckx (2.10): geometry.lines_intersect
    """

    equation: Equation
    names: tuple[str, ...]
    tests: tuple[str, ...]
    erratum: str

    @property
    def formula(self) -> str:
        """The equation in TeX, in our notation, corrected where the print is wrong."""
        return formulas()[self.equation.document, self.equation.number]

    @property
    def line(self) -> str:
        """One line: the label, then the functions or the reason why there is none."""
        return f"{self.equation.label}: " + (", ".join(self.names) or self.equation.reason)

    def __str__(self) -> str:
        lines = [f"{self.equation.label}, {_section(self.equation.section)}"]
        lines += [f"  sixvec.{name}: {first_line(resolved(name))}" for name in self.names]
        lines += [f"  {self.equation.reason}"] if self.equation.reason else []
        lines += [f"  test: {test}" for test in self.tests]
        lines += [f"  erratum: {self.erratum}"] if self.erratum else []
        if not self.names and (target := self.equation.leads_to):
            lines += ["  " + line for line in str(_place(self.equation.document, target)).splitlines()]
        return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class Places:
    """The result of a search: one equation, or all of a section or chapter with the errata of its text.

    >>> from sixvec import where
    >>> where("Bruyninckx §2.1")
    Bruyninckx §2.1
    Bruyninckx (2.1): geometry.Point
    Bruyninckx (2.2): geometry.Point.distance_to
    """

    title: str
    places: tuple[Place, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        body = [str(self.places[0])] if len(self.places) == 1 and not self.title else [p.line for p in self.places]
        return "\n".join([*([self.title] if self.title else []), *body, *self.notes])

    def _repr_markdown_(self) -> str:
        """In a notebook with the formulas typeset."""
        lines = [f"**{self.title}**"] * bool(self.title)
        for place in self.places:
            names = ", ".join(f"`sixvec.{name}`" for name in place.names) or place.equation.reason
            lines += [f"{place.equation.label}: {names}", f"$${place.formula}$$"]
            lines += [f"Erratum: {place.erratum}"] * bool(place.erratum)
        return "\n\n".join([*lines, *self.notes])


def where(question: str) -> Places:
    """The functions behind an equation, a section or a chapter of the documents.

    Parentheses mean an equation and § a section; a number without either is an equation if there is one.

    >>> from sixvec import where
    >>> print(where("Bruyninckx (5.24)"))  # doctest: +ELLIPSIS
    Bruyninckx (5.24), §5.5.2
      sixvec.Robot.analytical_jacobian: ...
    >>> len(where("Bruyninckx §5.5.3").places), len(where("Lynch-Park").places)
    (3, 99)

    Citations of docstrings may be asked unchanged, with ranges and lists:

    >>> print(where("Lynch-Park (9.29), (9.31)"))
    Lynch-Park (9.29), (9.31)
    Lynch-Park (9.29): spatial.six_matrix.crm
    Lynch-Park (9.31): spatial.six_matrix.crf
    """
    if not isinstance(question, str):
        raise ArgumentError(f'write a document and a number, as in "Bruyninckx (5.24)", not {question!r}')
    match = _QUESTION.fullmatch(question)
    if not match and is_citation(question):
        return _cited(question)
    if not match:
        raise ArgumentError(f'write a document and a number, as in "Bruyninckx (5.24)", not "{question[:60]}"')
    document, sign, number = match.groups()
    document = _document(document)
    if sign != "§" and (document, number) in equations():
        note = f'§{number} is a section, too: ask for "{document} §{number}"'
        both = not sign and number in sections()[document]
        return Places("", (_place(document, number),), (note,) if both else ())
    if sign == "(":
        raise ArgumentError(unknown("equation", number, _near(document, number), document))
    return _section_of(document, next((s for s in sections()[document] if s.lower() == number.lower()), number))


def _cited(question: str) -> Places:
    """The equations of a list or range; sections are listed with their equations."""
    keys: dict[tuple[str, str], None] = {}
    for cited in citations(question):
        listed = numbers(cited)
        if listed is None:
            for end in (cited.first, cited.last):
                if numbers(replace(cited, first=end, last=end)) is None:
                    raise ArgumentError(unknown(cited.kind, end, _near(cited.document, end), cited.document))
            raise ArgumentError(f"{cited} is a range from a later to an earlier number")
        if cited.kind == "section":
            listed = [e.number for section in listed for e in inside(cited.document, section)]
        keys |= dict.fromkeys((cited.document, number) for number in listed)
    return Places(question.strip(), tuple(_place(document, number) for document, number in keys))


def resolved(name: str) -> Any:
    """What a public name is, by attributes alone."""
    value: Any = importlib.import_module("sixvec")
    for attribute in name.split("."):
        value = inspect.getattr_static(value, attribute) if inspect.isclass(value) else getattr(value, attribute)
    return value


def first_line(value: Any) -> str:
    """The first line of a docstring, without the citations at its end."""
    line = (inspect.getdoc(value) or "").partition("\n")[0]
    return _CITED.sub("", line)


def _place(document: str, number: str) -> Place:
    names, tests = functions().get((document, number), ((), ()))
    erratum = errata().get((document, f"({number})"), "")
    return Place(equations()[document, number], names, tests, erratum)


def _section_of(document: str, section: str) -> Places:
    listed = inside(document, section) if section else [e for (d, _), e in equations().items() if d == document]
    notes = tuple(
        f"erratum to {place}: {text}"
        for (d, place), text in errata().items()
        if d == document and place[0] != "(" and (not section or f"{place[1:]}.".startswith(f"{section}."))
    )
    if not listed and section not in sections()[document]:
        raise ArgumentError(unknown("section or equation", section, _near(document, section), document))
    title = f"{document} {_section(section)}".rstrip() + ("" if listed else " has no numbered equations")
    return Places(title, tuple(_place(document, e.number) for e in listed), notes)


def _document(name: str) -> str:
    for document in DOCUMENTS:
        if document.lower() == name.lower():
            return document
    raise ArgumentError(unknown("document", name, DOCUMENTS))


def _near(document: str, number: str) -> list[str]:
    """Candidates for a number that does not exist: those of its chapter, all if there are none."""
    known = [*(n for d, n in equations() if d == document), *sections()[document]]
    return [n for n in dict.fromkeys(known) if n.split(".")[0] == number.split(".")[0]] or known


def _section(section: str) -> str:
    return f"§{section}" if section else ""
