"""Whether every name that is used exists, and whether links carry each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator

from sixvec.formats.doctor.finding import Findings, of_error, warning
from sixvec.formats.doctor.outline import Joint, Link, Outline
from sixvec.formats.names import circles, in_words


def references_lead_somewhere(outline: Outline) -> Findings:
    for t, what, name, offered, key in outline.references:
        if name not in offered and outline.complete:
            yield of_error(t.unknown(what, name, offered, key=key))


def no_cycles(outline: Outline) -> Findings:
    """From each link upward: reaching a link of the same walk again means a cycle.

    Graph formats may contain loops, but a group of links that all have parents has no root.
    """
    for name, circle in circles({link.name: above.parent for link, above in _carried(outline)}):
        j = outline.joint_above[name]
        message = f"closes a cycle of links: {in_words([circle[0], *reversed(circle[1:])])}"
        advice = "one joint is taken for the end of a loop; exchange its parent and child to say which"
        yield warning(j.node, message, advice)


def _carried(outline: Outline) -> Iterator[tuple[Link, Joint]]:
    for link in outline.links if not outline.format.one_tree else ():
        above = outline.joint_above.get(link.name)
        if above is not None and above.parent != link.name:
            yield link, above
