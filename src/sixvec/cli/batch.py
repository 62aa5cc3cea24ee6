"""`sixvec batch ROBOT FUNCTION STATES OUTPUT`: a function of all states in a zarr store, here or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from sixvec.cli import options
from sixvec.cli.command import command
from sixvec.cli.status import Status
from sixvec.cli.terminal import say


@command(
    name="batch",
    examples=[
        "sixvec batch panda inverse_dynamics states.zarr torques.zarr",
        "sixvec batch panda jacobian:panda_link8 states.zarr jacobians.zarr --scheduler tcp://10.0.0.1:8786",
    ],
)
@options.robot
@click.argument("function", metavar="FUNCTION[:FRAME]", shell_complete=options.complete_functions)
@click.argument("states", type=click.Path())
@click.argument("output", type=click.Path())
@click.option("--scheduler", metavar="ADDRESS", help="Of a dask cluster, for example tcp://10.0.0.1:8786.")
@options.frames("--external", "One more input: a wrench on this frame; may be repeated.")
@click.option("--passive", is_flag=True, help="With damping, friction and springs of the joints.")
@click.option("--resume", is_flag=True, help="Complete an output that was interrupted.")
@click.option("--force", is_flag=True, help="Replace an earlier output of this command at the end.")
def run(
    robot: str,
    function: str,
    states: str,
    output: str,
    floating: bool,
    trusted: bool,
    scheduler: str | None,
    external: tuple[str, ...],
    passive: bool,
    resume: bool,
    force: bool,
) -> int:
    """Evaluate a function at all states of a zarr store.

    STATES is a zarr group with an array for each input (q, v, a, …), samples first; OUTPUT is the group to write, with
    an array for each output.  Runs here or on a dask cluster.
    """
    from sixvec import load
    from sixvec.interop.zarr import batch
    from sixvec.kernels.exported import frame_of
    from sixvec.kernels.store import find_algorithm

    name, colon, frame = function.partition(":")
    chosen = ({"frame": frame} if colon else {}) | ({"passive": True} if passive else {})
    loaded = load(robot, floating=floating, trusted=trusted)
    if "frame" in find_algorithm(name).options:
        frame_of(name, frame, loaded.model)
    kernel = loaded.kernel(name, external=external, **chosen)
    with _bar(name) as report:
        written = batch(kernel, states, output, scheduler=scheduler, overwrite=force, resume=resume, report=report)
    for array, (shape, dtype) in written.items():
        say(f"{output}: {array} {shape} {dtype}")
    return Status.FINE


@contextmanager
def _bar(name: str) -> Iterator[Callable[[int, int], None]]:
    """Samples done and the time left, on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from sixvec.arguments.progress import silence

    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TextColumn("samples"), TimeRemainingColumn())
    console = Console(stderr=True)
    with silence(), Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as shown:
        line = shown.add_task(name, total=None)
        yield lambda done, of: shown.update(line, completed=done, total=of)
