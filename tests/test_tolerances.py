"""Tolerances are five, on one page; every other constant that small is listed there with the reason it differs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sixvec import tolerances

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src/sixvec"
PAGE = (ROOT / "docs/tolerances.md").read_text()
LARGEST = 1e-3


def constants(file: Path) -> Iterator[tuple[str, float, str]]:
    """Name, value and comment of the small numbers that a module defines."""
    body = ast.parse(file.read_text()).body
    for node, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = node.value.value if isinstance(node.value, ast.Constant) else None
            if isinstance(value, float) and 0.0 < value <= LARGEST:
                is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                yield node.targets[0].id, value, str(after.value.value) if is_text else ""  # type: ignore[attr-defined]


def all_constants() -> dict[str, tuple[float, str]]:
    return {
        f"{file.relative_to(SOURCE).with_suffix('')}:{name}": (value, text)
        for file in sorted(SOURCE.rglob("*.py"))
        for name, value, text in constants(file)
    }


def listed() -> list[str]:
    rows = re.findall(r"^- `([\w/]+)`: (.+)$", PAGE, re.MULTILINE)
    return [f"{file}:{name}" for file, names in rows for name in re.findall(r"`(\w+)`", names)]


def test_the_page_has_the_five_with_their_values() -> None:
    rows = dict(re.findall(r"^\| `([A-Z]+)` \| (\S+) \|", PAGE, re.MULTILINE))
    assert {name: float(value) for name, value in rows.items()} == {
        name: value for name, value, _ in constants(SOURCE / "tolerances.py")
    }
    assert list(rows) == [name for name in vars(tolerances) if name.isupper()]


def test_every_other_constant_is_listed_once_or_says_why_none_of_the_five_fits() -> None:
    compared = re.compile(r"`(RANK|EQUAL|ROUNDING|CLOSED|DRAWN)`")
    others = {name: text for name, (_, text) in all_constants().items() if not name.startswith("tolerances:")}
    assert [name for name in listed() if name not in others] == []
    assert [name for name, text in others.items() if name not in listed() and not compared.search(text)] == []
    assert len(set(listed())) == len(listed())


def test_every_constant_says_what_it_decides() -> None:
    silent = [name for name, (_, text) in all_constants().items() if not text.strip()]
    assert silent == []


def test_a_rounded_or_named_constant_would_be_found(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text('A = 1e-9\n"""Why."""\nB = 0.5\nC = 1e-13\n')
    assert list(constants(file)) == [("A", 1e-9, "Why."), ("C", 1e-13, "")]


@pytest.mark.parametrize("name", ["RANK", "EQUAL", "ROUNDING", "CLOSED", "DRAWN"])
def test_no_module_redefines_one_of_the_five(name: str) -> None:
    assert [key for key in all_constants() if key.endswith(f":{name}")] == [f"tolerances:{name}"]
