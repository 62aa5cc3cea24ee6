"""What each test function covers, by its marks `covers(...)`, and the names that its source uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent

BEHIND_OPERATORS = {"moved", "moved_back"}
"""Methods that `X @ value` calls."""


@dataclass(frozen=True)
class Test:
    """A test function: its file and name, what its marks cover, and all words of its source.

    The words are those of the function and of whatever it uses in the same file: helpers, fixtures, tables of cases.
    """

    file: str
    name: str
    covers: tuple[str, ...]
    words: frozenset[str]

    @property
    def id(self) -> str:
        return f"{self.file}::{self.name}"

    def uses(self, name: str) -> bool:
        """Whether the source mentions the last part of a dotted name, or the class whose operator calls it."""
        *_, owner, last = ["", *name.split(".")]
        return last in self.words or (last in BEHIND_OPERATORS and owner in self.words)


@cache
def tests() -> tuple[Test, ...]:
    """All test functions, in the order of their files."""
    return tuple(t for file in sorted((ROOT / "tests").rglob("test_*.py")) for t in _of_file(file))


def _of_file(file: Path) -> Iterator[Test]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    place = file.relative_to(ROOT).as_posix()
    every = [mark for node in tree.body if _assigns(node, "pytestmark") for mark in _marks(node)]
    words: dict[str, frozenset[str]] = {}
    for node in tree.body:
        if names := _defined(node):
            used = _words(node)
            words |= {name: words.get(name, frozenset()) | used for name in names}
    automatic = _automatic(tree)
    for owner, node in _functions(tree):
        marks = [mark for n in (*owner, node) for decorator in n.decorator_list for mark in _marks(decorator)]
        name = "::".join(n.name for n in (*owner, node))
        yield Test(place, name, tuple(every + marks), _closure(_words(node) | automatic, words))


def _functions(tree: ast.Module) -> Iterator[tuple[list[ast.ClassDef], ast.FunctionDef]]:
    """The test functions of a file, each with its class if it has one."""
    for node in tree.body:
        inside = node.body if isinstance(node, ast.ClassDef) and node.name.startswith("Test") else [node]
        for function in inside:
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test"):
                yield [node] if isinstance(node, ast.ClassDef) else [], function


def _automatic(tree: ast.Module) -> frozenset[str]:
    """The fixtures that every test of the file uses without naming them."""
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any("autouse" in ast.dump(d) for d in node.decorator_list)
    )


def _closure(words: frozenset[str], definitions: dict[str, frozenset[str]]) -> frozenset[str]:
    reached, waiting = set(words), list(words & definitions.keys())
    while waiting:
        new = definitions[waiting.pop()] - reached
        reached |= new
        waiting += new & definitions.keys()
    return frozenset(reached)


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [n.id for target in targets if target for n in ast.walk(target) if isinstance(n, ast.Name)]


def _words(node: ast.AST) -> frozenset[str]:
    """Names, attributes and the words of texts: kernels are called by their names."""
    words: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            words.add(part.id)
        elif isinstance(part, ast.Attribute):
            words.add(part.attr)
        elif isinstance(part, ast.arg):
            words.add(part.arg)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            words.update(re.findall(r"\w+", part.value))
    return frozenset(words)


def _assigns(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)


def _marks(node: ast.AST) -> Iterator[str]:
    """The arguments of all `covers(...)` inside a decorator or an assignment."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "covers":
            yield from (a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str))
