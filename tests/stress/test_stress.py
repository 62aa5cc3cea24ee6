"""Every scenario in a process of its own: a crash is a failure, not the end of the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scenarios import SCENARIOS

SECONDS = float(os.environ.get("STRESS_SECONDS", "3"))


@pytest.mark.stress
@pytest.mark.parametrize("call_stub", ["on", "off"])
@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_it_survives(name: str, call_stub: str) -> None:
    if call_stub == "off" and name not in ("interrupts", "switching", "leaks"):
        pytest.skip("call stubs play no part in it")
    seconds = SECONDS if call_stub == "on" else SECONDS / 2
    script = Path(__file__).with_name("scenarios.py")
    # malloc_debug fills memory that is freed, so that whoever still reads it finds nonsense
    environment = (
        os.environ | {"SIXVEC_CALL_STUB": call_stub} | ({"PYTHONMALLOC": "malloc_debug"} if name == "cycles" else {})
    )
    command = [sys.executable, "-X", "faulthandler", "-W", "ignore::DeprecationWarning", str(script), name]
    done = subprocess.run(
        [*command, str(seconds)], env=environment, capture_output=True, text=True, timeout=120 + 10 * seconds
    )
    assert done.returncode == 0, f"{name} ended with {done.returncode}:\n{done.stderr[-4000:]}"
