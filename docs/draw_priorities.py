"""Draws the picture of the page on priorities: `python docs/draw_priorities.py`."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

IMAGES = Path(__file__).parent / "algorithms/images"
EXAMPLES = Path(__file__).parent.parent / "examples"


def priorities_or_weights() -> Any:
    """How far hand and elbow of an arm are off, in order of importance and with equal weights."""
    example = runpy.run_path(str(EXAMPLES / "priorities_or_weights.py"))
    return example["plot"]({"priorities": example["draw"](()), "weights": example["draw"]((2,))})


PICTURES = {"priorities_or_weights": priorities_or_weights}


def main() -> None:
    for name, draw in PICTURES.items():
        draw().savefig(IMAGES / f"{name}.png", dpi=90, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
