"""Another processor computes the bits that were recorded on this kind (`make test-arm`, `make test-old-cpu`)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from recorded_bits import VARIABLE, digests


@pytest.mark.skipif(VARIABLE not in os.environ, reason="compares two processors; make test-arm records and compares")
def test_the_bits_that_another_processor_recorded() -> None:
    recorded = json.loads(Path(os.environ[VARIABLE]).read_text(encoding="utf-8"))
    found = digests()
    assert len(recorded) > 60 and found.keys() == recorded.keys()
    assert {name: found[name] for name in found if found[name] != recorded[name]} == {}
