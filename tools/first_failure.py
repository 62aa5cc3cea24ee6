"""A pytest plugin for mutants: the first failure goes to a file, and examples that fail are not made small first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import Phase, settings

FILE = "SIXVEC_FIRST_FAILURE"

settings.register_profile("unshrunk", derandomize=True, database=None, phases=[Phase.explicit, Phase.generate])
settings.load_profile("unshrunk")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _note(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _note(report)


def _note(report: pytest.TestReport | pytest.CollectReport) -> None:
    file = Path(os.environ[FILE])
    if report.failed and not file.exists():
        file.write_text(report.nodeid)
