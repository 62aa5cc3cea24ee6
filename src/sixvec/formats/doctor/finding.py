"""The results of the doctor: one finding per problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from sixvec.errors import FileFormatError, UnreadableValue
from sixvec.formats.node import Node
from sixvec.quoting import message


class Severity(IntEnum):
    """The severity of a finding; the exit status of `sixvec check` is the worst one.

    A note is informative and affects no computation of this library; a warning means that results are probably not what
    the author of the file intended; with an error the file does not load, here or in the format's own program, or its
    numbers are physically inconsistent.
    """

    NOTE = 0
    WARNING = 1
    ERROR = 2

    @property
    def word(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem: severity, location, description and advice.

    >>> print(Finding(Severity.ERROR, 12, 'joint "elbow"', "the axis is zero", "give it a direction").text("arm.urdf"))
    arm.urdf:12: error: joint "elbow": the axis is zero; give it a direction
    """

    severity: Severity
    line: int | None
    element: str
    message: str
    advice: str
    file: str = ""
    """The included file that contains the line; empty for the checked file itself."""

    def text(self, file: str) -> str:
        """One line, in the form that editors and grep understand; `file` is the checked file."""
        file = self.file or file
        place = file if self.line is None else f"{file}:{self.line}"
        element = f" {self.element}:" if self.element else ""
        return message(f"{place}: {self.severity.word}:{element} {self.message}; {self.advice}")

    def as_dict(self, file: str) -> dict[str, object]:
        return {
            "severity": self.severity.word,
            "file": self.file or file,
            "line": self.line,
            "element": message(self.element),
            "message": message(self.message),
            "advice": message(self.advice),
        }


Findings = Iterator[Finding]


def error(node: Node, message: str, advice: str) -> Finding:
    """An error at an element."""
    return Finding(Severity.ERROR, node.line, node.subject, message, advice, node.file)


def warning(node: Node, message: str, advice: str) -> Finding:
    """A warning at an element."""
    return Finding(Severity.WARNING, node.line, node.subject, message, advice, node.file)


def note(node: Node, message: str, advice: str) -> Finding:
    """A note at an element."""
    return Finding(Severity.NOTE, node.line, node.subject, message, advice, node.file)


def of_error(problem: FileFormatError) -> Finding:
    """An error of a reader, as a finding."""
    advice = problem.advice or "correct this first"
    return Finding(Severity.ERROR, problem.line, problem.element, problem.message, advice, problem.file)


def refusals(node: Node, read: Callable[[], object]) -> Findings:
    """An error of a reader at an element; unreadable values have a separate rule."""
    try:
        read()
    except UnreadableValue:
        pass
    except FileFormatError as problem:
        yield error(node, problem.message, problem.advice)


def worst(findings: Iterable[Finding]) -> Severity:
    """The worst severity of all; a note if there are none.

    >>> worst([]).word
    'note'
    """
    return max((f.severity for f in findings), default=Severity.NOTE)
