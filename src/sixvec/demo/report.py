"""Sections on the terminal, with a progress bar below them during the work."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TypeVar

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, Progress, TextColumn
from rich.rule import Rule
from rich.text import Text

from sixvec.border.progress import silence
from sixvec.quoting import printable

Item = TypeVar("Item")

INDENT = "  "
WIDTH = 88
"""Columns at most: long lines are hard to read."""


class Report:
    """A context in which sections are printed; outside a terminal it is plain text without the bar."""

    def __init__(self, steps: int) -> None:
        self._console = Console(highlight=False)
        self._console.width = min(self._console.width, WIDTH)
        # The bar is drawn between steps only: a drawing thread would disturb what is being timed.
        self._progress = Progress(
            BarColumn(bar_width=32, complete_style="cyan", finished_style="cyan"),
            TextColumn("{task.completed:.0f}/{task.total:.0f}  {task.description}", style="dim"),
            console=self._console,
            auto_refresh=False,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._bar = self._progress.add_task("", total=steps)
        self._sections = 0

    def __enter__(self) -> Report:
        self._silence = silence()
        self._silence.__enter__()  # the bar has the terminal
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()
        self._silence.__exit__(kind, problem, trace)

    def steps(self, label: Callable[[Item], str], items: Iterable[Item]) -> Iterator[Item]:
        """The items, each a step of the bar."""
        for item in items:
            self._progress.update(self._bar, description=label(item), refresh=True)
            yield item
            self._progress.update(self._bar, advance=1, refresh=True)

    def section(self, title: str, *contents: RenderableType) -> None:
        """A numbered heading and its contents; strings are notes."""
        self._sections += 1
        self._console.print()
        self._console.print(
            Rule(Text(printable(f"{self._sections}  {title}"), style="bold"), align="left", style="dim")
        )
        for content in contents:
            self.print("")
            self.print(content)

    def print(self, content: RenderableType, style: str = "dim") -> None:
        """A table, or text in a style, indented."""
        if isinstance(content, str):
            lines = textwrap.fill(
                printable(content),
                self._console.width,
                initial_indent=INDENT,
                subsequent_indent=INDENT,
                break_long_words=False,
                break_on_hyphens=False,
            )
            self._console.print(Text(lines, style=style))
        else:
            self._console.print(Padding(content, (0, 0, 0, len(INDENT)), expand=False))
