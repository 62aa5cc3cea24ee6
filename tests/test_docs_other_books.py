"""Every name on the page about other textbooks can be typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sixvec.textbook.where import resolved

PAGE = (Path(__file__).parent.parent / "docs/other_books.md").read_text(encoding="utf-8")
TABLES = "\n".join(line for line in PAGE.splitlines() if line.startswith("|"))
NAMES = sorted(set(re.findall(r"`([\w.]+)`", TABLES)))


@pytest.mark.parametrize("name", NAMES)
def test_the_name_exists(name: str) -> None:
    assert resolved(name) is not None


def test_there_are_names_of_every_field() -> None:
    assert {"Robot", "spatial", "mobile", "motion", "theory", "analysis"} <= {n.partition(".")[0] for n in NAMES}
