"""Draws the pictures of the page on contacts and grasps: `python docs/draw_contacts.py`."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np

IMAGES = Path(__file__).parent / "images"
EXAMPLES = Path(__file__).parent.parent / "examples"


def stick_and_slip() -> Any:
    """Accelerations and paths of a block on inclines."""
    example = runpy.run_path(str(EXAMPLES / "stick_and_slip.py"))
    angles = np.linspace(0.0, 1.0, 101)
    return example["plot"](angles, example["slide"](angles))


def two_arms() -> Any:
    """Forces of two hands that carry a box, pressed gently and firmly."""
    example = runpy.run_path(str(EXAMPLES / "two_arms_carry_a_box.py"))
    return example["plot"]({squeeze: example["lift"](squeeze) for squeeze in (12.0, 40.0)})


def quadruped_jump() -> Any:
    """A quadruped that stands up and jumps."""
    example = runpy.run_path(str(EXAMPLES / "quadruped_jump.py"))
    return example["plot"](*example["jump"]())


PICTURES = {"stick_and_slip": stick_and_slip, "quadruped_jump": quadruped_jump, "two_arms": two_arms}


def main() -> None:
    for name, draw in PICTURES.items():
        draw().savefig(IMAGES / f"{name}.png", dpi=90, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
