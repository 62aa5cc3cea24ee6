"""Exit statuses of the commands: each number has the same meaning for all commands."""

from __future__ import annotations

from enum import IntEnum

from sixvec.errors import MissingExtra, ModelError, OutputError, RobotNotFound, SixvecError


class Status(IntEnum):
    """The exit statuses of `sixvec`."""

    FINE = 0
    FINDINGS = 1
    USAGE = 2
    UNREADABLE = 3
    UNWRITABLE = 4
    MISSING = 5
    DEFECT = 70
    INTERRUPTED = 130
    UNREAD = 141


MEANINGS = {
    Status.FINE: "done, and all is well",
    Status.FINDINGS: "done, with findings: warnings about a file, not the same robot, an identity that fails",
    Status.USAGE: "the command line is wrong: an unknown command, option, function or frame",
    Status.UNREADABLE: "the robot does not exist, or its file cannot be read or has errors",
    Status.UNWRITABLE: "the result cannot be written",
    Status.MISSING: "a package is missing that this command needs",
    Status.DEFECT: "a defect of sixvec, with a traceback to report",
    Status.INTERRUPTED: "interrupted",
    Status.UNREAD: "the reader of the output has gone",
}


def table() -> str:
    """The statuses and what they mean, a line each."""
    return "\n".join(f"{status:>5}  {meaning}" for status, meaning in MEANINGS.items())


def status_of(problem: Exception) -> Status:
    """The exit status for an error.

    >>> status_of(OutputError("the disk is full")).name, status_of(FileNotFoundError(2, "none", "arm.urdf")).name
    ('UNWRITABLE', 'UNREADABLE')
    """
    match problem:
        case MissingExtra():
            return Status.MISSING
        case OutputError():
            return Status.UNWRITABLE
        case ModelError() | RobotNotFound():
            return Status.UNREADABLE
        case SixvecError():
            return Status.USAGE
        case OSError():
            return Status.UNREADABLE if problem.filename is not None else Status.UNWRITABLE  # standard output has none
        case _:
            return Status.DEFECT
