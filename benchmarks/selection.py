"""Which rows to measure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Selection:
    """Rows whose section, robot or kernel bear all the given names; without names, all rows."""

    names: tuple[str, ...] = ()

    def wants(self, *labels: str) -> bool:
        """Whether a row with these labels is wanted."""
        return all(name in labels for name in self.names)

    def may_want(self, *labels: str, known: frozenset[str]) -> bool:
        """Whether a group of rows may hold a wanted one: no name that is `known` to label groups excludes it."""
        return all(name in labels for name in self.names if name in known)
