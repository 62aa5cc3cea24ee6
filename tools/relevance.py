"""Which tests are likely to see a change in a source file, most likely first."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from functools import cached_property
from pathlib import Path

from mutations import names

REACH = 0.5
"""What a name counts for that is given by a module that imports the changed one: half, and half again beyond it."""

FOLDERS = {"laws": "algorithms", "rule": "doctor"}
"""Folders of tests that have another name than those of the modules they are about, and those of modules by name."""

TYPICAL = 20
"""Public names of the package in a test about one part of it."""

DEPTH = 2
"""Imports that are followed."""

SAME_FOLDER, SAME_WORD = 0.5, 1.0
"""What each folder counts that a test has in common with the module, and each word of the names of the two files."""


class Relevance:
    """Of a tree with src/sixvec and tests: a test counts for the names it shares with a module, rare ones the most.

    A test that names half of the package is about none of it in particular, so names count less in such tests.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.package = root / "src/sixvec"

    def tests(self, module: Path) -> list[Path]:
        """The module itself for its examples, then every test file in order."""
        weights = self._weights(module)
        folders = {FOLDERS.get(part, part) for part in module.relative_to(self.package).parts[:-1]}
        own = {*_stems(module)} - {"init"}
        folders |= {"doctor"} & {FOLDERS.get(word, word) for word in own}

        def score(test: Path) -> float:
            shared = sum(weights.get(word, 0.0) / self._spread[word] for word in self._words[test])
            about = shared * (TYPICAL / max(TYPICAL, len(self._words[test] & self._names)))
            common = len(folders & {FOLDERS.get(part, part) for part in test.relative_to(self.root).parts})
            return about + SAME_FOLDER * common + SAME_WORD * len(own & {*_stems(test)})

        return [module, *sorted(self._words, key=lambda t: (-score(t), t))]

    def _weights(self, module: Path) -> dict[str, float]:
        found: dict[str, float] = {}
        layer, seen = {module}, {module}
        for depth in range(DEPTH + 1):
            for file in layer:
                for name in names(file.read_text()):
                    found.setdefault(name, REACH**depth)
            layer = {user for file in layer for user in self._users[self._dotted(file)]} - seen
            seen |= layer
        return {name: weight for name, weight in found.items() if not name.startswith("_") and len(name) > 2}

    @cached_property
    def _words(self) -> dict[Path, set[str]]:
        files = sorted((self.root / "tests").rglob("test_*.py"))
        return {f: {*re.findall(r"\w+", f.read_text())} for f in files}

    @cached_property
    def _names(self) -> set[str]:
        """All public names of the package."""
        return {name for file in self.package.rglob("*.py") for name in names(file.read_text()) if len(name) > 2}

    @cached_property
    def _spread(self) -> Counter[str]:
        return Counter(word for words in self._words.values() for word in words)

    @cached_property
    def _users(self) -> defaultdict[str, set[Path]]:
        """For each module those that import it."""
        found: defaultdict[str, set[Path]] = defaultdict(set)
        for file in self.package.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.ImportFrom) and node.module:
                    found[node.module].add(file)
                    for alias in node.names:
                        found[f"{node.module}.{alias.name}"].add(file)
        return found

    def _dotted(self, file: Path) -> str:
        return ".".join(file.relative_to(self.package.parent).with_suffix("").parts).removesuffix(".__init__")


def _stems(file: Path) -> list[str]:
    """The words of its name, without the s of plurals."""
    return [word.rstrip("s") for word in re.findall("[a-z0-9]+", file.stem)]
