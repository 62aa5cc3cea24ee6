"""Which contacts rebound: those that move faster than the forces of a step alone would press them together.

A contact at rest is pressed together in every step, by weight for example, and does not rebound.  How fast depends on
the forces along its own normal: a slow hit across the direction of gravity rebounds like a fast one.
"""

from __future__ import annotations

from typing import Any

from sixvec.scalar import where

RESTING = 2.0
"""Slower than this many times the velocity that the forces of a step give to a contact, it does not rebound."""


def rebounds(before: Any, after: Any) -> Any:
    """Whether a normal velocity is that of a hit, given what it becomes by the forces of the step alone.

    >>> rebounds(-0.01, -0.01), rebounds(-0.01, -0.02), rebounds(-0.03, -0.04)
    (True, False, True)
    """
    change = after - before
    return before < -RESTING * where(change < 0.0, -change, change)
