"""What an error message has to contain: the names of the offenders, in whatever sentence."""

from __future__ import annotations

import re


class Names(str):
    """A pattern for `match=`, shown in the name of a test as the names alone."""

    __slots__ = ("names",)

    def __new__(cls, *names: str) -> Names:
        pattern = "".join(rf"(?=[\s\S]*(?<!\w){re.escape(name)}(?!\w))" for name in names)
        self = super().__new__(cls, pattern)
        self.names = names
        return self


def named(*names: str) -> Names:
    """A pattern for `match=`: the message contains each of these names as a whole word, in any order.

    >>> bool(re.search(named("pose", "q"), "pose: q has shape (6,), but (..., 7) is needed"))
    True
    >>> bool(re.search(named("q"), "a quaternion has four numbers"))
    False
    """
    return Names(*names)
