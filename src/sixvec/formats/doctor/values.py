"""Whether numeric values are valid numbers."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings, error
from sixvec.formats.doctor.outline import Outline
from sixvec.formats.node import read_numbers
from sixvec.quoting import quoted

LARGEST = 1e15
"""No length, mass, angle or force of a robot is larger, and its square would leave too few digits."""


def numbers_are_numbers(outline: Outline) -> Findings:
    for node, attribute, text, least, most, infinite in outline.written():
        if text is None:
            what = f"the attribute {attribute} is missing" if attribute else "is empty"
            yield error(node, what, f"give {_some(least, most)}")
        elif problem := _problem(text, least, most, infinite=infinite):
            place = f'{attribute}="{quoted(text)}"' if attribute else f'"{quoted(text)}"'
            yield error(node, f"{place} {problem}", f"give {_some(least, most)}")


def _problem(text: str, least: int, most: int, *, infinite: bool) -> str:
    values, problem = read_numbers(text, least, most, infinite=infinite)
    if not problem and not infinite and any(abs(x) > LARGEST for x in values):
        return "is larger than anything about a robot"
    return problem


def _some(least: int, most: int) -> str:
    if most == 1:
        return "1 finite number"
    count = f"{most}" if least == most else f"{least} to {most}"
    return f"{count} finite numbers, with blanks between them"
