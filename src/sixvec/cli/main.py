"""`sixvec COMMAND`: one file per command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

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
        return int(chosen.run(chosen))
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except (SixvecError, OSError) as problem:
        print(f"sixvec: {problem}", file=sys.stderr)
        return 2
