"""Words with a private meaning become rarer."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).parent.parent / "tools/words.py"


@pytest.fixture(scope="module")
def words() -> ModuleType:
    spec = importlib.util.spec_from_file_location("words", TOOL)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_private_words_are_not_used_more_often(words: ModuleType) -> None:
    limits = words.recorded()
    more = {word: f"{limits[word]} -> {count}" for word, count in words.counts().items() if count > limits[word]}
    assert more == {}, "python tools/words.py WORD shows the uses and tools/words.py has plain words for them"


def test_prose_and_names_are_counted_but_code_is_not(words: ModuleType, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        'found = refuse  # refuses\nprint(f"{found} is refused", `refused`)\n'.replace("`refused`", '"`refused`"')
    )
    assert [*words.uses_in_prose(module)] == [("refuse", 1), ("refuse", 2)]
    tree = words.ast.parse(module.read_text())
    assert [*words.identifiers(tree)] == [("found", 1)]


def test_a_revision_only_lowers_the_numbers(words: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "FILE", tmp_path / "words.tsv")
    monkeypatch.setattr(words, "counts", lambda: {"answer": 3, "room": 5})
    words.FILE.write_text("answer\t4\nroom\t4\n")
    words.main(["--write"])
    assert words.recorded() == {"answer": 3, "room": 4}
