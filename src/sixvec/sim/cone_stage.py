"""The stage of a time step that solves what Newton's method did not: rounds of a convex method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixvec.constraints.contacts.cone_step import ConeState, cone_step
from sixvec.kernels import Port
from sixvec.scalar import guard, where

MOST_CONES = 300
"""Rounds, for samples that are not solved then."""

CONES = (
    ("free", "none", "unshifted", "whole", "w_found", "found", "last", "free"),
    ("w_last", "p_last", "shift", "softness", "w_best", "best", "least"),
)
"""The names of where the rounds begin, from no impulses, and of their results."""


def cone_stage(
    blocks: Sequence[Any], order: Sequence[int], joined: Callable[..., Any], ports: dict[str, Port]
) -> tuple[Callable[..., Any], tuple[Port, ...], tuple[Port, ...]]:
    """A round as a function, its state, and its inputs; `joined` makes the terms of `blocks` of three arrays."""

    def contact_cones(
        w: Any, p: Any, shift: Any, softness: Any, best_w: Any, best_p: Any, least: Any,
        free: Any, z: Any, laws: Any, mobility: Any, tolerance: Any,
    ) -> Any:  # fmt: skip
        on = where(least > tolerance, 1.0, 0.0)
        state = ConeState(list(w), list(p), list(shift), softness, list(best_w), list(best_p), least)
        new = guard(on > 0.5, list(cone_step(joined(blocks, z, laws, mobility), free, state, order)), list(state))
        return *new, new[-1] - tolerance

    shift = Port("shift", (len(blocks),))
    state = (ports["free"], ports["none"], shift, ports["whole"], ports["w_found"], ports["found"], ports["last"])
    inputs = (*state, Port("w_free", ports["free"].shape), *(ports[k] for k in ("z", "laws", "own", "tolerance")))
    return contact_cones, state, inputs
