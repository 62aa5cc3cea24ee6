"""Whether names are unique, and every name that is used exists."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from sixvec.formats.doctor.finding import Findings, error
from sixvec.formats.doctor.outline import Outline
from sixvec.formats.names import circles, in_words
from sixvec.formats.node import Node
from sixvec.quoting import quoted

_MOST_NAMES_COMPARED = 500
"""The search for the most similar name is slow with thousands of names."""


def names_are_given(outline: Outline) -> Findings:
    for names in outline.names:
        if names.required:
            for name, t in names.entries:
                if not name:
                    yield error(t, "has no name", 'add an attribute such as name="arm"')


def names_differ(outline: Outline) -> Findings:
    for names in outline.names:
        seen: dict[str, Node] = {}
        for name, t in names.entries:
            if name in seen:
                first = seen[name]
                where = f"line {first.line}" + (f" of {first.file}" if first.file != t.file else "")
                yield error(t, f"the name is used already at {where}", f"give one {names.what} of the two another name")
            elif name:
                seen[name] = t


def references_lead_somewhere(outline: Outline) -> Findings:
    for t, what, name, offered, lacks in outline.references:
        if lacks:
            yield error(t, f"has no {lacks.partition(' ')[0].rstrip('>')}>", f"add {lacks}")
        elif not name:
            yield error(t, f"names no {what}", f"give one of the {counted(len(offered), what)} of the file")
        elif name not in offered and outline.complete:
            yield error(t, f'there is no {what} "{quoted(name)}"', nearest(name, offered, what))


def names_do_not_lead_in_a_circle(outline: Outline) -> Findings:
    """One cycle may appear in several relations that substitute for each other; it is reported once."""
    reported: list[set[str]] = []
    for word, steps in outline.circles:
        for start, circle in circles({name: to for name, (_, to) in steps.items()}):
            if {*circle} not in reported:
                node, _ = steps[start]
                message = f"its {word} leads in a circle: {in_words(circle)}"
                yield error(node, message, "break the circle at one place")
            reported.append({*circle})


def counted(count: int, what: str) -> str:
    """A count with its noun.

    >>> counted(2, "mesh"), counted(6, "body"), counted(2, "default class"), counted(1, "joint")
    ('2 meshes', '6 bodies', '2 default classes', '1 joint')
    """
    if count == 1:
        return f"1 {what}"
    if what.endswith("y"):
        return f"{count} {what[:-1]}ies"
    return f"{count} {what}{'es' if what.endswith(('s', 'sh', 'x')) else 's'}"


def nearest(name: str, names: Iterable[str], what: str, owner: str = "the file") -> str:
    """Advice for a name that does not exist: the most similar one."""
    known = [*names]
    near = difflib.get_close_matches(name[:200], known, n=1) if len(known) <= _MOST_NAMES_COMPARED else []
    return f'did you mean "{quoted(near[0])}"?' if near else f"name one of the {counted(len(known), what)} of {owner}"
