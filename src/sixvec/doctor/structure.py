"""Whether the links and joints of a URDF make one tree."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from sixvec.doctor.source import Tag
from sixvec.doctor.urdf import Findings, Sheet, end, error, inside
from sixvec.loaders.xml import quoted

_MOST_NAMES_COMPARED = 500
"""Finding the most similar of all names takes long where there are thousands."""

_MOST_NAMES_SHOWN = 6


def has_links(sheet: Sheet) -> Findings:
    if not sheet.links:
        yield error(sheet.robot, "has no <link>", "a robot needs at least one")


def names_are_given(sheet: Sheet) -> Findings:
    for t in (*sheet.links, *sheet.joints):
        if not t.get("name"):
            yield error(t, "has no name", 'add an attribute such as name="arm"')


def names_differ(sheet: Sheet) -> Findings:
    for tags in (sheet.links, sheet.joints):
        seen: dict[str, Tag] = {}
        for t in tags:
            name = t.get("name")
            if name in seen:
                yield error(t, f"the name stands already at line {seen[name].line}", f"rename one of the two {t.tag}s")
            elif name:
                seen[name] = t


def ends_exist(sheet: Sheet) -> Findings:
    for t in sheet.joints:
        for side in ("parent", "child"):
            found, name = t.first(side), end(t, side)
            if found is None:
                yield error(t, f"has no <{side}>", f'add <{side} link="…"/>')
            elif not name:
                yield inside(t, error(found, "names no link", 'add the attribute link="…"'))
            elif name not in sheet.link_named:
                advice = nearest(name, sheet.link_named, "link")
                yield inside(t, error(found, f'there is no link "{quoted(name)}"', advice))


def one_joint_above(sheet: Sheet) -> Findings:
    for t in sheet.joints:
        child = end(t, "child")
        first = sheet.joint_above.get(child)
        if first is not None and first is not t:
            message = f'link "{quoted(child)}" is already the child of {first.title} at line {first.line}'
            yield error(t, message, "a link has one parent; a loop must be cut in URDF")


def one_root(sheet: Sheet) -> Findings:
    if len(sheet.roots) > 1:
        names = [quoted(t.get("name")) for t in sheet.roots]
        shown = ", ".join(names[:_MOST_NAMES_SHOWN]) + (", …" if len(names) > _MOST_NAMES_SHOWN else "")
        message = f"has {len(names)} root links, which no joint carries: {shown}"
        yield error(sheet.roots[1], message, "connect them with joints, fixed ones for instance, to leave one")


def no_cycles(sheet: Sheet) -> Findings:
    """From each link upward: who meets a link of the same walk has gone round."""
    finished: set[str] = set()
    for t in sheet.links:
        walk: dict[str, None] = {}
        name = t.get("name")
        while name in sheet.joint_above and name not in finished and name not in walk:
            walk[name] = None
            name = end(sheet.joint_above[name], "parent")
        if name in walk:
            links = [*walk]
            circle = links[links.index(name) :]
            shown = " -> ".join(quoted(n) for n in [*reversed(circle[:_MOST_NAMES_SHOWN]), circle[0]])
            more = f" ({len(circle)} links)" if len(circle) > _MOST_NAMES_SHOWN else ""
            advice = "take out one joint of the circle: URDF describes trees"
            yield error(sheet.joint_above[name], f"closes a cycle of links: {shown}{more}", advice)
        finished.update(walk)


def nearest(name: str, names: Iterable[str], what: str, owner: str = "the file") -> str:
    """Advice for a name that does not exist: the one that is most like it."""
    known = [*names]
    near = difflib.get_close_matches(name[:200], known, n=1) if len(known) <= _MOST_NAMES_COMPARED else []
    return f'did you mean "{quoted(near[0])}"?' if near else f"name one of the {len(known)} {what}s of {owner}"
