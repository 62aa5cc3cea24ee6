"""What is read of SDF, as Drake confirmed it, recorded in tests/golden/sdf.txt for machines without Drake.

`SIXVEC_WRITE_GOLDEN=1 pytest tests/formats/sdf/test_recorded_sdf.py` writes the file anew; run the tests with Drake
then.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from recorded_models import assert_recorded, recorded
from sdf_files import BASE, PEER_FILES, SHAPES, TRICKY, J, link, model
from sixvec.formats import parse_model

FILE = Path(__file__).parents[2] / "golden/sdf.txt"
WEIGHTS = {"water": "", "light": "<density>3</density>", "given": "<density>3</density><mass>5</mass>"}


@pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
def test_no_number_that_is_read_changes_unnoticed() -> None:
    texts = PEER_FILES | TRICKY
    for name, shape in SHAPES.items():
        for weight, given in WEIGHTS.items():
            inside = f'<inertial auto="true">{given}</inertial>{shape}'
            body = link("a", ".1 .2 .3 .4 .5 .6", inside=inside)
            texts[f"{name}, {weight}"] = model(BASE + body + J, version="1.11")
    models = {name.replace(" ", "_"): parse_model(text, "robot.sdf") for name, text in texts.items()}
    found = "".join(recorded(model, name, 10) for name, model in models.items())
    assert_recorded(FILE, found, 1e-11)
