"""Whether names are unique, every name that is used exists, and links and joints make a mechanism."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from sixvec.formats.doctor.finding import Findings, error, warning
from sixvec.formats.doctor.outline import Outline
from sixvec.formats.names import MOST_NAMES_SHOWN, circles, in_words
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
    """A count with its noun."""
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


def has_links(outline: Outline) -> Findings:
    if not outline.links and outline.complete and outline.format.one_tree:
        yield error(outline.root, f"has no <{outline.format.link}>", "a robot needs at least one")


def one_joint_above(outline: Outline) -> Findings:
    for j in outline.joints if outline.format.one_tree else ():
        first = outline.joint_above.get(j.child)
        if first is not None and first is not j:
            message = f'link "{quoted(j.child)}" is already the child of {first.node.title} at line {first.node.line}'
            yield error(j.node, message, f"a link has one parent; a loop must be cut in {outline.format.name}")


def ends_differ(outline: Outline) -> Findings:
    for j in outline.joints if not outline.format.one_tree else ():
        if j.parent and j.parent == j.child:
            message = f'connects "{quoted(j.parent)}" with itself'
            yield error(j.node, message, "give it another parent or child")


def one_root(outline: Outline) -> Findings:
    if len(outline.roots) > 1 and outline.format.one_tree:
        names = [quoted(link.name) for link in outline.roots]
        listed = ", ".join(names[:MOST_NAMES_SHOWN]) + (", …" if len(names) > MOST_NAMES_SHOWN else "")
        message = f"has {len(names)} root links, which no joint carries: {listed}"
        yield error(outline.roots[1].node, message, "connect them with joints, fixed ones for instance, to leave one")


def no_cycles(outline: Outline) -> Findings:
    """From each link upward: reaching a link of the same walk again means a cycle.

    Graph formats may contain loops, but a group of links that all have parents has no root.
    """
    carried = [
        (link.name, outline.joint_above[link.name].parent) for link in outline.links if link.name in outline.joint_above
    ]
    above = {name: parent for name, parent in carried if parent != name or outline.format.one_tree}
    for name, circle in circles(above):
        j = outline.joint_above[name]
        message = f"closes a cycle of links: {in_words([circle[0], *reversed(circle[1:])])}"
        if outline.format.one_tree:
            yield error(j.node, message, f"take out one joint of the circle: {outline.format.name} describes trees")
        else:
            advice = "one joint is taken for the end of a loop; exchange its parent and child to say which"
            yield warning(j.node, message, advice)
