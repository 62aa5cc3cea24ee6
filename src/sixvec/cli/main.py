"""`sixvec COMMAND`: one file per command."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from sixvec import __version__
from sixvec.cli import check, convert, demo, emit, robots, show
from sixvec.errors import SixvecError

COMMANDS = (demo, show, check, convert, emit, robots)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; an error of the user's is one line on standard error and exit status 2."""
    parser = argparse.ArgumentParser(prog="sixvec", description="Robot kinematics and dynamics with 6-D vectors.")
    parser.add_argument("--version", action="version", version=f"sixvec {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    chosen = parser.parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            return int(chosen.run(chosen))
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except SixvecError as problem:
        print(f"sixvec: {problem}", file=sys.stderr)
        return 2
    except OSError as problem:
        # Python's own words begin with the number of the error, which helps nobody.
        told = f"{problem.filename}: {problem.strerror}" if problem.filename and problem.strerror else str(problem)
        print(f"sixvec: {told}", file=sys.stderr)
        return 2


def _warn(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """A warning as a line for users: what it says, without the place in the program that says it."""
    print(f"sixvec: warning: {message}", file=sys.stderr)
