"""Text as the value of an XML attribute, and the tags of elements."""

from __future__ import annotations

from collections.abc import Mapping

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def quoteattr(text: str) -> str:
    """The text, escaped and in quotes: as `xml.sax.saxutils.quoteattr`, without the modules for networks it imports.

    >>> print(quoteattr("left & right"), quoteattr('5" arm'))
    "left &amp; right" '5" arm'
    """
    escaped = "".join(_ESCAPES.get(letter, letter) for letter in text)
    if '"' not in escaped:
        return f'"{escaped}"'
    return f"'{escaped}'" if "'" not in escaped else '"{}"'.format(escaped.replace('"', "&quot;"))


def opening(tag: str, attributes: Mapping[str, str]) -> str:
    """The opening tag of an element.

    >>> print(opening("joint", {"name": "hip"}))
    <joint name="hip">
    """
    return f"<{tag}" + "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items()) + ">"


def element(tag: str, attributes: Mapping[str, str]) -> str:
    """An element without contents."""
    return opening(tag, attributes)[:-1] + "/>"
