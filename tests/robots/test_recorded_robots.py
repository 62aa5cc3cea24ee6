"""Every number of the built-in robots, against files in tests/golden/robots that are read when they change.

Most numbers are measurements of others, which no law knows.  `SIXVEC_WRITE_GOLDEN=1 pytest
tests/robots/test_recorded_robots.py` writes the files anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from recorded_models import assert_recorded, recorded
from sixvec.robots.built_in import MECHANISMS

FOLDER = Path(__file__).parent.parent / "golden/robots"


@pytest.mark.parametrize("name", MECHANISMS)
def test_no_number_of_a_robot_changes_unnoticed(name: str) -> None:
    assert_recorded(FOLDER / f"{name}.txt", recorded(MECHANISMS[name](), name))
