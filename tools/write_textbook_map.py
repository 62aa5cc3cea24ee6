"""Write docs/textbook_map.md: for every equation and section of the sources, the function and the tests.

Made from docs/capabilities.tsv (the register), docs/equations.tsv and the marks `covers(...)` of the tests.  Run by
`make map`; a test fails if the page is not up to date.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/textbook_map.md"
NOT_YET = "not yet there"

MOST_TESTS = 2
"""Files named for one line of the map: those with the fewest other subjects."""

HEAD = """# The textbook map

From the equation under the finger to the function and to the tests that hold it. Names are those of `import sixvec`;
`Robot.x` is a method of every robot. Equation numbers are in parentheses, (7.17), or as "Eq. 9" where a paper counts
them from one; sections have their sign, §7.17. Written by `make map` from [the register](capabilities.tsv) and
[the equations](equations.tsv).

- **Bruyninckx 2010**: H. Bruyninckx, "Robot Kinematics and Dynamics".
- **Featherstone 2010**: R. Featherstone, "A Beginner's Guide to 6-D Vectors (Part 2)", IEEE Robotics & Automation
  Magazine 17(4).
- **Featherstone-Fijany 1999**: R. Featherstone and A. Fijany, "A Technique for Analyzing Constrained Rigid-Body
  Systems, and Its Application to the Constraint Force Algorithm", IEEE Trans. Robotics and Automation 15(6).
- **Lynch-Park**: the draft chapter 9, "Dynamics of Open Chains", of K. M. Lynch and F. C. Park, "Modern Robotics";
  everywhere in this library "Lynch-Park 9.x" means that draft, which is chapter 8 of the printed book (2017).
- **Rodriguez-Kreutz 1988**: G. Rodriguez and K. Kreutz, "Recursive Mass Matrix Factorization and Inversion".

Where a printed equation is wrong, the function computes the right one and says so.
"""


@dataclass(frozen=True)
class Capability:
    """A row of the register."""

    row: str
    what: str
    source: str
    names: tuple[str, ...]
    there: bool


@dataclass(frozen=True)
class Equations:
    """Some equations of a document, and where they are computed."""

    document: str
    numbers: str
    what: str
    names: tuple[str, ...]
    rows: tuple[str, ...]


def register() -> list[Capability]:
    return [
        Capability(r, what, s, tuple(n.split()), state != NOT_YET) for r, what, s, n, state in _table("capabilities")
    ]


def equations() -> list[Equations]:
    return [Equations(d, e, what, tuple(n.split()), tuple(r.split())) for d, e, what, n, r in _table("equations")]


def _table(name: str) -> list[list[str]]:
    with (ROOT / f"docs/{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def covering() -> dict[str, list[str]]:
    """The test files that cover each row, those with the fewest rows first."""
    marked: dict[str, set[str]] = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        marks = re.findall(r"mark\.covers\(([^)]*)\)", file.read_text(encoding="utf-8"))
        marked[file.relative_to(ROOT).as_posix()] = set(re.findall(r'"([A-Z]+-\d+)"', " ".join(marks)))
    found: dict[str, list[str]] = defaultdict(list)
    for file_name, rows in sorted(marked.items(), key=lambda x: (len(x[1]), x[0])):
        for row in rows:
            found[row].append(file_name)
    return dict(found)


def text() -> str:
    """The whole page."""
    tests = covering()
    parts = [HEAD]
    for document in dict.fromkeys(e.document for e in equations()):
        parts.append(f"## {document}, by equation\n\n| equations | what | function | tests |\n|---|---|---|---|")
        parts += [_line(e.numbers, e.what, e.names, e.rows, tests) for e in equations() if e.document == document]
        parts.append("")
    parts.append("## Every capability\n\n| row | what | source | function | tests |\n|---|---|---|---|---|")
    for c in register():
        where = _line(c.row, f"{c.what} | {c.source}", c.names, (c.row,), tests)
        parts.append(where if c.there else f"| {c.row} | {c.what} | {c.source} | {NOT_YET} | |")
    return "\n".join(parts) + "\n"


def _line(first: str, what: str, names: tuple[str, ...], rows: tuple[str, ...], tests: dict[str, list[str]]) -> str:
    files = list(dict.fromkeys(f for row in rows for f in tests.get(row, ())[:MOST_TESTS]))[:MOST_TESTS]
    linked = ", ".join(f"[{Path(f).stem}](../{f})" for f in files)
    return f"| {first} | {what} | {', '.join(f'`{name}`' for name in names)} | {linked} |"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
