"""`sixvec check FILE`: everything that is wrong with a robot file, at once."""

from __future__ import annotations

import argparse
import json
from typing import Any


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "check",
        help="report all problems of a robot file, with lines and advice",
        description="Report the problems of a robot file, all at once, with their lines.  The exit status is 0 for a "
        "healthy file, 1 if there are warnings, 2 if there are errors.",
    )
    parser.add_argument("file", help="a model file, or the name of a built-in robot")
    parser.add_argument("--json", action="store_true", help="print the findings for programs")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Exit status 0 for a healthy file or notes, 1 for warnings, 2 for errors."""
    from sixvec.doctor import check_file

    report = check_file(arguments.file)
    print(json.dumps(report.as_dict(), indent=2, ensure_ascii=False) if arguments.json else report.text())
    return report.status
