"""`sixvec robots`: the built-in robots."""

from __future__ import annotations

import argparse
from typing import Any


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("robots", help="list the built-in robots")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.table import Table

    from sixvec.model.topology import topology
    from sixvec.robots import BUILT_IN

    table = Table(box=None)
    for title in ("name", "kind", "joints", "nv", "loops", "what it is"):
        table.add_column(title, no_wrap=title != "what it is")
    for name, make in BUILT_IN.items():
        model = make()
        about = (make.__doc__ or "").strip().splitlines()[0]
        counts = (len(model.moving), model.nv, len(model.closures))
        table.add_row(name, topology(model), *map(str, counts), about)
    Console().print(table)
    return 0
