"""`sixvec emit ROBOT FUNCTION --target c`: the source of one kernel."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from sixvec.draft import write_file


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("emit", help="print the source of a kernel for a target")
    parser.add_argument("robot", help="a model file, or the name of a built-in robot")
    parser.add_argument("function", help="an algorithm, for example inverse_dynamics")
    parser.add_argument("--target", default="c", help="c, cuda, llvm, or program (the scalar program); default c")
    parser.add_argument("--dtype", choices=("float64", "float32"), default="float64")
    parser.add_argument("--frame", help="the frame, for functions of one frame")
    parser.add_argument("--reference", help="local_world_aligned, local or world")
    parser.add_argument("--floating", action="store_true", help="put a free joint under the root link")
    parser.add_argument("--output", type=Path, help="write here, with the header beside it, instead of printing")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from sixvec import load

    robot = load(arguments.robot, floating=arguments.floating)
    options = {k: getattr(arguments, k) for k in ("frame", "reference") if getattr(arguments, k)}
    kernel = robot.kernel(arguments.function, **options)
    text = kernel.source(arguments.target, arguments.dtype)
    if arguments.output is None:
        sys.stdout.write(text)
        return 0
    write_file(arguments.output, text, overwrite=True)
    if arguments.target == "c":
        from sixvec.compiler.emit.c import emit_header

        header = arguments.output.with_name(f"{kernel.program.name}.h")
        write_file(header, emit_header(kernel.program, arguments.dtype), overwrite=True)
    return 0
