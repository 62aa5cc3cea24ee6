"""Compiled code is kept only if the library's files are older than the process: tests of that wait for it."""

from __future__ import annotations

import time
from pathlib import Path

MARGIN = 2.2


def wait_until_settled(package: Path) -> None:
    """Return when a process that starts now can trust the files of a package."""
    newest = max(file.stat().st_ctime for file in package.rglob("*.py"))
    time.sleep(max(0.0, newest + MARGIN - time.time()))
