"""Arguments and options that several commands have, with what the shell may complete."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from sixvec.cli.command import MODEL_SUFFIXES

Function = TypeVar("Function", bound=Callable[..., Any])
DTYPES = ("float64", "float32")
REFERENCES = ("local_world_aligned", "local", "world")

ROBOT = "A robot is a model file (URDF, xacro, MJCF, SDF) or the name of a built-in one."


@dataclass(frozen=True)
class KernelOptions:
    """What `emit` and `export` make of a kernel."""

    dtype: str
    external: tuple[str, ...]
    payload: tuple[str, ...]
    passive: bool
    derivative: tuple[str, ...]
    name: str


def complete_robots(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Built-in robots and model files."""
    from sixvec.model.robots.built_in import BUILT_IN

    names = [CompletionItem(name, help=robot.about) for name, robot in BUILT_IN.items() if name.startswith(incomplete)]
    if not names:
        return [CompletionItem(incomplete, type="file")]
    files = [str(path) for path in Path().glob(f"{incomplete}*") if path.suffix.lower() in MODEL_SUFFIXES]
    return [*names, *map(CompletionItem, files)]


def complete_functions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Algorithms, and after a colon the frames of the robot."""
    from sixvec.algorithms.declaration import REGISTRY

    name, colon, frame = incomplete.partition(":")
    if not colon:
        return [CompletionItem(each) for each in sorted(REGISTRY) if each.startswith(incomplete)]
    return [CompletionItem(f"{name}:{item.value}") for item in complete_frames(ctx, param, frame)]


def complete_frames(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The frames of the robot that the line names."""
    from sixvec.formats import load_model

    # Before the value of an option is there, click leaves the arguments unnamed.
    robot = ctx.params.get("robot") or next(iter(ctx.args), "")
    try:
        model = load_model(robot, floating=bool(ctx.params.get("floating")))
    except Exception:  # a file that cannot be read has no completions
        return []
    return [CompletionItem(f.name) for f in model.frames if f.name.startswith(incomplete)]


def robot(function: Function) -> Function:
    """The argument ROBOT with the options for reading it."""
    function = click.option("--floating", is_flag=True, help="Put a free joint under the root link.")(function)
    return robot_argument(trusted(function))


def robot_argument(function: Function) -> Function:
    return click.argument("robot", shell_complete=complete_robots)(function)


def trusted(function: Function) -> Function:
    return click.option(
        "--trusted", is_flag=True, help="Let a xacro file run code, read any file and the environment."
    )(function)


def functions(function: Function) -> Function:
    return click.argument(
        "functions", nargs=-1, required=True, metavar="FUNCTION[:FRAME]...", shell_complete=complete_functions
    )(function)


def as_json(function: Function) -> Function:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")(function)


def force(function: Function) -> Function:
    return click.option("--force", is_flag=True, help="Replace files that exist.")(function)


def output(help: str, **options: Any) -> Callable[[Function], Function]:
    return click.option("--output", "-o", type=click.Path(path_type=Path), help=help, **options)


def frames(name: str, help: str) -> Callable[[Function], Function]:
    """An option that names a frame and may be repeated."""
    return click.option(name, multiple=True, metavar="FRAME", help=help, shell_complete=complete_frames)


def kernel_options(function: Callable[..., int]) -> Callable[..., int]:
    """The options of kernels, passed to the function as `kernel=KernelOptions(…)`."""

    @functools.wraps(function)
    def collected(**options: Any) -> int:
        kernel = KernelOptions(**{field: options.pop(field) for field in KernelOptions.__dataclass_fields__})
        return function(kernel=kernel, **options)

    for option in (
        click.option("--name", default="", help="Name of the function; of several, the start of their names."),
        click.option("--derivative", multiple=True, metavar="INPUT",
                     help="Differentiate with respect to this input, for example q; may be repeated."),
        click.option("--passive", is_flag=True, help="With damping, friction and springs of the joints."),
        frames("--payload", "One more input: a load in this frame; may be repeated."),
        frames("--external", "One more input: a wrench on this frame; may be repeated."),
        click.option("--dtype", type=click.Choice(DTYPES), default="float64", show_default=True),
    ):  # fmt: skip
        collected = option(collected)
    return collected
