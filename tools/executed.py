r"""Which tests execute a line, as coverage.py recorded it in a run of the suite.

printf '[run]\nparallel = true\ndynamic_context = test_function\nsource = sixvec\n' > record.rc
python -m coverage run --rcfile=record.rc -m pytest -p no:xdist -m "not slow and not stress"
python -m coverage combine --rcfile=record.rc
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from functools import cached_property
from pathlib import Path

AROUND = 2
"""Lines before and after that count as the line: the file may have changed a little since, and statements are long."""


class Executed:
    """Of a database with a context for each test, and the tree with its tests."""

    def __init__(self, data: Path, root: Path) -> None:
        self.root = root
        self._base = sqlite3.connect(f"file:{data}?mode=ro", uri=True)

    def tests(self, file: Path, line: int, most: int) -> list[str]:
        """Those that execute the line, the ones that are about little else first, as pytest names them."""
        counts: dict[int, int] = {}
        found = []
        for context, bits in self._lines(file):
            lines = _numbers(bits)
            counts[context] = len(lines)
            if any(abs(line - number) <= AROUND for number in lines):
                found.append(context)
        found.sort(key=lambda context: -counts[context] / self._totals[context])
        return [test for context in found for test in self._named(context)][:most]

    def _lines(self, file: Path) -> list[tuple[int, bytes]]:
        query = "select context_id, numbits from line_bits join file on file.id = file_id where path like ?"
        return self._base.execute(query, (f"%/{file}",)).fetchall()

    def _named(self, context: int) -> list[str]:
        """In every file of that name which has such a test."""
        module, _, test = self._contexts[context].partition(".")
        files = [p for p in self._files[module] if f"def {test.rpartition('.')[2]}(" in (self.root / p).read_text()]
        return [f"{path}::{test.replace('.', '::')}" for path in files]

    @cached_property
    def _contexts(self) -> dict[int, str]:
        return dict(self._base.execute("select id, context from context"))

    @cached_property
    def _totals(self) -> dict[int, int]:
        """Lines that each test executes in all."""
        totals: defaultdict[int, int] = defaultdict(int)
        for context, bits in self._base.execute("select context_id, numbits from line_bits"):
            totals[context] += len(_numbers(bits))
        return totals

    @cached_property
    def _files(self) -> defaultdict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted((self.root / "tests").rglob("test_*.py")):
            found[path.stem].append(str(path.relative_to(self.root)))
        return found


def _numbers(bits: bytes) -> list[int]:
    """Bit k of the blob is line k."""
    return [8 * place + bit for place, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1]
