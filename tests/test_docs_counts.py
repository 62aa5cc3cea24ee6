"""The operation counts on the pages are what their script writes, and every page of the folder is in its index."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from naming import named
from sixvec.algorithms import REGISTRY

FOLDER = Path(__file__).parent.parent / "docs/algorithms"


@pytest.fixture(scope="module")
def counts() -> ModuleType:
    spec = importlib.util.spec_from_file_location("operation_counts", FOLDER / "counts.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look their annotations up
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_counts_on_all_pages_are_up_to_date(counts: ModuleType) -> None:
    stale = [page for page in counts.BLOCKS if counts.written(page) != (FOLDER / f"{page}.md").read_text()]
    assert not stale, f"run: python docs/algorithms/counts.py; it would change {stale}"


def test_every_kernel_is_counted_once(counts: ModuleType) -> None:
    library = {name for name, a in REGISTRY.items() if a.function.__module__.startswith("sixvec.algorithms.")}
    assert sorted(row.kernel for row in counts.ROWS) == sorted(library)


def test_a_page_without_a_place_for_counts_raises(counts: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(counts.BLOCKS, "rollouts", [counts.table])
    with pytest.raises(SystemExit, match=named("rollouts.md")):
        counts.written("rollouts")


def test_every_page_is_in_the_index() -> None:
    index = (FOLDER / "README.md").read_text()
    missing = [page.name for page in FOLDER.glob("*.md") if page.name != "README.md" and page.name not in index]
    assert not missing, f"docs/algorithms/README.md does not name {missing}"
