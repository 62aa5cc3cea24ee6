"""Whether the links and joints of a file make a mechanism."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings
from sixvec.formats.doctor.names import MOST_NAMES_SHOWN, circles, shown
from sixvec.formats.doctor.sheet import Sheet
from sixvec.formats.doctor.source import error, warning
from sixvec.quoting import quoted


def has_links(sheet: Sheet) -> Findings:
    if not sheet.links and sheet.complete and sheet.format.one_tree:
        yield error(sheet.root, f"has no <{sheet.format.link}>", "a robot needs at least one")


def one_joint_above(sheet: Sheet) -> Findings:
    for j in sheet.joints if sheet.format.one_tree else ():
        first = sheet.joint_above.get(j.child)
        if first is not None and first is not j:
            message = f'link "{quoted(j.child)}" is already the child of {first.tag.title} at line {first.tag.line}'
            yield error(j.tag, message, f"a link has one parent; a loop must be cut in {sheet.format.name}")


def ends_differ(sheet: Sheet) -> Findings:
    for j in sheet.joints if not sheet.format.one_tree else ():
        if j.parent and j.parent == j.child:
            message = f'connects "{quoted(j.parent)}" with itself'
            yield error(j.tag, message, "give it another parent or child")


def one_root(sheet: Sheet) -> Findings:
    if len(sheet.roots) > 1 and sheet.format.one_tree:
        names = [quoted(link.name) for link in sheet.roots]
        listed = ", ".join(names[:MOST_NAMES_SHOWN]) + (", …" if len(names) > MOST_NAMES_SHOWN else "")
        message = f"has {len(names)} root links, which no joint carries: {listed}"
        yield error(sheet.roots[1].tag, message, "connect them with joints, fixed ones for instance, to leave one")


def no_cycles(sheet: Sheet) -> Findings:
    """From each link upward: who meets a link of the same walk has gone round.

    Formats of graphs may hold loops, but links that all hang on each other leave none to start from.
    """
    carried = [
        (link.name, sheet.joint_above[link.name].parent) for link in sheet.links if link.name in sheet.joint_above
    ]
    above = {name: parent for name, parent in carried if parent != name or sheet.format.one_tree}
    for name, circle in circles(above):
        j = sheet.joint_above[name]
        message = f"closes a cycle of links: {shown([circle[0], *reversed(circle[1:])])}"
        if sheet.format.one_tree:
            yield error(j.tag, message, f"take out one joint of the circle: {sheet.format.name} describes trees")
        else:
            advice = "one joint is taken for the end of a loop; exchange its parent and child to say which"
            yield warning(j.tag, message, advice)
