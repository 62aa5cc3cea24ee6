"""Emitted code of a small robot, kept under version control so that a change of the compiler can be read as a diff.

`SIXVEC_WRITE_GOLDEN=1 pytest tests/compiler/test_golden.py` writes the files anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import sixvec as sv
from sixvec.compiler.emit.c import emit_header
from sixvec.kernels.exported import function

FOLDER = Path(__file__).parent.parent / "golden"
KERNEL = sv.load("planar_2r").kernel("inverse_dynamics")
TEXTS = {
    "inverse_dynamics.c": lambda: KERNEL.source("c"),
    "inverse_dynamics_float32.c": lambda: KERNEL.source("c", "float32"),
    "inverse_dynamics.h": lambda: emit_header([function(KERNEL)]),
    "inverse_dynamics.ll": lambda: KERNEL.source("llvm"),
    "inverse_dynamics.program": lambda: KERNEL.source("program") + "\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_golden(name: str) -> None:
    text, file = TEXTS[name](), FOLDER / name
    if os.environ.get("SIXVEC_WRITE_GOLDEN"):
        file.write_text(text)
    assert text == file.read_text()
