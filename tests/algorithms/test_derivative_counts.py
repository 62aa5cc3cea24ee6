"""The table of operation counts on the page is what its command prints, and the recursions are worth their lines."""

from __future__ import annotations

from pathlib import Path

import pytest

import sixvec

ROOT = Path(__file__).parents[2]


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import derivative_counts

    return derivative_counts


@pytest.mark.slow
def test_the_page_shows_what_the_command_prints(counts: object) -> None:
    assert counts.table() in (ROOT / "docs/algorithms/derivatives.md").read_text()  # type: ignore[attr-defined]


def test_analytic_recursions_beat_automatic_differentiation(counts: object) -> None:
    found = counts.rows(sixvec.load("panda"))  # type: ignore[attr-defined]
    for name in ("inverse dynamics", "forward dynamics"):
        assert 2 * found[f"{name}, first derivatives, analytic"] < found[f"{name}, first derivatives, automatic"]
