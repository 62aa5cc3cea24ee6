"""Draws the picture of the page on timing: `python docs/draw_timing.py`."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

IMAGES = Path(__file__).parent / "images"
EXAMPLES = Path(__file__).parent.parent / "examples"


def timing() -> Any:
    """Phase planes and torques of an arm with a heavy load, with limits of speed alone and with those of torque."""
    example = runpy.run_path(str(EXAMPLES / "heavy_payload.py"))
    return example["plot"](example["motions"](example["carrying"](example["LOAD"])))


PICTURES = {"timing": timing}


def main() -> None:
    for name, draw in PICTURES.items():
        draw().savefig(IMAGES / f"{name}.png", dpi=60, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
