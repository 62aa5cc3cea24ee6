"""Pictures outside docs/concepts: each is drawn by a script, shown on a page, and small."""

from __future__ import annotations

import importlib.util
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {
    "inverse_kinematics/draw_which.py": "inverse_kinematics/which.md",
    "draw_kinematics.py": "kinematics.md",
    "draw_mobile.py": "mobile.md",
    "draw_contacts.py": "contacts.md",
    "draw_constraints.py": "constraints.md",
    "draw_priorities.py": "algorithms/prioritised_dynamics.md",
    "draw_parallel.py": "parallel.md",
    "draw_distances.py": "distances.md",
    "draw_timing.py": "timing.md",
    "draw_contact_gradients.py": "contact_gradients.md",
}
LARGEST_IMAGE = 60_000
"""Bytes: a page with its pictures loads at once."""


@pytest.mark.parametrize("script", PAGES)
def test_the_page_shows_what_the_script_draws(script: str) -> None:
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("page_drawings", DOCS / script)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = (DOCS / PAGES[script]).read_text()
    assert page.count("](images/") == len(module.PICTURES)
    for name in module.PICTURES:
        assert f"](images/{name}.png)" in page
        assert 0 < (module.IMAGES / f"{name}.png").stat().st_size < LARGEST_IMAGE


def test_a_hanging_arm_that_stretches_becomes_fast_across_and_weak_across() -> None:
    """The cheapest of the pictures is drawn again."""
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("kinematics_drawings", DOCS / "draw_kinematics.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (ax,) = module.manipulability().axes
    curves = [line for line in ax.lines if len(line.get_xdata()) > 3]
    fast, strong = (
        [np.nanmax(line.get_xdata()) - np.nanmin(line.get_xdata()) for line in curves if line.get_color() == color]
        for color in (module.LINEAR, module.SURFACE)
    )
    assert len(fast) == len(strong) == 5
    assert all(narrow < wide for narrow, wide in pairwise(fast))
    assert all(wide > narrow for wide, narrow in pairwise(strong[:4]))
