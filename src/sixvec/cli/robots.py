"""`sixvec robots`: the built-in robots."""

from __future__ import annotations

from sixvec.cli.command import command
from sixvec.cli.status import Status


@command(name="robots", examples=["sixvec robots"])
def run() -> int:
    """List the built-in robots.

    The first column is the name that all commands and sixvec.load accept.
    """
    from rich.console import Console
    from rich.table import Table

    from sixvec.model.robots import BUILT_IN
    from sixvec.model.topology import topology

    table = Table(box=None)
    for title in ("name", "kind", "joints", "nv", "loops", "what it is"):
        table.add_column(title, no_wrap=title != "what it is")
    for name, robot in BUILT_IN.items():
        model = robot()
        counts = (len(model.moving), model.nv, len(model.closures))
        table.add_row(name, topology(model), *map(str, counts), robot.about)
    Console().print(table)
    return Status.FINE
