"""Citations in docstrings and comments: `Bruyninckx (5.23)-(5.25), §5.5.1`, one form for all documents.

Parentheses mean an equation, § a section.  The name of the document comes first and holds for the items after it that
are joined by commas, "and" or "to".  Sections of Featherstone's paper have no numbers: `Featherstone §Jacobians`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

DOCUMENTS = {
    "Bruyninckx": 'H. Bruyninckx, "Robot Kinematics and Dynamics", 2010',
    "Featherstone": 'R. Featherstone, "A Beginner\'s Guide to 6-D Vectors (Part 2)", IEEE Robotics & Automation '
    "Magazine 17(4), 2010",
    "Featherstone-Fijany": 'R. Featherstone and A. Fijany, "A Technique for Analyzing Constrained Rigid-Body Systems, '
    'and Its Application to the Constraint Force Algorithm", IEEE Trans. Robotics and Automation 15(6), 1999',
    "Lynch-Park": 'K. M. Lynch and F. C. Park, "Modern Robotics", draft of chapter 9, "Dynamics of Open Chains"; '
    "chapter 8 of the printed book (2017)",
    "Rodriguez-Kreutz": 'G. Rodriguez and K. Kreutz, "Recursive Mass Matrix Factorization and Inversion", 1988',
}
"""The documents by the names that citations use."""

Kind = Literal["equation", "section"]

_NUMBER = r"(?:[2-9ab]\.)?\d+b?"
_EQUATION = rf"\({_NUMBER}\)(?:(?:-|\sto\s)\({_NUMBER}\))?"
_TITLE = r"[A-Z0-9][\w-]*(?:\.\d+)*"
_SECTION = rf"§{_TITLE}(?:(?:-|\sto\s)§{_TITLE})?"
_ITEM = rf"(?:{_EQUATION}|{_SECTION})"
_LIST = re.compile(
    rf"(?<![\w-])({'|'.join(sorted(DOCUMENTS, key=len, reverse=True))})\s({_ITEM}(?:(?:,\s|\sand\s|,\sand\s){_ITEM})*)"
)
_WRONG = (
    (re.compile(r"\bEqs?\.\s?[\dab]"), 'write the number in parentheses, without "Eq."'),
    (re.compile(r"(?:Bruyninckx|Featherstone|Lynch-Park|Kreutz)\s(?:2010|1999|1988)"), "omit the year"),
    (re.compile(r"(?:Bruyninckx|Featherstone-Fijany|Lynch-Park|Rodriguez-Kreutz),?\s\d"), "(…) or § is missing"),
    (re.compile(r"(?:Rodriguez and Kreutz|Lynch and Park|Featherstone and Fijany),?\s[(§]"), "write the short name"),
    (re.compile(r"(?<![\w.)\]])\((?:[2-9]\.\d+|[ab]\.\d+)b?\)"), "the document is missing"),
    (re.compile(r"(?<![\w)\]])§\d"), "the document is missing"),
)


@dataclass(frozen=True)
class Citation:
    """One equation or section of a document, or a range of them.

    >>> from sixvec.textbook import Citation
    >>> Citation("Bruyninckx", "equation", "5.23", "5.25")
    Bruyninckx (5.23)-(5.25)
    """

    document: str
    kind: Kind
    first: str
    last: str

    def __repr__(self) -> str:
        ends = dict.fromkeys((self.first, self.last))
        return f"{self.document} " + "-".join(f"({e})" if self.kind == "equation" else f"§{e}" for e in ends)


def citations(text: str) -> Iterator[Citation]:
    """All citations in a text, in their order.

    >>> from sixvec.textbook import citations
    >>> list(citations("The Jacobian of a tree (Bruyninckx (5.25)-(5.27), §5.5.3; Featherstone (17))."))
    [Bruyninckx (5.25)-(5.27), Bruyninckx §5.5.3, Featherstone (17)]
    """
    for match in _LIST.finditer(_in_one_line(text)):
        for item in re.findall(_ITEM, match[2]):
            ends = [e.strip("()§ ") for e in re.split(r"(?<=\))(?:-|\sto\s)(?=\()|(?:-|\sto\s)(?=§)", item)]
            yield Citation(match[1], "equation" if item[0] == "(" else "section", ends[0], ends[-1])


def is_citation(text: str) -> bool:
    """Whether a text is citations and nothing else, divided by semicolons.

    >>> is_citation("Lynch-Park (9.42), (9.56); Featherstone (12)"), is_citation("after Lynch-Park (9.42)")
    (True, False)
    """
    return all(_LIST.fullmatch(part.strip()) for part in _in_one_line(text).split(";"))


def mistakes(text: str) -> list[str]:
    """What looks like a citation and is not in the common form, with advice.

    >>> mistakes("as in Eq. 9.40 of the draft")
    ['"Eq. 9": write the number in parentheses, without "Eq."']
    """
    remainder = _LIST.sub("", _in_one_line(text))
    return [f'"{match[0]}": {advice}' for pattern, advice in _WRONG for match in pattern.finditer(remainder)]


def _in_one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)
