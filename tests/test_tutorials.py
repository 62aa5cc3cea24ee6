"""The pages with code cells run from top to bottom, as the site runs them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import sixvec

DOCS = Path(__file__).parent.parent / "docs"


def cells(page: Path) -> list[str]:
    """The code of a page, without the options of its cells (`:tags: [remove-stderr]`)."""
    return re.findall(r"```\{code-cell\} python\n(?::[^\n]*\n)*(.*?)```", page.read_text(), re.DOTALL)


PAGES = sorted(page for page in DOCS.rglob("*.md") if "reference" not in page.parts and cells(page))
QUICK = {"my_urdf", "coming_from", "03_identification", "05_loops_and_contacts"}


def test_there_are_pages() -> None:
    assert {page.stem for page in PAGES} > QUICK


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=[] if p.stem in QUICK else pytest.mark.slow, id=p.stem) for p in PAGES]
)
def test_cells_run(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)  # pages write files
    names: dict[str, object] = {}
    try:
        for cell in cells(page):
            exec(compile(cell, str(page), "exec"), names)
    finally:
        pyplot.close("all")
        sixvec.set_threads(os.cpu_count() or 1)
        sixvec.check_inputs(False)
