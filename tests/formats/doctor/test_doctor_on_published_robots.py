"""The doctor on robots of others: quick, and no false alarm about files that are known to be sound."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from package_files import published_urdf
from sixvec.formats.doctor import Severity, check_file

FILES = published_urdf()
pytestmark = pytest.mark.skipif(not FILES, reason="the package example-robot-data is not installed")

PATIENCE = 2.0
"""Seconds; the largest takes 0.1 on a free machine."""

BROKEN = {
    "falcon.urdf": "Z_propeller",  # a joint to a link that the file does not have
    "ur3.urdf": "no <link>",  # an empty robot
    "alex_psyonic_hands.urdf": "index_q1",  # mimics a joint that the file does not have
}
IMPOSSIBLE = {"romeo_laas_small.urdf", "tiago.urdf", "tiago_dual.urdf", "tiago_no_hand.urdf"}
"""Files that give bodies negative moments of inertia."""


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parts[-3]}/{p.stem}")
def test_errors_are_where_they_are_known_to_be(path: Path) -> None:
    start = time.process_time()
    report = check_file(path)
    assert time.process_time() - start < PATIENCE
    errors = [f for f in report.findings if f.severity is Severity.ERROR]
    if path.name in BROKEN:
        assert any(BROKEN[path.name] in f.message for f in errors)
    elif path.name in IMPOSSIBLE:
        assert errors and all("not all positive" in f.message for f in errors)
    else:
        assert not errors, report.text()
        assert report.model is not None
    assert all(f.line for f in report.findings)
    # None of them is in millimetres or degrees.
    assert not [f for f in report.findings if "millimet" in f.message or "degrees" in f.message]
