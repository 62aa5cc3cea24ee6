"""The changes that `make mutants` tries: each one token, none in words, and tests in a sensible order."""

from __future__ import annotations

import ast
import random
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import mutants  # noqa: E402
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
