"""The command line in a process of its own, for the tests of commands."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def sixvec() -> Command:
    """Run `sixvec ARGUMENTS` in a process of its own, as a shell script would."""

    def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "sixvec", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, **options)  # type: ignore[call-overload, no-any-return]

    return run
