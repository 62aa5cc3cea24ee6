"""The table of operation counts is what its script writes, and every page of the folder is in its index."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parent.parent / "docs/algorithms"


@pytest.fixture(scope="module")
def counts() -> ModuleType:
    spec = importlib.util.spec_from_file_location("operation_counts", FOLDER / "counts.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_of_counts_is_up_to_date(counts: ModuleType) -> None:
    shown = (FOLDER / "README.md").read_text().partition(counts.BEGIN)[2].partition(counts.END)[0]
    assert shown.strip() == counts.table(), "run: python docs/algorithms/counts.py"


def test_every_page_is_in_the_index() -> None:
    index = (FOLDER / "README.md").read_text()
    missing = [page.name for page in FOLDER.glob("*.md") if page.name != "README.md" and page.name not in index]
    assert not missing, f"docs/algorithms/README.md does not name {missing}"
