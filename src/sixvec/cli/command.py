"""Commands with examples in their help, and advice for misspelt ones."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Any

import click

from sixvec.cli.terminal import say
from sixvec.errors import unknown
from sixvec.quoting import quoted

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 88}

MODEL_SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf", ".sdf")

SOURCE = "sixvec emit prints source code, sixvec export writes a library of C"
ROLLOUT = "rollouts are written in Python: robot.rollout(q, v, tau, dt)"
GAPS = "did you mean sixvec distance? gaps at other positions: robot.distance(q) in Python"
FASTEST = "did you mean sixvec time?"
OTHER_WORDS = {
    "animate": 'films are made from Python: robot.animate(path, "motion.gif")',
    "benchmark": "sixvec demo measures the speed on this machine; make bench compares with other libraries",
    "codegen": SOURCE,
    "collision": GAPS,
    "collisions": GAPS,
    "compile": SOURCE,
    "display": "did you mean sixvec view?",
    "doctor": "did you mean sixvec check?",
    "fk": "positions are computed in Python: robot.pose(q, frame)",
    "generate": SOURCE,
    "help": "write sixvec --help, or sixvec COMMAND --help",
    "ik": "inverse kinematics is written in Python, robot.ik(pose, frame); sixvec export ROBOT ik:FRAME writes it in C",
    "info": "did you mean sixvec show?",
    "install-completion": "write sixvec completion SHELL",
    "lint": "did you mean sixvec check?",
    "list": "did you mean sixvec robots?",
    "open": "did you mean sixvec view?",
    "plot": "sixvec view shows a robot in the browser; plots are drawn from Python: sixvec.viz",
    "print": "did you mean sixvec show?",
    "retime": FASTEST,
    "run": ROLLOUT,
    "sim": ROLLOUT,
    "simulate": ROLLOUT,
    "test": "did you mean sixvec verify?",
    "toppra": FASTEST,
    "trajectory": FASTEST,
    "tree": "did you mean sixvec show?",
    "validate": "did you mean sixvec check?",
    "version": "write sixvec --version",
    "viewer": "did you mean sixvec view?",
    "visualize": "did you mean sixvec view?",
}
"""Commands of other programs, with the equivalent here."""

OTHER_OPTIONS = {
    "--function": "functions are arguments",
    "--kernel": "functions are arguments",
    "--robot": "the robot is an argument",
    "--urdf": "the robot is an argument",
}
"""Options of other programs that are arguments here."""


class PrintedHelp(click.Command):
    """Help through `say`: click would write characters that the terminal lacks."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _show_help
        return option


def _show_help(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        say(ctx.get_help())
        ctx.exit()


class Command(PrintedHelp):
    """A command whose help ends with examples, lines as they may be typed."""

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **options: Any) -> None:
        super().__init__(*arguments, **{"context_settings": SETTINGS} | options)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
        super().format_epilog(ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as problem:
            names = [name for p in self.get_params(ctx) if isinstance(p, click.Option) for name in p.opts]
            message = unknown("option", problem.option_name, names, f"sixvec {self.name}")
            if problem.option_name in OTHER_OPTIONS and self.examples:
                advice = f"{OTHER_OPTIONS[problem.option_name]}: {self.examples[0]}"
                message = f'no option "{problem.option_name}" in sixvec {self.name}; {advice}'
            raise click.UsageError(message, ctx) from None
        except click.MissingParameter as problem:
            raise click.UsageError(_missing(problem), ctx) from None


class Commands(PrintedHelp, click.Group):
    """All commands; for an unknown one the error names the nearest."""

    def __init__(self, *arguments: Any, epilog_lines: str = "", **options: Any) -> None:
        super().__init__(*arguments, **{"context_settings": SETTINGS} | options)
        self.epilog_lines = epilog_lines

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.commands]  # in the order of the first use, not of the alphabet

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name not in self.commands and not ctx.resilient_parsing:
            raise click.UsageError(answer(name, [*self.commands]), ctx)
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(f"\n{self.epilog_lines}\n")


def command(**options: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """A decorator that makes a `Command` of a function."""
    return click.command(cls=Command, **options)


def answer(name: str, commands: Sequence[str]) -> str:
    """The message for a word that is not a command.

    >>> answer("chek", ["check", "show"])
    'no command "chek"; did you mean "check"? commands: check, show'
    >>> answer("list", ["robots", "show"])
    'no command "list"; did you mean sixvec robots?'
    """
    if name.lower() in OTHER_WORDS:
        return f'no command "{name}"; {OTHER_WORDS[name.lower()]}'
    if not difflib.get_close_matches(name, commands, n=1) and _is_robot(name):
        shown = quoted(name)
        return f'"{shown}" is a robot; name a command first: sixvec show {shown}, sixvec view {shown}'
    return unknown("command", name, commands)


def _is_robot(name: str) -> bool:
    from sixvec.model.robots import BUILT_IN

    return name in BUILT_IN or name.lower().endswith(MODEL_SUFFIXES)


def _missing(problem: click.MissingParameter) -> str:
    parameter, ctx = problem.param, problem.ctx
    if parameter is None or ctx is None:
        return problem.format_message()
    what = parameter.make_metavar(ctx) if isinstance(parameter, click.Argument) else max(parameter.opts, key=len)
    text = getattr(parameter, "help", None)
    return f"{ctx.command_path} needs {what}" + (f": {text}" if text else "")
