"""`sixvec COMMAND`: one file per command."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

import click
from click.shell_completion import shell_complete

from sixvec import __version__
from sixvec.cli import (
    batch,
    check,
    completion,
    convert,
    demo,
    distance,
    emit,
    export,
    robots,
    show,
    time,
    verify,
    view,
    where,
)
from sixvec.cli.command import Commands
from sixvec.cli.completion import VARIABLE
from sixvec.cli.status import Status, status_of, table
from sixvec.cli.terminal import complain, prepare_streams, say

MODULES = (demo, view, show, check, verify, distance, time, convert, emit, export, batch, robots, where, completion)


@click.group(
    cls=Commands,
    commands={module.run.name: module.run for module in MODULES},
    invoke_without_command=True,
    epilog_lines=f"Exit status:\n{table()}",
)
@click.version_option(__version__, prog_name="sixvec", message="%(prog)s %(version)s")
@click.pass_context
def sixvec(context: click.Context) -> int:
    """Robot kinematics and dynamics with 6-D vectors.

    Start with: sixvec demo, sixvec view panda, sixvec check FILE.  Each command has examples: sixvec COMMAND --help.
    """
    if context.invoked_subcommand is None:
        say(context.get_help())
    return Status.FINE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; an error of the user's is one line on standard error and an exit status of `Status`."""
    prepare_streams()
    atexit.register(gc.freeze)  # or Python searches the nodes of every trace for cycles before it ends
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            status = _run([*(sys.argv[1:] if arguments is None else arguments)])
        sys.stdout.flush()
        return status
    except click.UsageError as problem:
        command = problem.ctx.command_path if problem.ctx else "sixvec"
        complain(f"{_uncapitalised(problem.format_message())}; see {command} --help")
        return Status.USAGE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what Python flushes at its end
        return Status.UNREAD
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted")
        return Status.INTERRUPTED
    except Exception as problem:
        status = status_of(problem)
        if status is Status.DEFECT:
            traceback.print_exc()
        complain(_in_words(problem))
        return status


def _run(arguments: list[str]) -> int:
    """Run the command, or print completions for the shell, which asks for them through a variable.

    `click.Group.main` would do both, and would end the process where the reader of the output has gone.
    """
    if question := os.environ.get(VARIABLE):
        return shell_complete(sixvec, {}, "sixvec", VARIABLE, question)
    try:
        with sixvec.make_context("sixvec", arguments) as context:
            return int(sixvec.invoke(context) or Status.FINE)
    except click.exceptions.Exit as end:  # after --help and --version
        return end.exit_code


def _in_words(problem: Exception) -> str:
    """An error as text: Python's messages without their error number, and advice for the command line."""
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.filename}: {problem.strerror}" if problem.filename else problem.strerror
    return str(problem).replace("overwrite=True", "--force")


def _uncapitalised(message: str) -> str:
    """A message of click as the other messages are written."""
    return (message[:1].lower() + message[1:]).rstrip(".")


def _warn(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """A warning as a line for users: its text without the location in the program."""
    complain(f"warning: {message}")
