"""The generated reference: every public name is on a page, with an example or a link to one."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference_pages", DOCS / "reference_pages.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    assert "attach(model, other, frame" in pages["sixvec.model.edits"]
    assert "robot.jacobian(q, frame, reference='local_world_aligned'" in pages["robot"]


def test_constants_show_names_instead_of_addresses(reference: ModuleType) -> None:
    shown = [reference.written(e.value) for e in reference.all_entries() if isinstance(e.value, reference.PLAIN)]
    assert shown and not any(" at 0x" in text for text in shown)
    assert reference.written({"a": Path, "b": reference.written}) == "{'a': Path, 'b': written}"
