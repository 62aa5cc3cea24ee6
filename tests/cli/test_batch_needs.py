"""`sixvec batch` without its packages says what to install."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_what_is_missing_is_named(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    for name in ("zarr",):
        text = f"raise ModuleNotFoundError('No module named {name}', name='{name}')\n"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    command = ("batch", "double_pendulum", "mass_matrix", "a.zarr", "b.zarr")
    done = sixvec(*command, env=os.environ | {"PYTHONPATH": path})
    assert done.returncode == 5, done.stderr
    assert "need zarr: " in done.stderr and "[cluster]'" in done.stderr
