"""Options of all commands that read a robot."""

from __future__ import annotations

import argparse


def add_trusted(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trusted", action="store_true", help="let a xacro file run code, read any file and the environment"
    )
