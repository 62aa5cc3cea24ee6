"""`sixvec demo`: a guided tour on a 7-joint arm."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sixvec.cli.model_options import add_trusted
from sixvec.cli.status import Status


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("demo", help="a tour: poses, dynamics, identities, operation counts, speed")
    parser.add_argument("--robot", default="panda", help="a model file, or the name of a built-in robot; default panda")
    parser.add_argument("--plot", type=Path, default=Path("demo.png"), help="where to write the plot; default demo.png")
    parser.add_argument("--force", action="store_true", help="replace the plot if it exists")
    add_trusted(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from sixvec.demo.tour import tour

    fine = tour(arguments.robot, arguments.plot, overwrite=arguments.force, trusted=arguments.trusted)
    return Status.FINE if fine else Status.FINDINGS
