"""Elements that nobody will read: misspelt, unknown, or written twice."""

from __future__ import annotations

import difflib
from dataclasses import replace

from sixvec.formats.doctor.finding import Findings, Severity, error, note, warning
from sixvec.formats.doctor.outline import Outline
from sixvec.formats.doctor.spelling import is_foreign
from sixvec.formats.node import Node

SIMILAR = 0.7
MOST_SHOWN = 12


def elements_are_known(outline: Outline) -> Findings:
    refused = outline.format.unknown_elements is Severity.ERROR
    for owner, known, _ in outline.owners:
        for t in owner.inside:
            if t.tag in known or is_foreign(t.tag):
                continue
            near = difflib.get_close_matches(t.tag.lower()[:40], known, n=1, cutoff=SIMILAR)
            message = f"is not part of {outline.format.name} here" if refused else "is not read"
            if near:
                found = warning(t, message, f"did you mean <{near[0]}>?")
            else:
                listed = ", ".join([*known][:MOST_SHOWN])
                what = f"elements that are: {listed}" if refused else "it belongs to another program, or can go"
                found = note(t, message, what)
            yield replace(found, severity=Severity.ERROR) if refused else found


def elements_stand_once(outline: Outline) -> Findings:
    refused = outline.format.repeated_elements is Severity.ERROR
    for owner, _, single in outline.owners:
        seen: dict[str, Node] = {}
        for t in owner.inside if single else ():
            if t.tag in seen and t.tag in single:
                line = seen[t.tag].line
                advice = f"keep one, here or at line {line}" if refused else f"only the one at line {line} counts"
                yield (error if refused else warning)(t, f"a second <{t.tag}>", advice)
            seen.setdefault(t.tag, t)
