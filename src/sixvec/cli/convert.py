"""`sixvec convert a.urdf b.xml`: write a robot in another format, and prove that it is the same robot."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sixvec.cli.model_options import add_trusted


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("convert", help="write a robot as another file, and prove that it is the same robot")
    parser.add_argument("robot", help="a model file, or the name of a built-in robot")
    parser.add_argument("output", type=Path, help="the file to write; its suffix chooses the format: .urdf, .xml, .sdf")
    parser.add_argument("--force", action="store_true", help="replace the output if it exists; of a link, the link")
    parser.add_argument("--floating", action="store_true", help="put a free joint under the root link")
    parser.add_argument(
        "--drop",
        default="",
        metavar="WHAT,…",
        help="leave out what URDF cannot say of a joint: armature, spring; damping, friction, limits (of several "
        "freedoms); the result is not the same robot, and the exit status 1",
    )
    parser.add_argument(
        "--meshes",
        choices=("keep", "copy"),
        default="keep",
        help="leave the files of meshes where they are, or copy them into a folder beside the output",
    )
    add_trusted(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from sixvec.cli.conversion import run_conversion

    return run_conversion(arguments)
