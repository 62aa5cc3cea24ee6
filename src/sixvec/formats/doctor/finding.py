"""The results of the doctor: one finding per problem, and the report of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial

from sixvec.errors import FileFormatError, UnreadableValue
from sixvec.formats.node import Node
from sixvec.model import Model
from sixvec.quoting import LONGEST_LINE, message, quoted


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

    >>> from sixvec.formats.doctor import Finding, Severity
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

    def text(self, file: str, others: int = 0) -> str:
        """One line, in the form that editors and grep understand; `file` is the checked file.

        It may represent the same finding at `others`, other elements.
        """
        file = self.file or file
        place = file if self.line is None else f"{file}:{self.line}"
        element = f" {self.element}{f' and {others} more' if others else ''}:" if self.element else ""
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


def at(severity: Severity, node: Node, message: str, advice: str) -> Finding:
    """A finding at an element."""
    return Finding(severity, node.line, node.subject, message, advice, node.file)


note, warning, error = (partial(at, severity) for severity in Severity)


def of_error(problem: FileFormatError, root: Node | None = None) -> Finding:
    """An error of a reader, as a finding; one about the whole of a file is at its outermost element."""
    advice = problem.advice or "correct this first"
    whole = root is not None and problem.line is None and problem.file == root.file
    line = root.line if root is not None and whole else problem.line
    element = problem.subject or problem.element
    return Finding(Severity.ERROR, line, element, problem.message, advice, problem.file)


def tolerated(problem: FileFormatError) -> Finding:
    """What a reader would reject if it needed the element, as a finding of lower severity."""
    return replace(of_error(problem), severity=Severity.WARNING)


def reader_errors(read: Callable[..., object], *arguments: object, numbers: bool = False) -> Findings:
    """The error of a reader for an element; unreadable `numbers` have a separate rule."""
    try:
        read(*arguments)
    except UnreadableValue as problem:
        if numbers:
            yield of_error(problem)
    except FileFormatError as problem:
        yield of_error(problem)


def worst(findings: Iterable[Finding]) -> Severity:
    """The worst severity of all; a note if there are none."""
    return max((f.severity for f in findings), default=Severity.NOTE)


@dataclass(frozen=True, slots=True)
class Report:
    """All findings in a file, in the order of its lines, and the robot if it can be loaded."""

    file: str
    findings: tuple[Finding, ...]
    model: Model | None

    @property
    def status(self) -> int:
        """0: healthy, or notes only; 1: warnings; 2: errors."""
        return int(worst(self.findings))

    @property
    def summary(self) -> str:
        """The last line of the report, and the only one of a healthy file."""
        count = {s: sum(f.severity is s for f in self.findings) for s in reversed(Severity)}
        counted = ", ".join(f"{n} {s.word}{'s' if n > 1 else ''}" for s, n in count.items() if n)
        health = ("healthy", "loads, with warnings", "broken")[self.status]
        robot = ""
        if self.model is not None:
            moving = len(self.model.moving)
            mass = sum(b.inertia.mass for b in self.model.bodies)
            robot = f"{len(self.model.bodies)} links, {moving} moving joint{'' if moving == 1 else 's'}, {mass:.4g} kg"
        return quoted(f"{self.file}: {health}: " + "; ".join(text for text in (counted, robot) if text), LONGEST_LINE)

    def text(self, grouped: bool = False) -> str:
        """A line per finding and the summary; `grouped`, one line for notes that differ in their element only."""
        lines = self._groups() if grouped else [(f, 0) for f in self.findings]
        return "\n".join([*(f.text(self.file, others) for f, others in lines), self.summary])

    def _groups(self) -> list[tuple[Finding, int]]:
        """The findings, of similar notes the first, each with the number of those left out."""
        groups: dict[object, list[Finding]] = {}
        for i, f in enumerate(self.findings):
            is_note = f.severity is Severity.NOTE and f.element
            groups.setdefault((f.file, f.message, f.advice) if is_note else i, []).append(f)
        return [(first, len(others)) for first, *others in groups.values()]

    def as_dict(self) -> dict[str, object]:
        findings = [f.as_dict(self.file) for f in self.findings]
        return {"file": self.file, "status": self.status, "summary": self.summary, "findings": findings}
