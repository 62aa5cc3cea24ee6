"""`sixvec check FILE`: everything that is wrong with a robot file, at once."""

from __future__ import annotations

import json

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
    if as_json:
        print(json.dumps(report.as_dict(), indent=2))  # in ASCII, so any terminal may have all of it
    else:
        say(report.text(grouped=not every))
    return STATUS[report.status]
