"""The numbers and sections of the documents, as tables in this package.

- `numbers.tsv`: every numbered equation with its section, and for those without a function the reason;
- `sections.tsv`: every section;
- `errata.tsv`: where a print is wrong, in our words;
- `formulas.tsv`: equations in TeX, in the notation of the library and with errata corrected;
- `functions.tsv`: the functions that cite an equation and the tests that cover it, written by `make map`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sixvec.textbook.citation import Citation

REASONS = re.compile(r"definition|(?:step towards|repeats) \(([\dab.]+)\)|wrong in print, see erratum")
"""Why no function computes an equation: nothing else is allowed."""


@dataclass(frozen=True)
class Equation:
    """A numbered equation: its document, number and section; a reason if no function computes it."""

    document: str
    number: str
    section: str
    reason: str

    @property
    def label(self) -> str:
        """As citations write it."""
        return f"{self.document} ({self.number})"

    @property
    def leads_to(self) -> str | None:
        """The number of the equation that this one is a step towards, or repeats."""
        match = REASONS.fullmatch(self.reason)
        return match[1] if match else None


@cache
def equations() -> dict[tuple[str, str], Equation]:
    """All numbered equations by document and number, in the order of the documents.

    >>> from sixvec.textbook import equations
    >>> len(equations()), equations()["Bruyninckx", "5.24"].section
    (747, '5.5.2')
    """
    return {(d, n): Equation(d, n, section, reason) for d, n, section, reason in _rows("numbers")}


@cache
def sections() -> dict[str, tuple[str, ...]]:
    """The sections of each document, in its order.

    >>> from sixvec.textbook import sections
    >>> sections()["Featherstone-Fijany"]
    ('1', '2', '3', '4', '5')
    """
    listed: dict[str, list[str]] = {}
    for document, section in _rows("sections"):
        listed.setdefault(document, []).append(section)
    return {document: tuple(names) for document, names in listed.items()}


@cache
def errata() -> dict[tuple[str, str], str]:
    """What is wrong in print, by document and place: `(2.2)` an equation, `§2.4` a section.

    >>> from sixvec.textbook import errata
    >>> errata()["Bruyninckx", "(6.35)"]
    'The inverse multiplies the whole difference: M⁻¹ (τ - c - g).'
    """
    return {(document, place): text for document, place, text in _rows("errata")}


@cache
def formulas() -> dict[tuple[str, str], str]:
    """Equations in TeX by document and number, in the notation of the library, corrected where a print is wrong.

    >>> from sixvec.textbook import formulas
    >>> formulas()["Featherstone", "52"]
    'A = A_P + c + S a'
    """
    return {(document, number): text for document, number, text in _rows("formulas")}


@cache
def functions() -> dict[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...]]]:
    """The public names that compute an equation and the tests that cover it, by document and number."""
    return {(d, n): (tuple(names.split()), tuple(tests.split())) for d, n, names, tests in _rows("functions")}


def numbers(citation: Citation) -> list[str] | None:
    """The equations that a citation covers by number, the sections if it cites sections; None if it does not exist."""
    if citation.kind == "section":
        known: tuple[str, ...] = sections().get(citation.document, ())
    else:
        known = tuple(n for d, n in equations() if d == citation.document)
    if citation.first not in known or citation.last not in known:
        return None
    first, last = known.index(citation.first), known.index(citation.last)
    return list(known[first : last + 1]) if first <= last else None


def inside(document: str, section: str) -> list[Equation]:
    """The equations of a section with its subsections, or of a chapter."""
    return [e for (d, _), e in equations().items() if d == document and f"{e.section}.".startswith(f"{section}.")]


def _rows(table: str) -> Iterator[list[str]]:
    text = (files("sixvec.textbook") / f"{table}.tsv").read_text(encoding="utf-8")
    for line in text.splitlines()[1:]:
        yield line.split("\t")
