"""`sixvec verify ROBOT`: identities, numbers, loops and other libraries, as a table with verdicts."""

from __future__ import annotations

import json
import os

import click

from sixvec.cli import options
from sixvec.cli.command import command
from sixvec.cli.status import Status
from sixvec.cli.terminal import as_printed, say


@command(
    name="verify",
    examples=[
        "sixvec verify panda",
        "sixvec verify arm.urdf --samples 100",
        "sixvec verify dog.urdf --floating --json",
    ],
)
@options.robot
@options.as_json
@click.option("--samples", type=int, default=20, show_default=True, help="Number of random states.")
@click.option("--no-peers", is_flag=True, help="Do not compare with Pinocchio and MuJoCo.")
def run(robot: str, floating: bool, trusted: bool, as_json: bool, samples: int, no_peers: bool) -> int:
    """Check the numbers of a robot by identities of mechanics.

    Evaluates identities of kinematics and dynamics at random states, checks inertias, limits and loops, and compares
    with Pinocchio and MuJoCo where they are installed.  The exit status is 1 if anything fails.
    """
    from sixvec.robot import load

    os.environ.setdefault("MUJOCO_GL", "disable")  # this process draws nothing: MuJoCo need not look for a display
    result = load(robot, floating=floating, trusted=trusted).verify(samples=samples, peers=not no_peers)
    say(json.dumps(result.as_dict(), indent=2)) if as_json else say(result.table(as_printed))
    return Status.FINE if result else Status.FINDINGS
