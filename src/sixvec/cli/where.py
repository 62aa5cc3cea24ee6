"""`sixvec where "Bruyninckx 5.24"`: the function behind an equation of the documents."""

from __future__ import annotations

import argparse
from typing import Any

from sixvec.cli.status import Status
from sixvec.cli.terminal import say


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "where",
        help="the function behind an equation of a textbook, its test, and what is wrong in print",
        description="Print the function that computes an equation, the first line of its documentation, its test and "
        "the erratum if the print is wrong.  A section or chapter lists its equations.",
    )
    parser.add_argument("place", nargs="+", help="a document and a number: Bruyninckx 5.24, Lynch-Park §9.3, …")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from sixvec.textbook import where

    say(repr(where(" ".join(arguments.place))))
    return Status.FINE
