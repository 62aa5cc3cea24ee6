"""`sixvec check FILE`: everything that is wrong with a robot file, at once."""

from __future__ import annotations

import json
import warnings

import click

from sixvec.cli import options
from sixvec.cli.command import command
from sixvec.cli.status import Status
from sixvec.cli.terminal import say

STATUS = (Status.FINE, Status.FINDINGS, Status.UNREADABLE)
"""For the worst severity that was found: a note, a warning, an error."""


@command(name="check", examples=["sixvec check arm.urdf", "sixvec check arm.urdf --all", "sixvec check dog.xml --json"])
@click.argument("robot", metavar="FILE", shell_complete=options.complete_robots)
@options.as_json
@click.option("--all", "every", is_flag=True, help="Print a line for each note instead of one for similar notes.")
@options.trusted
def run(robot: str, as_json: bool, every: bool, trusted: bool) -> int:
    """Report all problems of a robot file.

    Each problem comes with its line and advice.  The exit status is 0 for a healthy file, 1 if there are warnings,
    3 if there are errors.
    """
    from sixvec.formats.doctor import check_file

    report = check_file(robot, trusted=trusted)
    overlap = _overlap(robot, trusted)
    if as_json:
        shown = report.as_dict() | ({"overlap": overlap} if overlap else {})
        print(json.dumps(shown, indent=2))  # in ASCII, so any terminal may have all of it
    else:
        say(
            report.text(grouped=not every) + (f"\nnote: {overlap} (sixvec distance lists all pairs)" if overlap else "")
        )
    return STATUS[report.status]


def _overlap(robot: str, trusted: bool) -> str:
    """Which shapes overlap at the neutral position; nothing of a file without shapes, or that cannot be read."""
    from sixvec.cli.distance import overlap_at_neutral
    from sixvec.errors import SixvecError
    from sixvec.robot import load

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the report has them
            return overlap_at_neutral(load(robot, trusted=trusted))
    except SixvecError:
        return ""
