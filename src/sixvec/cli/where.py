"""`sixvec where "Bruyninckx 5.24"`: the function behind an equation of the documents."""

from __future__ import annotations

import click

from sixvec.cli.command import command
from sixvec.cli.status import Status
from sixvec.cli.terminal import say


@command(name="where", examples=["sixvec where Bruyninckx 5.24", "sixvec where Lynch-Park §8.3"])
@click.argument("place", nargs=-1, required=True)
def run(place: tuple[str, ...]) -> int:
    """Find the function behind an equation of a textbook.

    Prints the function that computes the equation, the first line of its documentation, its test, and the erratum if
    the print is wrong.  PLACE is a document and a number; a section or chapter lists its equations.
    """
    from sixvec.textbook import where

    say(repr(where(" ".join(place))))
    return Status.FINE
