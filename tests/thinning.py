"""Long lists of cases: some of them every day, all of them in the slow run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def thinned(cases: Iterable[Any], keep: int, label: Callable[[Any], str]) -> list[Any]:
    """Every `keep`-th case as it is; the others marked slow."""
    return [
        pytest.param(case, id=label(case), marks=[] if i % keep == 0 else [pytest.mark.slow])
        for i, case in enumerate(cases)
    ]
