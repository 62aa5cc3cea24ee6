"""The errors that sixvec raises.

Every error of the library is a `SixvecError`; each is also the built-in error that a caller would expect
(`ValueError`, `KeyError`), so existing `except` clauses keep working.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable

from sixvec.installation import install_command
from sixvec.quoting import message, quoted

_PACKAGE = __name__.partition(".")[0]
_MOST_NAMES_LISTED = 40
_MOST_LETTERS_COMPARED = 200


class SixvecError(Exception):
    """The root of all errors that sixvec raises on purpose."""

    def __str__(self) -> str:
        # KeyError would show the repr of its argument; a sentence reads better without the quotes.
        # Names in a message may come from an untrusted file: they are never written to a terminal unescaped.
        return message(str(self.args[0])) if self.args else ""


class ModelError(SixvecError, ValueError):
    """A robot that cannot exist: NaN parameters, a cycle, a duplicate name, a massless moving leaf; see `body`."""

    def __init__(self, text: str = "", *, body: str = "") -> None:
        self.body = body
        super().__init__(text)


class FileFormatError(ModelError):
    """A model file that cannot be read: the file and, where known, the element and the line, what is wrong, what to do.

    >>> problem = FileFormatError("the axis is zero", advice="give a direction", file="arm.urdf", line=7)
    >>> str(problem), problem.line, problem.advice
    ('arm.urdf: the axis is zero; give a direction (line 7)', 7, 'give a direction')
    """

    subject: str = ""
    """The element in a list of findings, where that is not `element`."""

    def __init__(
        self,
        message: str,
        *,
        advice: str = "",
        file: str = "",
        element: str = "",
        line: int | None = None,
        text: str = "",
    ) -> None:
        self.message, self.advice, self.file, self.element, self.line = message, advice, file, element, line
        place = "".join(f"{place_part}: " for place_part in (file, element) if place_part)
        end = (f"; {advice}" if advice else "") + ("" if line is None else f" (line {line})")
        super().__init__(text or f"{place}{message}{end}")


class UnreadableValue(FileFormatError):
    """A value that is missing, or that is not the numbers it should be."""


class UnknownInertia(FileFormatError):
    """A shape whose mass the format's own program can compute and this library cannot; only moving bodies need it."""


class ShapeError(SixvecError, ValueError):
    """An array whose shape does not fit the robot."""


class DtypeError(SixvecError, ValueError, TypeError):
    """An array whose entries are not real numbers."""


class ArgumentError(SixvecError, ValueError):
    """An option whose value is not among those offered."""


class CallError(ArgumentError, TypeError):
    """A call with an argument that is missing, unknown or given twice."""


class DegenerateError(SixvecError, ValueError):
    """A request without a solution for this geometry; the message gives the reason and an alternative."""


class OpenLoop(SixvecError, ValueError):
    """Dynamics at a position where a loop is open; the message gives the gap and how to close it."""


class FrameError(SixvecError, TypeError):
    """Two incompatible quantities: different axes, reference points or kinds."""


class FrameNotFound(SixvecError, KeyError):
    """A frame name that the robot does not have."""


class RobotNotFound(SixvecError, KeyError):
    """Neither a file nor the name of a built-in robot."""


class KernelNotFound(SixvecError, KeyError):
    """An algorithm name that is not registered."""


class OutputError(SixvecError, OSError):
    """A file that cannot be written, or must not be: it exists already, its folder does not, the disk is full."""


class DeviceMemoryError(SixvecError, MemoryError):
    """A device has too little memory for the arrays of a call."""


class MissingExtra(SixvecError, ImportError):
    """An optional package is needed for this call; the message names it and the command that installs it.

    >>> str(MissingExtra("the viewer needs viser", extra="view")).partition(": ")[0]
    'the viewer needs viser'
    """

    def __init__(self, text: str = "", *, extra: str = "") -> None:
        super().__init__(f"{text}: {install_command(extra)}" if extra else text)


def _plural(noun: str) -> str:
    """Of a noun, or of the first one in "kind of …".

    >>> [_plural(noun) for noun in ("body", "array", "mesh", "kind of parameters")]
    ['bodies', 'arrays', 'meshes', 'kinds of parameters']
    """
    head, of, remainder = noun.partition(" of ")
    return _plural_noun(head) + of + remainder


def _plural_noun(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "sh")) else f"{noun}s"


def unknown(what: str, name: str, valid: Iterable[str], where: str = "") -> str:
    """The message for a name that does not exist: the nearest valid name, then all valid ones.

    >>> unknown("frame", "tool1", ["base", "tool0"], "panda")
    'no frame "tool1" in panda; did you mean "tool0"? frames: base, tool0'
    >>> unknown("site", "tool1", [])
    'no site "tool1"; there are no sites'
    """
    return "; ".join(missing_name(what, name, valid, where))


def missing_name(
    what: str, name: str, valid: Iterable[str], where: str = "", most: int = _MOST_NAMES_LISTED
) -> tuple[str, str]:
    """The message for a name that does not exist, and the advice: the nearest valid name, then `most` valid ones."""
    names = list(valid)
    inside = f" in {where}" if where else ""
    message = f'no {what} "{quoted(str(name))}"{inside}'
    if not names:
        return message, f"there are no {_plural(what)}"
    near = difflib.get_close_matches(str(name)[:_MOST_LETTERS_COMPARED], names, n=1)
    guess = f'did you mean "{quoted(near[0])}"? ' if near else ""
    shown = ", ".join(map(quoted, names[:most])) + (", …" if len(names) > most else "")
    return message, f"{guess}{_plural(what)}: {shown}"


def level_of_user() -> int:
    """The stack level of the user's own code for a warning, relative to the caller of this function."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    return level
