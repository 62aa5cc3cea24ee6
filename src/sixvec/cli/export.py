"""`sixvec export ROBOT FUNCTION … --output FOLDER`: a library of C for a controller, with its test."""

from __future__ import annotations

from pathlib import Path

import click

from sixvec.cli import options
from sixvec.cli.command import command
from sixvec.cli.options import KernelOptions
from sixvec.cli.status import Status
from sixvec.errors import ArgumentError, ModelError, OutputError


@command(
    name="export",
    examples=[
        "sixvec export panda inverse_dynamics jacobian:panda_link8 --output controller",
        "sixvec export ur5e ik:tool0 step:rk4 --dtype float32 --output controller",
        "sixvec export dog.urdf constrained_dynamics --floating --hold foot=point -o controller",
    ],
)
@options.robot
@options.functions
@options.output("The folder for the files.", required=True, metavar="FOLDER")
@options.kernel_options
@click.option(
    "--hold", multiple=True, metavar="FRAME=KIND", help="Hold a frame: weld, point, …; of constrained_dynamics."
)
@options.force
def run(
    robot: str,
    functions: tuple[str, ...],
    output: Path,
    kernel: KernelOptions,
    hold: tuple[str, ...],
    floating: bool,
    trusted: bool,
    force: bool,
) -> int:
    """Write functions of a robot as a library of C.

    FUNCTION is an algorithm (inverse_dynamics), with a frame if it has one (jacobian:tool0), ik:FRAME, or a step of a
    rollout (step, step:rk4).  The library comes with a header for C++, a CMake file and a test of its bits.
    """
    from sixvec import load
    from sixvec.cli.outputs import require_own
    from sixvec.formats.draft import write_file
    from sixvec.interop.controller import controller_library

    holds = dict(map(_held, hold))
    loaded = load(robot, floating=floating, trusted=trusted)
    try:
        files = controller_library(
            loaded,
            functions,
            dtype=kernel.dtype,
            name=kernel.name,
            external=kernel.external,
            payload=kernel.payload,
            hold=holds or None,
            passive=kernel.passive,
            derivative=kernel.derivative,
        )
    except ModelError as problem:  # the file was read: the kernel is not one for this robot
        raise ArgumentError(str(problem)) from problem
    try:
        output.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OutputError(f'the output "{output}" is not a folder') from None
    except OSError as problem:
        raise OutputError(f'the output "{output}" cannot be made: {problem.strerror}') from problem
    for name in files:
        require_own(output / name, force)
    for name, text in files.items():
        write_file(output / name, text, overwrite=force)
        print(output / name)
    return Status.FINE


def _held(text: str) -> tuple[str, str]:
    frame, equals, kind = text.partition("=")
    if not equals:
        raise ArgumentError(f"--hold {text!r} must be FRAME=KIND, for example left_foot=weld")
    return frame, kind
