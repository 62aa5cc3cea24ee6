"""`sixvec emit ROBOT FUNCTION … --target c`: the source of kernels, in one file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixvec.cli.model_options import add_trusted
from sixvec.cli.status import Status
from sixvec.errors import ArgumentError

if TYPE_CHECKING:
    from sixvec.compiler.emit.function import Function
    from sixvec.kernels.derivative import Differentiable
    from sixvec.robot import Robot

SUFFIXES = {"c": ".c", "cuda": ".cu", "llvm": ".ll", "program": ".txt"}


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("emit", help="print the source of kernels for a target")
    parser.add_argument("robot", help="a model file, or the name of a built-in robot")
    parser.add_argument(
        "functions",
        nargs="+",
        metavar="FUNCTION",
        help="an algorithm, for example inverse_dynamics; one of a frame may name it: jacobian:tool0; several go into "
        "one file",
    )
    parser.add_argument("--target", default="c", help="c, cuda, llvm, or program (the scalar program); default c")
    parser.add_argument("--dtype", choices=("float64", "float32"), default="float64")
    parser.add_argument("--frame", help="the frame, for functions of one frame that name none")
    parser.add_argument("--reference", help="local_world_aligned, local or world")
    parser.add_argument("--external", action="append", default=[], metavar="FRAME", help="take a wrench on this frame")
    parser.add_argument("--external-reference", help="in which axes wrenches are: local_world_aligned, local or world")
    parser.add_argument("--passive", action="store_true", help="with damping, friction and springs of the joints")
    parser.add_argument("--payload", action="append", default=[], metavar="FRAME", help="take a load in this frame")
    parser.add_argument(
        "--derivative",
        action="append",
        default=[],
        metavar="INPUT",
        help="differentiate with respect to this input, for example q; once more for each time it is given",
    )
    parser.add_argument("--floating", action="store_true", help="put a free joint under the root link")
    parser.add_argument("--name", help="the name of the function; of several, what their names begin with")
    parser.add_argument(
        "--output",
        type=Path,
        help="write here instead of printing, for C with the header *.h beside it; in a folder, a file of the "
        "function's name",
    )
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    add_trusted(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from sixvec import load
    from sixvec.compiler.source import sources

    robot = load(arguments.robot, floating=arguments.floating, trusted=arguments.trusted)
    kernels = _kernels(robot, arguments)
    for kernel in kernels:
        kernel.require_dtype(arguments.dtype)
    functions = _named(kernels, arguments.name, arguments.dtype)
    text = sources(functions, arguments.target, arguments.dtype)
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        _write(arguments, functions, text)
    return Status.FINE


def _kernels(robot: Robot, arguments: argparse.Namespace) -> list[Differentiable]:
    """The kernel of each function, with the options that it supports; an option that no kernel supports is an error."""
    from sixvec.kernels.kernel import Kernel
    from sixvec.kernels.store import find_algorithm

    given = {k: getattr(arguments, k) for k in ("frame", "reference", "external_reference") if getattr(arguments, k)}
    given |= {"passive": True} if arguments.passive else {}
    unused = {*given, *(["external"] if arguments.external else [])}
    kernels: list[Differentiable] = []
    for text in arguments.functions:
        name, colon, frame = text.partition(":")
        algorithm = find_algorithm(name)
        options = {k: value for k, value in given.items() if k in algorithm.options}
        external = arguments.external if algorithm.takes_external else []
        unused -= {*options, *(["external"] if external else [])}
        checked = robot.kernel(name, external=external, **options, **({"frame": frame} if colon else {}))
        kernel: Differentiable = Kernel(robot.model, algorithm, checked.options, external, arguments.payload)
        for wrt in arguments.derivative:
            kernel = kernel.derivative(wrt)
        kernels.append(kernel)
    if unused:
        option = sorted(unused)[0]
        raise ArgumentError(f"{', '.join(arguments.functions)} has no option {option!r}; leave --{option} out")
    return kernels


def _named(kernels: list[Differentiable], name: str | None, dtype: str) -> list[Function]:
    """The kernels as functions under their own names; `name` replaces the name of one, or the robot's in several."""
    from sixvec.compiler.emit.function import is_identifier
    from sixvec.kernels.exported import function, symbol

    if name and not is_identifier(name):
        raise ArgumentError(f"--name {name!r} is no name for a function of C; use letters, digits and underscores")
    if name and len(kernels) == 1:
        return [function(kernels[0], dtype, name)]
    names = [symbol(kernel, dtype, prefix=name or "") for kernel in kernels]
    if twice := {n for n in names if names.count(n) > 1}:
        raise ArgumentError(f"{sorted(twice)[0]} is asked for twice; name each function once")
    return [function(kernel, dtype, n) for kernel, n in zip(kernels, names, strict=True)]


def _write(arguments: argparse.Namespace, functions: list[Function], text: str) -> None:
    from sixvec.compiler.emit.c import emit_header
    from sixvec.formats.draft import require_writable, write_file

    output: Path = arguments.output
    if output.is_dir():
        output = output / (functions[0].symbol + SUFFIXES[arguments.target])
    texts = {output: text}
    if arguments.target == "c":
        if output.suffix == ".h":
            raise ArgumentError(f'--output "{output}" is the name of the header; name the source, for example *.c')
        texts[output.with_suffix(".h")] = emit_header(functions, arguments.dtype)
    for path in texts:
        require_writable(path, arguments.force)
    for path, content in texts.items():
        write_file(path, content, overwrite=arguments.force)
