"""Draws the picture of the page on constraints: `python docs/draw_constraints.py`."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

IMAGES = Path(__file__).parent / "images"
EXAMPLES = Path(__file__).parent.parent / "examples"


def four_bar_motor() -> Any:
    """A turn of a four-bar linkage, its speeds, and the torque of its motor."""
    example = runpy.run_path(str(EXAMPLES / "four_bar_motor.py"))
    robot, _, path, torque = example["turn"]()
    return example["plot"](robot, path, torque)


PICTURES = {"four_bar_motor": four_bar_motor}


def main() -> None:
    for name, draw in PICTURES.items():
        draw().savefig(IMAGES / f"{name}.png", dpi=90, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
