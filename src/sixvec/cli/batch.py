"""`sixvec batch ROBOT FUNCTION STATES OUTPUT`: a function of all states in a zarr store, here or on a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sixvec.cli.model_options import add_trusted
from sixvec.cli.status import Status
from sixvec.cli.terminal import say


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("batch", help="a function of all states in a zarr store, here or on a dask cluster")
    parser.add_argument("robot", help="a model file, or the name of a built-in robot")
    parser.add_argument("function", help="an algorithm, for example inverse_dynamics; with a frame: jacobian:tool0")
    parser.add_argument("states", help="a zarr group with an array for each input: q, v, a, …; samples first")
    parser.add_argument("output", help="the zarr group to write, with an array for each output")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a dask cluster, for example tcp://10.0.0.1:8786")
    parser.add_argument("--external", action="append", default=[], metavar="FRAME", help="take a wrench on this frame")
    parser.add_argument("--passive", action="store_true", help="with damping, friction and springs of the joints")
    parser.add_argument("--floating", action="store_true", help="put a free joint under the root link")
    parser.add_argument("--resume", action="store_true", help="complete an output that was interrupted")
    parser.add_argument("--force", action="store_true", help="replace an earlier output of batch at the end")
    add_trusted(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from sixvec import load
    from sixvec.interop.zarr import batch

    robot = load(arguments.robot, floating=arguments.floating, trusted=arguments.trusted)
    name, colon, frame = arguments.function.partition(":")
    options = ({"frame": frame} if colon else {}) | ({"passive": True} if arguments.passive else {})
    kernel = robot.kernel(name, external=tuple(arguments.external), **options)
    with _bar(name) as report:
        written = batch(
            kernel,
            arguments.states,
            arguments.output,
            scheduler=arguments.scheduler,
            overwrite=arguments.force,
            resume=arguments.resume,
            report=report,
        )
    for array, (shape, dtype) in written.items():
        say(f"{arguments.output}: {array} {shape} {dtype}")
    return Status.FINE


@contextmanager
def _bar(name: str) -> Iterator[Callable[[int, int], None]]:
    """Samples done and the time left, on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from sixvec.border.progress import silence

    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TextColumn("samples"), TimeRemainingColumn())
    console = Console(stderr=True)
    with silence(), Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as shown:
        line = shown.add_task(name, total=None)
        yield lambda done, of: shown.update(line, completed=done, total=of)
