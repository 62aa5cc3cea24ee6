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

    from sixvec.robots import BUILT_IN

    table = Table(box=None)
    for title in ("name", "joints", "what it is"):
        table.add_column(title)
    for name, make in BUILT_IN.items():
        model = make()
        about = (make.__doc__ or "").strip().splitlines()[0]
        table.add_row(name, str(len(model.moving)), about)
    Console().print(table)
    return 0
