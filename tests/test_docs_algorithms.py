"""Every algorithm has its page: found from the index, with equations, cost, advice, an example and its source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sixvec.algorithms import REGISTRY

FOLDER = Path(__file__).parent.parent / "docs/algorithms"
PACKAGE = FOLDER.parent.parent / "src/sixvec"
INDEX = (FOLDER / "README.md").read_text().partition("## Counts")[0]
KERNELS = sorted(name for name, a in REGISTRY.items() if a.function.__module__.startswith("sixvec.algorithms."))
"""Those of the library; other tests may declare more while they run."""


WITHOUT_EQUATIONS = {"integrate"}
"""Has a table of them instead."""


def page_of(kernel: str) -> Path:
    """The page that the index gives for a kernel."""
    links: list[tuple[str, str]] = re.findall(r"\[([^\]]+)\]\((\w+\.md)\)", INDEX)
    linked = [target for text, target in links if f"`{kernel}`" in text]
    assert len(linked) == 1, f"docs/algorithms/README.md should link `{kernel}` to one page, not to {linked}"
    return FOLDER / linked[0]


def sources(page: Path) -> list[str]:
    """The files that a page names as its source, within the package."""
    (text,) = re.findall(r"^.*?(?:Source|Sources): (.*?)(?:\n\n|\Z)", page.read_text(), re.MULTILINE | re.DOTALL)
    return re.findall(r"`([\w/]+\.py)`", text)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_index_leads_to_a_page_that_names_the_kernel(kernel: str) -> None:
    assert re.search(rf"`(robot\.)?{kernel}\b", page_of(kernel).read_text())


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_page_names_the_file_with_the_equations(kernel: str) -> None:
    module = REGISTRY[kernel].function.__module__.removeprefix("sixvec.").replace(".", "/")
    named = sources(page_of(kernel))
    assert f"{module}.py" in named
    for name in named:
        assert (PACKAGE / name).exists(), name


@pytest.mark.parametrize("page", sorted({page_of(kernel) for kernel in KERNELS}), ids=lambda page: page.stem)
def test_the_page_has_equations_counts_advice_and_an_example(page: Path) -> None:
    text = page.read_text()
    assert text.startswith("# ")
    assert "```math\n" in text or page.stem in WITHOUT_EQUATIONS
    assert "<!-- counts.py: begin -->" in text
    assert re.search(r"[Cc]hoose", text), "no advice when to choose it"
    assert "```python\n>>> " in text
    assert re.search(r"O\([nd1]", text), "no order of cost"
