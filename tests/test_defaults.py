"""The defaults of all public functions, methods and fields, against tests/golden/defaults.txt.

A default is a promise to everybody who leaves the argument out: whoever changes one reads it here as a diff.
`SIXVEC_WRITE_GOLDEN=1 pytest tests/test_defaults.py` writes the file anew.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent / "src/sixvec"
FILE = Path(__file__).parent / "golden/defaults.txt"


def is_public(name: str) -> bool:
    return not name.startswith("_") or name in ("__init__", "__call__")


def defaults(body: list[ast.stmt], names: dict[str, ast.expr], path: str = "") -> Iterator[str]:
    """A line for each function or class that has any; names of constants of the file with their values."""
    fields = []
    for node in body:
        if isinstance(node, ast.ClassDef) and is_public(node.name):
            yield from defaults(node.body, names, f"{path}{node.name}.")
        elif isinstance(node, ast.FunctionDef) and is_public(node.name):
            a = node.args
            positional = [*a.posonlyargs, *a.args]
            pairs = [*zip(positional[len(positional) - len(a.defaults) :], a.defaults, strict=True)]
            pairs += [(x, d) for x, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None]
            if pairs:
                yield f"{path}{node.name}({', '.join(f'{x.arg}={shown(d, names)}' for x, d in pairs)})"
        elif path and isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            fields.append(f"{node.target.id}={shown(node.value, names)}")
    if fields:
        yield f"{path[:-1]}: {', '.join(fields)}"


def shown(value: ast.expr, names: dict[str, ast.expr]) -> str:
    known = names.get(value.id) if isinstance(value, ast.Name) else None
    return ast.unparse(value) + (f" ({ast.unparse(known)})" if isinstance(known, ast.Constant | ast.Tuple) else "")


def text() -> str:
    lines = []
    for file in sorted(ROOT.rglob("*.py")):
        body = ast.parse(file.read_text(encoding="utf-8")).body
        named = (n for n in body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name))
        names = {n.targets[0].id: n.value for n in named}  # type: ignore[attr-defined]
        if found := [*defaults(body, names)]:
            lines += [file.relative_to(ROOT).as_posix(), *(f"  {line}" for line in found)]
    return "\n".join([*lines, ""])


def test_defaults_are_the_recorded_ones() -> None:
    made = text()
    if os.environ.get("SIXVEC_WRITE_GOLDEN"):
        FILE.write_text(made, encoding="utf-8")
    changed = set(made.splitlines()) ^ set(FILE.read_text(encoding="utf-8").splitlines())
    assert sorted(changed) == []
