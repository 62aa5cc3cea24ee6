"""`sixvec show ROBOT`: the robot as a text tree."""

from __future__ import annotations

import argparse
from typing import Any

from sixvec.cli.model_options import add_trusted
from sixvec.cli.terminal import say


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("show", help="print a robot's tree: joints, types, limits, masses, coordinates, loops")
    parser.add_argument("robot", help="a model file, or the name of a built-in robot")
    parser.add_argument("--floating", action="store_true", help="put a free joint under the root link")
    add_trusted(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from sixvec.formats import load_model
    from sixvec.model.text_tree import text_tree

    model = load_model(arguments.robot, floating=arguments.floating, trusted=arguments.trusted)
    say(text_tree(model))
    if model.closures:
        from sixvec.mechanism.rank_notes import rank_notes

        for note in rank_notes(model):
            say(str(note))
    return 0
