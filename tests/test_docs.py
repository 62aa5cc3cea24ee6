"""The pages under docs/ keep their word: examples run, links lead somewhere, pictures have a drawing."""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import sixvec

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if page.parent.name not in ("reference", "groups"))
CONCEPTS = DOCS / "concepts"
LARGEST_IMAGE = 60_000
"""Bytes: a page with its picture loads at once."""


def page_name(page: Path) -> str:
    return str(page.relative_to(DOCS))


def examples(page: Path) -> list[str]:
    """The Python blocks of a page that are sessions; a prompt inside a docstring is part of a template."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    return [block for block in blocks if block.startswith(">>> ")]


def links(page: Path) -> list[str]:
    """Where a page points to, outside its code."""
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", prose)
    return [target.partition("#")[0] for target in targets if not target.startswith(("http://", "https://", "#"))]


@pytest.fixture(scope="module")
def drawings() -> ModuleType:
    pytest.importorskip("matplotlib")
    sys.path.insert(0, str(CONCEPTS))  # as running the script would
    spec = importlib.util.spec_from_file_location("concept_drawings", CONCEPTS / "draw.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page)], ids=page_name)
def test_examples_print_what_they_say(page: Path) -> None:
    code = "\n".join(examples(page))
    test = doctest.DocTestParser().get_doctest(code, {}, page_name(page), str(page), 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF)
    runner.run(test, out=report.append)
    if "jax" in sys.modules:  # a page may have switched it on
        sys.modules["jax"].config.update("jax_enable_x64", False)
    assert not runner.summarize(verbose=False).failed, "".join(report)


def test_the_block_about_torch_runs_where_torch_is_installed() -> None:
    pytest.importorskip("torch")
    page = (DOCS / "tutorials/06_gradients.md").read_text()
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    robot = sixvec.load("panda")
    exec(block, {"np": np, "robot": robot, "q": robot.random(0)})


def test_tutorials_need_nothing_that_make_docs_does_not_install() -> None:
    """A cell that fails to import would fail the site, one that hides it would not run."""
    for page in (DOCS / "tutorials").glob("*.md"):
        assert "ImportError" not in page.read_text(), page


@pytest.mark.parametrize("page", [page for page in PAGES if "```math" in page.read_text()], ids=page_name)
def test_equations_are_closed(page: Path) -> None:
    """MathJax shows the source of an equation with an odd brace or an open environment instead of the equation."""
    for equation in re.findall(r"```math\n(.*?)```", page.read_text(), re.DOTALL):
        assert equation.count("{") == equation.count("}"), equation
        begun, ended = (re.findall(rf"\\{word}{{(\w+)}}", equation) for word in ("begin", "end"))
        assert sorted(begun) == sorted(ended), equation
        assert not re.search("[α-ωΑ-Ω∂Σ²ᵀ⁻]", equation), f"in TeX these have names: {equation}"


def test_the_sidebar_groups_every_algorithm_once() -> None:
    sys.path.insert(0, str(DOCS))
    spec = importlib.util.spec_from_file_location("site_pages", DOCS / "site_pages.py")
    assert spec is not None and spec.loader is not None
    site = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(site)
    groups = site.groups(DOCS / "algorithms")
    listed = [name for text in groups.values() for name in re.findall(r"^\.\./algorithms/(\w+)$", text, re.MULTILINE)]
    assert sorted(listed) == sorted(page.stem for page in DOCS.glob("algorithms/*.md") if page.stem != "README")
    front = site.contents((DOCS / "index.md").read_text(), DOCS)
    for page in DOCS.glob("*.md"):
        assert page.stem == "index" or len(re.findall(rf"^{page.stem}$", front, re.MULTILINE)) == 1, page


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in links(page):
        assert (page.parent / target).exists(), target


def test_source_files_named_on_a_page_exist() -> None:
    package = DOCS.parent / "src/sixvec"
    for page in CONCEPTS.glob("*.md"):
        for paragraph in re.findall(r"^Source: (.*?)$", page.read_text(), re.MULTILINE):
            for name in re.findall(r"`([\w/]+\.py)`", paragraph):
                path = package / name if "/" in name else package / "spatial" / name
                assert path.exists(), f"{page_name(page)} names {name}"


def test_every_concept_has_a_page_with_a_picture_and_an_example() -> None:
    index = (CONCEPTS / "index.md").read_text()
    pages = [page for page in CONCEPTS.glob("*.md") if page.stem != "index"]
    assert len(pages) == 18
    for page in pages:
        assert f"images/{page.stem}.png" in page.read_text()
        assert f"({page.name})" in index
        assert examples(page)


def test_the_script_draws_exactly_the_pictures_that_pages_show(drawings: ModuleType) -> None:
    shown = {Path(target).name for page in CONCEPTS.glob("*.md") for target in links(page) if target.endswith(".png")}
    written = {file.name for file in drawings.IMAGES.glob("*.png")}
    assert {f"{name}.png" for name in drawings.PICTURES} == shown == written


def test_pictures_are_small() -> None:
    for file in (CONCEPTS / "images").glob("*.png"):
        assert file.stat().st_size < LARGEST_IMAGE, file.name
