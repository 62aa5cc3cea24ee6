"""The defaults of all functions, methods and fields, and the numbers at the top of modules and classes.

They are in tests/golden/defaults.txt.  A default is a promise to everybody who leaves the argument out, and a number of
a table has a meaning that no other line repeats: whoever changes one reads it there as a diff.
`SIXVEC_WRITE_GOLDEN=1 pytest tests/test_defaults.py` writes the file anew.
"""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent / "src/sixvec"
FILE = Path(__file__).parent / "golden/defaults.txt"
LONG = 160
"""Characters of a value; of longer ones a digest is kept."""


class Module:
    """A source file: its lines of record, with values as they are written."""

    def __init__(self, file: Path) -> None:
        self._text = file.read_bytes()
        self._lines = self._text.splitlines()
        self.record = [*self._defaults(ast.parse(self._text).body)]

    def _defaults(self, body: list[ast.stmt], path: str = "") -> Iterator[str]:
        """A line for each function that has any, for the fields of a class, and for each name with numbers."""
        fields = []
        for node in body:
            if isinstance(node, ast.ClassDef):
                yield from self._defaults(node.body, f"{path}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                a = node.args
                positional = [*a.posonlyargs, *a.args]
                pairs = [*zip(positional[len(positional) - len(a.defaults) :], a.defaults, strict=True)]
                pairs += [(x, d) for x, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None]
                if pairs:
                    yield f"{path}{node.name}({', '.join(f'{x.arg}={self._shown(d)}' for x, d in pairs)})"
            elif path and isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
                fields.append(f"{node.target.id}={self._shown(node.value)}")
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value and has_numbers(node.value):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                yield f"{path}{self._shown(target)} = {self._shown(node.value)}"
        if fields:
            yield f"{path[:-1]}: {', '.join(fields)}"

    def _shown(self, x: ast.expr) -> str:
        assert x.end_lineno is not None and x.end_col_offset is not None
        if x.lineno == x.end_lineno:
            text = self._lines[x.lineno - 1][x.col_offset : x.end_col_offset]
        else:
            inner = self._lines[x.lineno : x.end_lineno - 1]
            text = b" ".join(
                [self._lines[x.lineno - 1][x.col_offset :], *inner, self._lines[x.end_lineno - 1][: x.end_col_offset]]
            )
        words = " ".join(text.decode().split())
        return words if len(words) <= LONG else f"… {hashlib.sha256(words.encode()).hexdigest()[:16]}"


def has_numbers(value: ast.expr) -> bool:
    return any(isinstance(x, ast.Constant) and isinstance(x.value, int | float) for x in ast.walk(value))


def test_defaults_and_constants_are_the_recorded_ones() -> None:
    lines = []
    for file in sorted(ROOT.rglob("*.py")):
        if found := Module(file).record:
            lines += [file.relative_to(ROOT).as_posix(), *(f"  {line}" for line in found)]
    if os.environ.get("SIXVEC_WRITE_GOLDEN"):
        FILE.write_text("\n".join([*lines, ""]), encoding="utf-8")
    changed = set(lines) ^ set(FILE.read_text(encoding="utf-8").splitlines())
    assert sorted(changed) == []
