"""`sixvec completion SHELL`: a script that lets the shell complete commands, options, robots and frames."""

from __future__ import annotations

import click

from sixvec.cli.command import command
from sixvec.cli.status import Status
from sixvec.cli.terminal import say

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_SIXVEC_COMPLETE"
"""The environment variable by which the script asks `sixvec` for completions."""


@command(
    name="completion",
    examples=[
        'eval "$(sixvec completion bash)"                                   # now; or in ~/.bashrc',
        'eval "$(sixvec completion zsh)"                                    # now; or in ~/.zshrc',
        "sixvec completion fish > ~/.config/fish/completions/sixvec.fish",
    ],
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def run(context: click.Context, shell: str) -> int:
    """Print a script for tab completion.

    The shell then completes commands, options, built-in robots, functions and frames.
    """
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    assert script is not None
    say(script(context.find_root().command, {}, "sixvec", VARIABLE).source())
    return Status.FINE
