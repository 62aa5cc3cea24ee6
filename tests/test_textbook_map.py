"""From the equation to the function: numbers, citations, names, tests and the written map agree."""

from __future__ import annotations

import ast
import importlib
import io
import json
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sixvec.textbook.citation import citations, mistakes
from sixvec.textbook.inventory import REASONS, equations, errata, numbers, sections

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src/sixvec"
QUESTIONS = {*(SOURCE / "textbook").glob("*.py"), SOURCE / "cli/where.py"}
"""Their docstrings show how users ask, and wrong forms."""

sys.path.insert(0, str(ROOT / "tools"))
textbook_map = importlib.import_module("write_textbook_map")
sys.path.remove(str(ROOT / "tools"))

REGISTER = textbook_map.register()

RESOLVE = """
import importlib, json, sys
for name in json.load(sys.stdin):
    value = importlib.import_module("sixvec")
    try:
        for part in name.split("."):
            value = getattr(value, part)
    except AttributeError:
        print(name)
"""


def texts(file: Path) -> Iterator[str]:
    """The docstrings and comments of a file, without the lines of examples."""
    source = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines = node.value.value.split("\n")
            yield "\n".join(line for line in lines if not line.strip().startswith((">>>", "...")))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def test_every_equation_leads_to_a_tested_function_or_has_a_reason() -> None:
    """Cited or with a reason, never both; what is computed has a test whose source uses the function."""
    computed = textbook_map.computed()
    assert len(equations()) == 747
    for key, equation in equations().items():
        assert (key in computed) != bool(equation.reason), f"{equation.label}: cite it or give a reason, not both"
        if key in computed:
            assert textbook_map.tests_of(equation.label, computed[key]), f"{equation.label}: no test uses its function"
        else:
            assert REASONS.fullmatch(equation.reason), f"{equation.label}: {equation.reason}"
            assert equation.leads_to is None or (equation.document, equation.leads_to) in equations()
            assert "erratum" not in equation.reason or (equation.document, f"({equation.number})") in errata()
        assert equation.section in sections()[equation.document]


def test_steps_end_at_a_function() -> None:
    """Whoever follows "step towards" and "repeats" arrives at a function or at a definition."""
    for (document, _), equation in equations().items():
        seen = []
        while equation.leads_to:
            assert equation.number not in seen, f"{equation.label} leads back to itself"
            seen.append(equation.number)
            equation = equations()[document, equation.leads_to]
        assert not seen or equation.reason in ("", "definition")


def test_every_citation_exists_and_has_the_common_form() -> None:
    wrong = []
    for file in sorted({*SOURCE.rglob("*.py")} - QUESTIONS):
        for text in texts(file):
            wrong += [f"{file.name}: {mistake}" for mistake in mistakes(text)]
            wrong += [f"{file.name}: {c} does not exist" for c in citations(text) if numbers(c) is None]
    others = {textbook_map.PAGE, ROOT / "docs/command_line.md", *(ROOT / "docs/reference").glob("*.md")}
    for page in sorted({*(ROOT / "docs").rglob("*.md")} - others):
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        wrong += [f"{page.name}: {mistake}" for mistake in mistakes(text)]
        wrong += [f"{page.name}: {c} does not exist" for c in citations(text) if numbers(c) is None]
    assert not wrong


def test_errata_name_places_that_exist() -> None:
    for document, place in errata():
        known = {f"({n})" for d, n in equations() if d == document} | {f"§{s}" for s in sections()[document]}
        assert place in known or place.startswith("Table "), (document, place)


def test_every_name_can_be_typed_in_a_fresh_interpreter() -> None:
    names = {name for found in textbook_map.computed().values() for name in found}
    names |= {name for capability in REGISTER for name in capability.names}
    modules: dict[str, list[str]] = {}
    for name in sorted(names):
        parts = name.split(".")
        modules.setdefault(".".join(p for p in parts[:-1] if p.islower()), []).append(name)
    for those in modules.values():  # each module in its own process: another name would have imported it
        answer = subprocess.run(
            [sys.executable, "-c", RESOLVE], input=json.dumps(those), capture_output=True, text=True, check=True
        )
        assert answer.stdout == ""


def test_marks_name_rows_and_equations_that_exist() -> None:
    known = {c.row for c in REGISTER} | {e.label for e in equations().values()}
    assert not set(textbook_map.covering()) - known


def test_a_mark_of_an_equation_is_on_a_test_that_uses_its_function() -> None:
    computed = textbook_map.computed()
    for equation in equations().values():
        names = computed.get((equation.document, equation.number), ())
        for test in textbook_map.covering().get(equation.label, ()):
            assert any(test.uses(name) for name in names), f"{test.id} uses no function of {equation.label}"


@pytest.mark.parametrize("capability", [c for c in REGISTER if c.there], ids=lambda c: c.row)
def test_a_capability_has_a_name_and_a_test(capability: Any) -> None:
    assert capability.names, "no public name"
    assert textbook_map.covering().get(capability.row), f"no test is marked covers({capability.row!r})"
    assert textbook_map.tests_of(capability.row, capability.names), f"no test of {capability.row} uses its functions"


def test_what_is_said_to_be_missing_is_missing() -> None:
    """A row that tests cover has its name in the register."""
    assert not [c.row for c in REGISTER if not c.there and c.row in textbook_map.covering()]


def test_rows_are_listed_once() -> None:
    rows = [c.row for c in REGISTER]
    assert len(rows) == len(set(rows))


def test_the_map_is_up_to_date() -> None:
    assert textbook_map.FUNCTIONS.read_text(encoding="utf-8") == textbook_map.functions_table(), "run `make map`"
    assert textbook_map.PAGE.read_text(encoding="utf-8") == textbook_map.page(), "run `make map`"
