"""What a file asks for and the model cannot hold: collected while reading, told once."""

from __future__ import annotations

import sys
import warnings
from collections import Counter

from sixvec.quoting import message

_PACKAGE = __name__.partition(".")[0]


class UnsupportedPhysics(UserWarning):
    """A model file describes physics that is not part of the model that was read from it."""


class UnsupportedShape(UserWarning):
    """A model has shapes that the format of the file that is written cannot hold."""


class Unsupported:
    """A list that grows while a file is read.

    >>> found = Unsupported()
    >>> found.add("actuator"); found.add("actuator"); found.add("tendon")
    >>> found.summary()
    '2 × actuator, tendon'
    """

    def __init__(self) -> None:
        self._found: Counter[str] = Counter()

    def add(self, what: str) -> None:
        self._found[what] += 1

    def summary(self) -> str:
        """Everything found, in the order of the first appearance."""
        return ", ".join(what if count == 1 else f"{count} × {what}" for what, count in self._found.items())

    def warn(self, where: str) -> None:
        """One warning that lists everything, if there is anything."""
        if self._found:
            told = message(f"{where}: read without what the model cannot hold: {self.summary()}")
            warnings.warn(told, UnsupportedPhysics, stacklevel=level_of_user())


def level_of_user() -> int:
    """How many calls up the user's own code stands, as seen from the caller of this function."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    return level
