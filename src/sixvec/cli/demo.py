"""`sixvec demo`: a guided tour on a 7-joint arm."""

from __future__ import annotations

import argparse
from typing import Any


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("demo", help="a tour: poses, dynamics, identities, operation counts, speed")
    parser.add_argument("--plot", default="demo.png", help="where to write the plot; default demo.png")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    return 0
