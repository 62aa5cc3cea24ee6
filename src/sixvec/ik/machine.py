"""Where a search runs: the CPU, or a CUDA device (`on_device.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Machine:
    """An array library, a way to call compiled functions with its arrays, and how much to do in one call."""

    xp: Any
    run: Callable[[Any], Callable[..., Any]]
    """From a compiled function to a call with arrays of the library."""
    at_once: int
    """Problems times starts in one call: many starts at once where few problems are left; 0 for one start each."""
    compared: int
    """Problems compared with the table of starts at once."""
    ranked: int
    """Problems compared with the pool of starts at once."""
    few: int
    """Problems below which the table is compared in a loop: as one expression it takes three seconds to compile for six
    joints, longer than to compare so few.  Searches without limits always have few problems."""
    keeps_ends: bool
    """Whether ends of unsolved problems are stored, for the reason of the failure."""


CPU = Machine(np, lambda function: function.call, 0, compared=256, ranked=1, few=512, keeps_ends=True)
