"""Whether the links and joints of a file make a mechanism."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings, error, warning
from sixvec.formats.doctor.outline import Outline
from sixvec.formats.names import MOST_NAMES_SHOWN, circles, in_words
from sixvec.quoting import quoted


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
