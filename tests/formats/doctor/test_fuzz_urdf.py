"""Files with random damage: the doctor and the loader answer, and raise nothing but a SixvecError."""

from __future__ import annotations

import contextlib
import random
import time
from pathlib import Path

import pytest
from broken_files import REFUSED, SOUND, SUSPECT

import sixvec
from sixvec.errors import SixvecError
from sixvec.formats.doctor import check_file

BUDGET = 4.0
"""Seconds of trying."""

WORDS = [
    "nan",
    "-1e309",
    "1e-320",
    "0",
    "",
    "robot",
    "joint",
    "<mimic joint='j'/>",
    '"',
    "<",
    "/>",
    "&",
    "é",
    "\x00",
    "￿",
    "<!-- a -- b -->",
    "<x:y/>",
    " x:y='1'",
    " xmlns='x'",
    "\n<?xml version='1.0'?>",
    "<!DOCTYPE a>",
]
LARGEST_SEED = 5000


def damaged(text: str, rng: random.Random) -> str:
    """Pieces cut out, doubled, exchanged for words, or moved."""
    for _ in range(rng.randint(1, 4)):
        i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        j = min(j, i + rng.choice([0, 1, 8, 80]))
        k = rng.randrange(len(text) + 1)
        text = rng.choice([
            text[:i] + text[j:],
            text[:i] + text[i:j] + text[i:],
            text[:i] + rng.choice(WORDS) + text[j:],
            text[:k] + text[i:j] + text[k:],
        ])  # fmt: skip
    return text


@pytest.mark.filterwarnings("ignore::sixvec.formats.xml.LooseXml")
@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
def test_random_damage(tmp_path: Path) -> None:
    rng = random.Random(5)
    seeds = [SOUND] + [b.data for b in (*REFUSED.values(), *SUSPECT.values()) if isinstance(b.data, str)]
    seeds = [s for s in seeds if len(s) < LARGEST_SEED]
    path, end, tries = tmp_path / "robot.urdf", time.monotonic() + BUDGET, 0
    while time.monotonic() < end:
        path.write_text(damaged(rng.choice(seeds), rng), encoding="utf-8", errors="replace")
        report = check_file(path)
        loaded = False
        with contextlib.suppress(SixvecError):
            sixvec.load(path)
            loaded = True
        # What does not load has an error; what the doctor calls sound does load.
        assert loaded or report.status == 2, path.read_text()
        assert (report.model is not None) == loaded
        tries += 1
    assert tries > 100
