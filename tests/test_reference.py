"""The reference: every public name is on a page, examples run alone, and names on pages can be typed."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import sixvec

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    sys.path.insert(0, str(DOCS))
    spec = importlib.util.spec_from_file_location("reference_pages", DOCS / "reference_pages.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OTHER_NAMES = {"coming_from.md", "textbook_map.md"}
"""One prints names of other libraries, too; `test_textbook_map.py` resolves those of the other."""

WRITTEN = {"reference", "groups"}
"""Folders that `make docs` writes."""

PAGES = [
    page
    for page in (DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md")))
    if page.name not in OTHER_NAMES and page.parent.name not in WRITTEN
]

FILES = re.compile(r"(?:py|pyi|md|tsv|txt|toml|json|xml|config|c|h|ll)$")
"""`model.config` and `cuda.py` are files."""


def dotted_names(text: str) -> set[str]:
    """The names below `sixvec` that a page prints: `sv.mobile.car` and `ik.redundancy` as well as `sixvec.load`."""
    text = re.sub(r"^(?:>>> |\.\.\. )?(?:from|import) .*", "", text, flags=re.MULTILINE)  # examples, which run
    with_prefix = set(re.findall(r"(?<![\w./])(?:sixvec|sv)\.([a-z]\w*(?:\.\w+)*)", text))
    packages = "|".join({*sixvec._PACKAGES} - {"model", "motion", "kernels", "compiler"})  # `model.bodies`: the user's
    without = set(re.findall(rf"(?<![\w./])((?:{packages})(?:\.\w+)+)(?![\w/])", text))
    return {name for name in with_prefix | without if not FILES.search(name)}


def typed(name: str) -> object:
    """The value of a dotted name in a program whose only import is `import sixvec`, whatever this process imported."""
    value: object = sixvec
    for part in name.split("."):
        if inspect.ismodule(value) and hasattr(value, "__path__"):
            loads = f"from {value.__name__}.{part} import" in inspect.getsource(value)
            if not (loads or part in getattr(value, "__all__", ())):
                value = value.__getattr__(part)
                continue
        value = getattr(value, part)
    return value


def is_typed(name: str) -> bool:
    try:
        typed(name)
    except AttributeError:
        return False
    return True


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS.parent)))
def test_names_on_pages_can_be_typed_after_import_sixvec(page: Path) -> None:
    assert [name for name in sorted(dotted_names(page.read_text())) if not is_typed(name)] == []


def test_names_of_the_reference_can_be_typed_after_import_sixvec(reference: ModuleType) -> None:
    names = [f"{e.page}.{e.name}".removeprefix("sixvec.") for e in reference.of_packages()]
    assert [name for name in names if not is_typed(name)] == []


def test_a_module_that_no_package_loads_cannot_be_typed() -> None:
    import_module("sixvec.formats.folders")
    assert not is_typed("formats.folders") and not is_typed("formats.tables.DHTabel")
    assert is_typed("formats.tables.DHTable")


def test_examples_run_alone(reference: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each docstring pasted into an empty session prints what it says."""
    monkeypatch.chdir(tmp_path)
    parser, failures = doctest.DocTestParser(), []
    for entry in reference.all_entries():
        for call, text in entry.documents:
            name = f"{entry.page}.{entry.name}{call.partition('(')[0]}"
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
            report: list[str] = []
            runner.run(parser.get_doctest(text, {}, name, None, 0), out=report.append)
            failures += report
    assert failures == []


def test_every_public_name_has_an_example(reference: ModuleType) -> None:
    entries = reference.all_entries()
    bare = [
        f"{e.page}.{e.name}"
        for e in entries
        if not (e.session or isinstance(e.value, reference.PLAIN) or reference.example_of(e, entries))
        and not (inspect.isclass(e.value) and issubclass(e.value, BaseException))
    ]
    assert bare == []


def test_packages_inside_packages_are_there(reference: ModuleType) -> None:
    pages = {e.page: e for e in reference.all_entries()}
    for name in ("sixvec.model.edits", "sixvec.formats.tables", "sixvec.model.joints", "sixvec.ik.closed_form"):
        assert name in pages
    shown = {id(e.value) for e in reference.all_entries()}
    for page in pages:
        if page.startswith("sixvec."):
            module = import_module(page)
            values = [getattr(module, name) for name in module.__all__]
            assert all(id(value) in shown or inspect.ismodule(value) for value in values), page


def test_signatures_are_those_that_users_write(reference: ModuleType) -> None:
    pages = reference.pages()
    assert "{py:function} attach(model: sixvec.Model, other: sixvec.Model, frame: str" in pages["sixvec.model.edits"]
    assert "{py:method} Robot.jacobian(q: ArrayLike, frame: str, reference: Reference" in pages["robot"]
    assert re.search(r"{py:property} Robot.nq\n:type: int\n", pages["robot"])


def test_every_signature_is_python(reference: ModuleType) -> None:
    """What is not shows no types and no links, and Sphinx does not say so."""
    for page, text in reference.pages().items():
        for kind, name, arguments in re.findall(r"^````{py:(\w+)} ([\w.]+)(.*)$", text, re.MULTILINE):
            if kind in ("function", "method", "class"):
                ast.parse(f"def f{arguments}: ...".replace("(...)", "()")), page
            assert " at 0x" not in arguments, name


def test_the_index_describes_every_page(reference: ModuleType) -> None:
    made = reference.pages()
    index = reference.index(made)
    assert all(re.search(rf"^\| \[[\w.]+\]\({re.escape(page)}\.md\) \| \w.+ \|$", index, re.MULTILINE) for page in made)


def test_constants_show_names_instead_of_addresses(reference: ModuleType) -> None:
    shown = [reference.written(e.value) for e in reference.all_entries() if isinstance(e.value, reference.PLAIN)]
    assert shown and not any(" at 0x" in text for text in shown)
    assert reference.written({"a": Path, "b": reference.written}) == "{'a': Path, 'b': written}"
