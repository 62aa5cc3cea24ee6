"""`sixvec emit ROBOT FUNCTION … --target c`: the source of kernels, in one file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sixvec.cli import options
from sixvec.cli.command import command
from sixvec.cli.options import KernelOptions
from sixvec.cli.status import Status
from sixvec.errors import ArgumentError

if TYPE_CHECKING:
    from sixvec.compiler.emit.function import Function
    from sixvec.kernels.derivative import Differentiable
    from sixvec.robot import Robot

SUFFIXES = {"c": ".c", "cuda": ".cu", "llvm": ".ll", "program": ".txt"}


@command(
    name="emit",
    examples=[
        "sixvec emit panda inverse_dynamics | less",
        "sixvec emit panda jacobian:panda_link8 mass_matrix --output arm.c",
        "sixvec emit ur5e forward_dynamics --derivative q --dtype float32 --target cuda",
    ],
)
@options.robot
@options.functions
@click.option("--target", default="c", show_default=True, help="c, cuda, llvm, or program (the scalar program).")
@options.output("Write here instead of printing, for C with its header; in a folder, files of the function's name.")
@options.kernel_options
@click.option("--reference", help="Axes and point of the result: local_world_aligned, local or world.")
@click.option("--external-reference", help="Axes of wrenches: local_world_aligned, local or world.")
@options.force
def run(
    robot: str,
    functions: tuple[str, ...],
    target: str,
    output: Path | None,
    kernel: KernelOptions,
    reference: str | None,
    external_reference: str | None,
    floating: bool,
    trusted: bool,
    force: bool,
) -> int:
    """Print the source of functions for a target.

    FUNCTION is an algorithm (inverse_dynamics), with a frame if it has one (jacobian:tool0); several go into one file.
    """
    from sixvec import load
    from sixvec.compiler.source import sources

    choices: dict[str, Any] = {"reference": reference, "external_reference": external_reference}
    chosen = {option: value for option, value in choices.items() if value}
    kernels = _kernels(load(robot, floating=floating, trusted=trusted), functions, kernel, chosen)
    for each in kernels:
        each.require_dtype(kernel.dtype)
    named = _named(kernels, kernel.name, kernel.dtype)
    text = sources(named, target, kernel.dtype)
    if output is None:
        sys.stdout.write(text)
    else:
        _write(output, named, text, target, kernel.dtype, force, robot)
    return Status.FINE


def _kernels(
    robot: Robot, functions: Sequence[str], kernel: KernelOptions, chosen: dict[str, Any]
) -> list[Differentiable]:
    """The kernel of each function, with the options that it supports; an option that no kernel supports is an error."""
    from sixvec.kernels.exported import frame_of
    from sixvec.kernels.kernel import Kernel
    from sixvec.kernels.store import find_algorithm

    chosen = chosen | ({"passive": True} if kernel.passive else {})
    unused = {*chosen, *(["external"] if kernel.external else [])}
    kernels: list[Differentiable] = []
    for text in functions:
        name, colon, frame = text.partition(":")
        algorithm = find_algorithm(name)
        if "frame" in algorithm.options:
            frame_of(name, frame, robot.model)
        supported = {option: value for option, value in chosen.items() if option in algorithm.options}
        external = [*kernel.external] if algorithm.takes_external else []
        unused -= {*supported, *(["external"] if external else [])}
        checked = robot.kernel(name, external=external, **supported, **({"frame": frame} if colon else {}))
        traced: Differentiable = Kernel(robot.model, algorithm, checked.options, external, [*kernel.payload])
        for wrt in kernel.derivative:
            traced = traced.derivative(wrt)
        kernels.append(traced)
    if unused:
        option = sorted(unused)[0]
        raise ArgumentError(f"{', '.join(functions)} has no option {option!r}; leave --{option} out")
    return kernels


def _named(kernels: list[Differentiable], name: str, dtype: str) -> list[Function]:
    """The kernels as functions under their own names; `name` replaces the name of one, or the robot's in several."""
    from sixvec.compiler.emit.function import is_identifier
    from sixvec.kernels.exported import function, symbol

    if name and not is_identifier(name):
        raise ArgumentError(f"--name {name!r} is not a name for a function of C; use letters, digits and underscores")
    if name and len(kernels) == 1:
        return [function(kernels[0], dtype, name)]
    names = [symbol(kernel, dtype, prefix=name) for kernel in kernels]
    if twice := {n for n in names if names.count(n) > 1}:
        raise ArgumentError(f"{sorted(twice)[0]} is asked for twice; name each function once")
    return [function(kernel, dtype, n) for kernel, n in zip(kernels, names, strict=True)]


def _write(
    output: Path, functions: list[Function], text: str, target: str, dtype: str, force: bool, robot: str
) -> None:
    from sixvec.cli.outputs import require_output
    from sixvec.compiler.emit.c import emit_header
    from sixvec.formats.draft import write_file

    if output.is_dir():
        output = output / (functions[0].symbol + SUFFIXES[target])
    texts = {output: text}
    if target == "c":
        if output.suffix == ".h":
            raise ArgumentError(f'--output "{output}" is the name of the header; name the source, for example *.c')
        texts[output.with_suffix(".h")] = emit_header(functions, dtype)
    for path in texts:
        require_output(path, force, robot)
    for path, content in texts.items():
        write_file(path, content, overwrite=force)
