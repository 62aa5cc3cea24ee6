"""`sixvec check FILE`: everything that is wrong with a robot file, at once."""

from __future__ import annotations

import argparse
import json
from typing import Any

from sixvec.cli.model_options import add_trusted
from sixvec.cli.status import Status
from sixvec.cli.terminal import say


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "check",
        help="report all problems of a robot file, with lines and advice",
        description="Report the problems of a robot file, all at once, with their lines.  The exit status is 0 for a "
        "healthy file, 1 if there are warnings, 3 if there are errors.",
    )
    parser.add_argument("file", help="a model file, or the name of a built-in robot")
    parser.add_argument("--json", action="store_true", help="print the findings for programs")
    add_trusted(parser)
    parser.set_defaults(run=run)


STATUS = (Status.FINE, Status.FINDINGS, Status.UNREADABLE)
"""For the worst severity that was found: a note, a warning, an error."""


def run(arguments: argparse.Namespace) -> int:
    from sixvec.formats.doctor import check_file

    report = check_file(arguments.file, trusted=arguments.trusted)
    if arguments.json:
        print(json.dumps(report.as_dict(), indent=2))  # in ASCII, so any terminal may have all of it
    else:
        say(report.text())
    return STATUS[report.status]
