"""Processes that compile for others end before limits of others, and leave word of what they could not do."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from sixvec.compiler import child_limits
from sixvec.compiler.cache import UNFINISHED
from sixvec.compiler.claim import give_up, tried


@pytest.mark.parametrize(
    ("soft", "hard", "seconds"),
    [(-1, -1, 600), (100, 200, 100), (-1, 100, 99), (100, 100, 99), (1000, 601, 600), (1000, 600, 599), (599, -1, 599)],
)
def test_seconds_that_are_allowed(soft: int, hard: int, seconds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = SimpleNamespace(RLIM_INFINITY=-1, RLIMIT_CPU=0, getrlimit=lambda kind: (soft, hard))
    monkeypatch.setattr(child_limits, "resource", made)
    assert child_limits.allowed() == seconds
    monkeypatch.setattr(child_limits, "resource", None)
    assert child_limits.allowed() == 600


@pytest.mark.parametrize(
    ("soft", "hard", "end"), [(-1, -1, 37), (30, 200, 30), (-1, 30, 29), (50, 37, 36), (100, 38, 37), (36, 36, 35)]
)
def test_the_end_is_as_many_seconds_from_now(soft: int, hard: int, end: int, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: dict[str, tuple[int, int]] = {"core": (5, 9), "cpu": (soft, hard)}
    made = SimpleNamespace(RLIMIT_CPU="cpu", RLIMIT_CORE="core", getrlimit=limits.get, setrlimit=limits.__setitem__)
    monkeypatch.setattr(child_limits, "resource", made)
    monkeypatch.setattr(child_limits, "time", SimpleNamespace(process_time=lambda: 7.9))
    assert child_limits._allow(30) == end
    assert limits == {"core": (0, 9), "cpu": (end, hard)}


def test_word_of_what_takes_too_long(tmp_path: Path) -> None:
    (tmp_path / UNFINISHED).mkdir()
    assert tried(tmp_path, "a") == 0
    give_up(tmp_path, "a", 30)
    assert (tried(tmp_path, "a"), tried(tmp_path, "b")) == (30, 0)
    (tmp_path / UNFINISHED / "a.tried").write_text("soon")
    assert tried(tmp_path, "a") == 0
