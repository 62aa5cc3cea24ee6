"""Write the map from the documents to the functions: docs/textbook_map.md and src/sixvec/textbook/functions.tsv.

The functions that cite an equation in their docstrings compute it; the tests whose marks `covers(...)` name it and
whose source uses one of those functions cover it.  Equations without a function have a reason in the inventory
(src/sixvec/textbook/numbers.tsv).  Run by `make map`; a test fails if the files are not up to date.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from covering_tests import Test, tests  # noqa: E402
from public_names import cited  # noqa: E402

from sixvec.textbook.citation import DOCUMENTS, citations  # noqa: E402
from sixvec.textbook.inventory import Equation, equations, errata, formulas, numbers  # noqa: E402
from sixvec.textbook.where import first_line, resolved  # noqa: E402

PAGE = ROOT / "docs/textbook_map.md"
FUNCTIONS = ROOT / "src/sixvec/textbook/functions.tsv"
NOT_YET = "not yet there"

MOST_TESTS = 2
"""Tests named for one line of the map: those with the fewest other subjects."""

HEAD = """# The textbook map

From the equation under the finger to the function and to the tests that hold it. Names are those of `import sixvec`;
`Robot.x` is a method of every robot. `sixvec where "Bruyninckx 5.24"` and `sixvec.where("Bruyninckx (5.24)")` answer
the same question without this page. Equation numbers are in parentheses, (7.17); sections have their sign, §7.17. Every
number has an anchor: `#bruyninckx-5.24`. Written by `make map` from the docstrings, the marks of the tests and
[the register](capabilities.tsv).
"""

AFTER = """An equation without a function is a definition, a step towards another one, or repeats one; or it is wrong in
print and nothing computes it. Where a printed equation is wrong (*erratum*), the function computes the right one.

Equations are shown in [our notation](notation.md), corrected where the print is wrong: q, v, a are positions,
velocities and accelerations of the joints; V = (ω; v), A and F = (n; f) are twist, acceleration and wrench of a body B
with parent P, angular part and moment first, of joint axes S and inertia I; j ≤ B runs over the joints that carry B.
X_AB is the pose of B in A, as a matrix of 4 or 6 rows; 1 is the identity matrix; K are constraint wrenches, G wrenches
of actuators; c and s are cosine and sine. The operators of Rodriguez-Kreutz are those of `theory.operators`.
"""


@dataclass(frozen=True)
class Capability:
    """A row of the register."""

    row: str
    what: str
    source: str
    names: tuple[str, ...]
    there: bool


@cache
def register() -> tuple[Capability, ...]:
    with (ROOT / "docs/capabilities.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return tuple(Capability(r, what, s, tuple(n.split()), state != NOT_YET) for r, what, s, n, state in rows)


def computed() -> dict[tuple[str, str], tuple[str, ...]]:
    """The public names that cite each equation."""
    return cited(frozenset(name for c in register() for name in c.names))


@cache
def covering() -> dict[str, tuple[Test, ...]]:
    """The tests that cover each row, and each equation as `Bruyninckx (5.24)`; those with the fewest subjects first."""
    marked: dict[str, list[Test]] = {}
    for test in sorted(tests(), key=lambda t: (len(t.covers), t.id)):
        for mark in test.covers:
            for subject in subjects(mark):
                marked.setdefault(subject, []).append(test)
    return {subject: tuple(dict.fromkeys(those)) for subject, those in marked.items()}


def subjects(mark: str) -> list[str]:
    """A row of the register, or the equations of a citation one by one."""
    return [f"{c.document} ({n})" for c in citations(mark) for n in numbers(c) or ()] or [mark]


def tests_of(subject: str, names: tuple[str, ...]) -> list[str]:
    """The tests that cover a subject and use one of its functions."""
    return [t.id for t in covering().get(subject, ()) if any(t.uses(name) for name in names)][:MOST_TESTS]


def functions_table() -> str:
    lines = ["document\tnumber\tfunctions\ttests"]
    for document, number in equations():
        if names := computed().get((document, number)):
            ids = tests_of(f"{document} ({number})", names)
            lines.append("\t".join((document, number, " ".join(names), " ".join(ids))))
    return "\n".join(lines) + "\n"


def page() -> str:
    """The whole page."""
    parts = [HEAD, *(f"- **{name}**: {title}." for name, title in DOCUMENTS.items()), "", AFTER]
    for document in DOCUMENTS:
        parts += [f"## {document}\n", "| equation | section | formula, function, test |", "|---|---|---|"]
        parts += [_equation(e) for e in equations().values() if e.document == document]
        parts += [f"\nErrata of the text of {document}:\n"] if any(_of_text(document)) else []
        parts += [f"- {place}: {text}" for place, text in _of_text(document)]
        parts.append("")
    parts += ["## Every capability\n", "| row | what | source | function | tests |", "|---|---|---|---|---|"]
    parts += [_capability(c) for c in register()]
    return "\n".join(parts) + "\n"


def _of_text(document: str) -> list[tuple[str, str]]:
    return [(place, text) for (d, place), text in errata().items() if d == document and not place.startswith("(")]


def _equation(e: Equation) -> str:
    names = computed().get((e.document, e.number), ())
    formula = formulas().get((e.document, e.number))
    cells = [f"${formula}$"] * bool(formula)
    cells += [f"`{name}`: {_escaped(first_line(resolved(name)))}" for name in names] or [e.reason]
    if wrong := errata().get((e.document, f"({e.number})")):
        cells.append(f"*erratum*: {_escaped(wrong)}")
    if ids := tests_of(e.label, names):
        cells.append(f"*test*: {_links(ids)}")
    anchor = f'<a id="{e.document.lower()}-{e.number}"></a>'
    return f"| {anchor}({e.number}) | {e.section} | {'<br>'.join(cells)} |"


def _capability(c: Capability) -> str:
    if not c.there:
        return f"| {c.row} | {c.what} | {c.source} | {NOT_YET} | |"
    names = ", ".join(f"`{name}`" for name in c.names)
    return f"| {c.row} | {c.what} | {c.source} | {names} | {_links(tests_of(c.row, c.names))} |"


def _escaped(text: str) -> str:
    """Text in a cell of a table; code, between backticks, keeps all its signs but one."""
    plain = str.maketrans({"|": "\\|", "*": "\\*", "_": "\\_", "<": "&lt;"})
    parts = text.split("`")
    return "`".join(p.replace("|", "\\|") if k % 2 else p.translate(plain) for k, p in enumerate(parts))


def _links(ids: list[str]) -> str:
    return ", ".join(f"[{i.partition('::')[2]}](../{i.partition('::')[0]})" for i in ids)


if __name__ == "__main__":
    FUNCTIONS.write_text(functions_table(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
