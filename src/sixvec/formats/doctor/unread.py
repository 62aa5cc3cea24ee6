"""Where a file has what its loader leaves out: the loader's warning lists it in words, without lines."""

from __future__ import annotations

import re

from sixvec.formats.doctor.source import Tag

_ITEM = re.compile(
    r"(?:\d+ × )?(?:fluid )?(?P<what>[\w:.-]+)(?: \((?P<inner>\w+)\)$)?(?: of a (?P<kind>ball |free )?(?P<owner>\w+))?"
)
"""How often, what, of a section what in it, of whom: "2 × actuator (motor)", "gravcomp of a body"."""

_MISSING_MODEL = re.compile(r"(?:\d+ × )?include of .* \(its model is missing\)")


def without_missing_models(message: str) -> str:
    """The message without the included models that were not found, which have warnings of their own.

    >>> without_missing_models("read without: wind, include of model://hand (its model is missing)")
    'read without: wind'
    >>> without_missing_models("read without: include of model://hand (its model is missing)")
    ''
    """
    start, separator, listed = message.partition(": ")
    if not separator:
        return message
    kept = [item for item in listed.split(", ") if not _MISSING_MODEL.fullmatch(item)]
    return f"{start}: {', '.join(kept)}" if kept else ""


def first_mention(root: Tag, message: str) -> Tag:
    """The first element, in the order of the file, that the list in a message is about; else the outermost one.

    >>> from sixvec.formats.doctor.source import parse_tags
    >>> arm = parse_tags('<mujoco>' + chr(10) + '<actuator>' + chr(10) + '<motor joint="j"/></actuator></mujoco>')
    >>> first_mention(arm, "read without what the model cannot hold: 3 × actuator (motor), wind").line
    3
    """
    wanted = [found for item in message.partition(": ")[2].split(", ") if (found := _ITEM.match(item))]
    waiting = [("", root, t) for t in reversed(root.inside)]
    while waiting:
        above, parent, t = waiting.pop()
        if any(_is_about(found, (above, parent.tag), t) for found in wanted):
            return t
        waiting += [(parent.tag, t, inner) for inner in reversed(t.inside)]
    return root


def _is_about(item: re.Match[str], around: tuple[str, str], t: Tag) -> bool:
    what, inner, kind, owner = item.group("what", "inner", "kind", "owner")
    if inner:
        return (around[1], t.tag) == (what, inner)
    if t.tag == what:
        return owner in (None, *around)
    return what in t.attributes and owner in (None, t.tag) and (not kind or t.get("type") == kind.strip())
