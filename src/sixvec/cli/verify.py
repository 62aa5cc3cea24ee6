"""`sixvec verify ROBOT`: identities, numbers, loops and other libraries, as a table with verdicts."""

from __future__ import annotations

import argparse
import os
from typing import Any

from sixvec.cli.model_options import add_trusted
from sixvec.cli.status import Status
from sixvec.cli.terminal import as_printed, say


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("verify", help="check a robot's numbers and identities; compare with other libraries")
    parser.add_argument("robot", help="a model file, or the name of a built-in robot")
    parser.add_argument("--floating", action="store_true", help="put a free joint under the root link")
    parser.add_argument("--samples", type=int, default=20, help="random states; default 20")
    parser.add_argument("--no-peers", action="store_true", help="do not ask Pinocchio and MuJoCo")
    add_trusted(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from sixvec.robot import load

    os.environ.setdefault("MUJOCO_GL", "disable")  # this process draws nothing: MuJoCo need not look for a display
    robot = load(arguments.robot, floating=arguments.floating, trusted=arguments.trusted)
    found = robot.verify(samples=arguments.samples, peers=not arguments.no_peers)
    say(found.table(as_printed))
    return Status.FINE if found else Status.FINDINGS
