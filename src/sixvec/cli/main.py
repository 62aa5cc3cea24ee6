"""`sixvec COMMAND`: one file per command."""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from sixvec import __version__
from sixvec.cli import batch, check, convert, demo, emit, export, robots, show, verify, view, where
from sixvec.cli.status import Status, status_of, table
from sixvec.cli.terminal import complain, prepare_streams
from sixvec.quoting import LONGEST_LINE, quoted

COMMANDS = (demo, view, show, check, verify, convert, emit, export, batch, robots, where)


class Parser(argparse.ArgumentParser):
    """A parser whose errors escape quoted text."""

    def error(self, message: str) -> NoReturn:
        super().error(quoted(message, LONGEST_LINE))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; an error of the user's is one line on standard error and an exit status of `Status`."""
    prepare_streams()
    atexit.register(gc.freeze)  # or Python searches the nodes of every trace for cycles before it ends
    try:
        chosen = parser().parse_args(arguments)
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            status = int(chosen.run(chosen))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what Python flushes at its end
        return Status.UNREAD
    except KeyboardInterrupt:
        complain("interrupted")
        return Status.INTERRUPTED
    except Exception as problem:
        status = status_of(problem)
        if status is Status.DEFECT:
            traceback.print_exc()
        complain(_in_words(problem))
        return status


def parser() -> Parser:
    """The command line."""
    made = Parser(
        prog="sixvec",
        description="Robot kinematics and dynamics with 6-D vectors.",
        epilog=f"exit status:\n{table()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--version", action="version", version=f"sixvec {__version__}")
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    return made


def _in_words(problem: Exception) -> str:
    """An error in words.  Python's own messages begin with an error number, which is omitted."""
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.filename}: {problem.strerror}" if problem.filename else problem.strerror
    return str(problem)


def _warn(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """A warning as a line for users: its text without the location in the program."""
    complain(f"warning: {message}")
