"""The numbers of the built-in robots, recorded as one digest per robot in tests/golden/robots.txt.

Most of them are measurements, which no law can check; the readable table is the source of each robot.
`SIXVEC_WRITE_GOLDEN=1 pytest tests/model/robots/test_recorded_robots.py` rewrites the file.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from recorded_models import recorded
from sixvec.model.robots.built_in import MODULES, mechanism

FILE = Path(__file__).parents[2] / "golden/robots.txt"
DIGITS = 9
"""Fewer than those in which the sines of two processors may differ."""


def digest(name: str) -> str:
    return hashlib.sha256(recorded(mechanism(name)(), name, DIGITS).encode()).hexdigest()[:16]


def test_built_in_robots_have_the_recorded_numbers() -> None:
    digests = {name: digest(name) for name in MODULES}
    if os.environ.get("SIXVEC_WRITE_GOLDEN"):
        FILE.write_text("".join(f"{value}  {name}\n" for name, value in digests.items()))
    rows = [line.split() for line in FILE.read_text().splitlines()]
    assert digests == {name: value for value, name in rows}, "if meant: SIXVEC_WRITE_GOLDEN=1"
