"""The changes that `make mutants` tries: each one token, none in words, and tests in a sensible order."""

from __future__ import annotations

import ast
import random
import sqlite3
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import mutants  # noqa: E402
from executed import Executed  # noqa: E402
from mutations import mutations  # noqa: E402
from relevance import Relevance  # noqa: E402

CHANGES = {
    "y = a + b * c": ["y = a - b * c", "y = a + b / c"],
    "y = (a) + (b)": ["y = (a) - (b)"],
    "y = x[0] ** 2": ["y = x[1] ** 2", "y = x[0] * 2", "y = x[0] ** 3"],
    "y = -1.5": ["y = 1.5", "y = -2.5"],
    "y = 'α' in s and a < b": ["y = 'α' not in s and a < b", "y = 'α' in s or a < b", "y = 'α' in s and a <= b",
                               "y = 'α' in s and a > b"],
    "y = a is not b": ["y = a is  b"],
    "if f(x):\n    pass": ["if not f(x):\n    pass"],
    "while not done: pass": ["while  done: pass"],
    "y = [x for x in z if x.good]": ["y = [x for x in z if not x.good]"],
    "y = 1000": ["y = 1"],
    "f(x, on=True)": ["f(x, on=False)"],
}  # fmt: skip
SILENT = [
    'def f(x: int = None) -> "a < b":\n    """1 + 1."""',
    "raise ValueError(1 + 1)",
    "assert 1 < 2",
    "y = f'{a + 1}'",
    "zip(a, b, strict=True)",
    "y: Literal[1]",
    "from __future__ import annotations",
    "class A:\n    def __repr__(self):\n        return 1 + 1",
]


@pytest.mark.parametrize("text", CHANGES)
def test_one_token_changes(text: str) -> None:
    assert [m.applied(text) for m in mutations(text)] == CHANGES[text]


@pytest.mark.parametrize("text", SILENT)
def test_words_stay(text: str) -> None:
    assert not mutations(text)


@pytest.mark.slow
def test_a_seed_is_a_sample_of_files_that_still_parse() -> None:
    first, again = (mutants.sample(ROOT, ["src/sixvec/formats"], (), random.Random(5)) for _ in range(2))
    assert first == again != mutants.sample(ROOT, ["src/sixvec/formats"], (), random.Random(6))
    some = first[:20]
    assert len({file for file, _ in some}) == 20
    for file, mutation in some:
        text = (ROOT / file).read_text()
        assert text[mutation.start : mutation.end] == mutation.old
        ast.parse(mutation.applied(text))
    lines = mutants.sample(ROOT, ["src/sixvec/compiler/graph.py:117"], (), random.Random(0))
    assert {m.line for _, m in lines} <= {117}


@pytest.mark.slow
def test_the_likely_tests_come_first() -> None:
    package = ROOT / "src/sixvec"
    relevance = Relevance(ROOT)
    for module, test in (("compiler/graph.py", "test_rewrites"), ("formats/doctor/loops.py", "test_cut_loops")):
        order = relevance.tests(package / module)
        assert order[0] == package / module and test in [t.stem for t in order[1:8]]
        assert len(order) == len({*order}) == 1 + len([*(ROOT / "tests").rglob("test_*.py")])


def test_tests_that_execute_the_line_and_little_else_come_first(tmp_path: Path) -> None:
    data, here = tmp_path / "recorded", "test_mutants"
    base = sqlite3.connect(data)
    base.executescript("""
        create table file (id integer, path text); create table context (id integer, context text);
        create table line_bits (file_id integer, context_id integer, numbits blob);
        insert into file values (1, '/elsewhere/src/sixvec/scalar.py'), (2, '/elsewhere/src/sixvec/robot.py');
    """)
    tests = ("test_words_stay", "test_one_token_changes", "test_that_is_gone", "test_the_likely_tests_come_first")
    base.executemany("insert into context values (?, ?)", [(k, f"{here}.{test}") for k, test in enumerate(tests)])
    rows = [(1, 0, 20), (2, 0, 4), (1, 1, 20), (1, 2, 20), (1, 3, 90)]
    bits = [(file, context, bytes(line // 8) + bytes([1 << line % 8])) for file, context, line in rows]
    base.executemany("insert into line_bits values (?, ?, ?)", bits)
    base.commit()
    found = Executed(data, ROOT).tests(Path("src/sixvec/scalar.py"), 21, 9)
    assert found == [f"tests/{here}.py::{test}" for test in (tests[1], tests[0])]
    assert Executed(data, ROOT).tests(Path("src/sixvec/scalar.py"), 60, 9) == []
