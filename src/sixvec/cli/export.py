"""`sixvec export ROBOT --kernel NAME … --out FOLDER`: a library of C for a controller, with its test."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sixvec.cli.model_options import add_trusted
from sixvec.cli.status import Status
from sixvec.errors import ArgumentError, ModelError, OutputError


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("export", help="write kernels as a library of C, with CMake file and test")
    parser.add_argument("robot", help="a model file, or the name of a built-in robot")
    parser.add_argument(
        "--kernel",
        action="append",
        required=True,
        metavar="NAME[:FRAME]",
        help="inverse_dynamics, jacobian:tool0, ik:tool0, step or step:rk4 (of a rollout), …; one option a kernel",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to write the files")
    parser.add_argument("--dtype", choices=("float64", "float32"), default="float64")
    parser.add_argument("--name", default="", help="of the library; default the robot's")
    parser.add_argument("--external", action="append", default=[], metavar="FRAME", help="take a wrench on this frame")
    parser.add_argument("--payload", action="append", default=[], metavar="FRAME", help="take a load in this frame")
    parser.add_argument(
        "--hold",
        action="append",
        default=[],
        metavar="FRAME=KIND",
        help="hold a frame: weld, point, …; for constraints",
    )
    parser.add_argument("--passive", action="store_true", help="with damping, friction and springs of the joints")
    parser.add_argument("--derivative", action="append", default=[], metavar="INPUT", help="differentiate")
    parser.add_argument("--floating", action="store_true", help="put a free joint under the root link")
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    add_trusted(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from sixvec import load
    from sixvec.formats.draft import require_writable, write_file
    from sixvec.interop.controller import controller_library

    hold: dict[str, str] = {}
    for text in arguments.hold:
        frame, equals, kind = text.partition("=")
        if not equals:
            raise ArgumentError(f"--hold {text!r} must be FRAME=KIND, for example left_foot=weld")
        hold[frame] = kind
    robot = load(arguments.robot, floating=arguments.floating, trusted=arguments.trusted)
    try:
        files = controller_library(
            robot,
            arguments.kernel,
            dtype=arguments.dtype,
            name=arguments.name,
            external=arguments.external,
            payload=arguments.payload,
            hold=hold or None,
            passive=arguments.passive,
            derivative=arguments.derivative,
        )
    except ModelError as problem:  # the file was read: the kernel is not one for this robot
        raise ArgumentError(str(problem)) from problem
    folder: Path = arguments.out
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OutputError(f'the output "{folder}" is no folder') from None
    except OSError as problem:
        raise OutputError(f'the output "{folder}" cannot be made: {problem.strerror}') from problem
    for name in files:
        require_writable(folder / name, arguments.force)
    for name, text in files.items():
        write_file(folder / name, text, overwrite=arguments.force)
        print(folder / name)
    return Status.FINE
