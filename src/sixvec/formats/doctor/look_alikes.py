"""Names that look the same to a reader: letters of another alphabet, characters without width, two ways to write é.

The comparison follows the skeletons of Unicode (UTS 39) for the letters that look like those of ASCII.  Names in ASCII
alone are never reported: `left_l` and `left_1` are usual.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from sixvec.formats.doctor.finding import Findings, warning
from sixvec.formats.doctor.outline import Joint, Link, Outline
from sixvec.quoting import quoted

CONFUSABLE = {
    # Cyrillic
    "а": "a", "в": "b", "ԁ": "d", "е": "e", "ё": "ë", "һ": "h", "і": "i", "ї": "ï", "ј": "j", "к": "k", "ӏ": "l",
    "о": "o", "р": "p", "ԛ": "q", "г": "r", "ѕ": "s", "у": "y", "ѵ": "v", "ԝ": "w", "х": "x", "А": "A", "В": "B",
    "С": "C", "с": "c", "Е": "E", "Н": "H", "І": "I", "Ј": "J", "К": "K", "Ӏ": "l", "М": "M", "О": "O", "Р": "P",
    "Ѕ": "S", "Т": "T", "У": "Y", "Ѵ": "V", "Ԝ": "W", "Х": "X", "З": "3",
    # Greek
    "α": "a", "γ": "y", "ε": "e", "ι": "i", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "σ": "o", "τ": "t", "υ": "u",
    "χ": "x", "Α": "A", "Β": "B", "Ε": "E", "Ζ": "Z", "Η": "H", "Ι": "I", "Κ": "K", "Μ": "M", "Ν": "N", "Ο": "O",
    "Ρ": "P", "Τ": "T", "Υ": "Y", "Χ": "X",
    # Armenian, Latin and signs
    "օ": "o", "ս": "u", "հ": "h", "ո": "n", "ց": "g", "ı": "i", "ɑ": "a", "ɡ": "g", "ɩ": "i", "‐": "-", "‑": "-",
    "‒": "-", "–": "-", "—": "-", "−": "-", "ǀ": "l", "∕": "/", "⁄": "/", "․": ".", "‗": "_", "ˍ": "_",
    "։": ":", "∶": ":",
}  # fmt: skip

INVISIBLE = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)}
"""Characters without width that are not in the category Cf."""


def skeleton(name: str) -> str:
    """What a name looks like: names with one skeleton look the same.

    >>> skeleton("t\\u043e\\u043el\\u200b"), skeleton("cafe\\u0301") == skeleton("caf\\u00e9")
    ('tool', True)
    """
    if name.isascii():
        return name
    visible = (c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    shown = "".join(CONFUSABLE.get(c, c) for c in visible if ord(c) not in INVISIBLE)
    return unicodedata.normalize("NFKC", shown)


def names_look_different(outline: Outline) -> Findings:
    """Each name that looks like an earlier one of its kind."""
    for things in (outline.links, outline.joints):
        yield from _alike(things)


def _alike(things: Iterable[Link] | Iterable[Joint]) -> Findings:
    first: dict[str, str] = {}
    for thing in things:
        other = first.setdefault(skeleton(thing.name), thing.name)
        if other != thing.name:
            message = f'its name looks like "{quoted(other)}", which is another: {_difference(thing.name, other)}'
            yield warning(thing.node, message, "rename one of them")


def _difference(name: str, other: str) -> str:
    """The characters beyond ASCII of the two names."""
    odd = [" ".join(f"U+{ord(c):04X}" for c in each if ord(c) > 127) or "only ASCII" for each in (name, other)]
    return quoted(f"here {odd[0]}, there {odd[1]}")
