"""The compiled search for impulses along rows with a given Delassus matrix: sweeps, Newton's steps, a second start.

The problem is scaled before: mobilities are relative to their mean and velocities to the largest that impulses must
stop, so that tolerances and small numbers mean the same for a watch and for a crane.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.constraints.contacts.rounds import UNKNOWN, careful_round, sweep_round
from sixvec.constraints.contacts.row_terms import (
    BILATERAL,
    WIDTH,
    Kind,
    Matrix,
    blocks_of,
    joined_terms,
    law_of,
    mean_mobility,
    own_mobility_of,
    rates,
    row_misfit,
)
from sixvec.kernels import Iterated, Port, Stage
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, guard, where

LARGEST_SOLVED = 24
"""Rows up to which Newton's steps are compiled; code size grows with the cube of their number."""

FIRST_SWEEPS, MOST_SWEEPS = 3, 100
"""Sweeps before Newton's steps, and most sweeps with too many rows for these, where a few suffice unless heavy bodies
rest on light ones."""

MOST_NEWTON = 120
"""Rounds of Newton's method from each start: a few are usual, stacks need tens."""

STRICTER = 0.1
"""Searches end if a sweep changes velocities by less than this fraction of the accepted misfit."""

NEVER_ZERO = 1e-12
"""In m/s: smaller velocities are ignored."""


def impulse_stages(kinds: tuple[Kind, ...]) -> list[Stage]:
    """Stages of a step: (p, G, b, limits, tolerance) become (impulse, velocity, residual, most).

    `most` is the accepted misfit: the tolerance times the largest velocity that impulses must stop.
    """
    compiled = _Functions(kinds)
    constant: tuple[str, ...] = ("scaled_G", "laws", "own", "stricter")
    stages = [
        Stage(compiled.terms, ("p", "G", "b", "limits", "tolerance"),
              ("w", "start", "scaled_G", "scaled_b", "laws", "own", "stricter", "scale", "unknown", "whole")),
        Stage(compiled.sweeps, ("w", "start", "unknown", "w", "start", "w", "unknown", *constant),
              ("w_swept", "swept", "change", "w_before", "p_before", "w_change", "ahead")),
    ]  # fmt: skip
    ends = ["swept"] * 3
    if compiled.is_small:
        constant = ("scaled_b", *constant)
        stages += [
            Stage(compiled.rounds, ("swept", "change", "whole", *constant), ("found", "last", "share")),
            Stage(compiled.rounds, ("start", "last", "whole", *constant), ("again", "last_again", "share_again")),
        ]
        ends = ["found", "swept", "again"]
    finish = Stage(
        compiled.finish, (*ends, "G", "b", "limits", "tolerance", "scale"), ("impulse", "velocity", "residual", "most")
    )
    return [*stages, finish]


class _Functions:
    """The compiled functions of `impulse_stages`."""

    def __init__(self, kinds: tuple[Kind, ...]) -> None:
        self._kinds, self._blocks = kinds, blocks_of(kinds)
        m = self._m = sum(WIDTH[k] for k in kinds)
        self.is_small = m <= LARGEST_SOLVED
        laws, mobilities = (
            sum(sizes) for sizes in zip(*((b.numbers, b.mobilities) for b in self._blocks), strict=True)
        )
        self._ports = {
            name: Port(name, shape)
            for name, shape in {
                "p": (m,), "w": (m,), "start": (m,), "b": (m,), "scaled_b": (m,), "G": (m, m),
                "scaled_G": (m, m), "laws": (laws,), "own": (mobilities,), "limits": (len(kinds),), "tolerance": (),
                "stricter": (), "scale": (2,), "change": (), "unknown": (), "whole": (), "share": (), "go_on": (),
                "w_before": (m,), "p_before": (m,), "w_change": (m,), "ahead": (), "swept": (m,), "found": (m,),
                "again": (m,), "impulse": (m,), "velocity": (m,), "residual": (), "most": (),
            }.items()
        }  # fmt: skip
        self.terms = self._compiled(
            self._terms, "p G b limits tolerance",
            "w start scaled_G scaled_b laws own stricter scale unknown whole",
        )  # fmt: skip
        sweep = self._compiled(
            self._sweep, "w p change w_before p_before w_change ahead scaled_G laws own stricter",
            "w p change w_before p_before w_change ahead go_on",
        )  # fmt: skip
        self.sweeps = Iterated(sweep, FIRST_SWEEPS if self.is_small else MOST_SWEEPS, 7, until=True)
        if self.is_small:
            one = self._compiled(
                self._round, "p change share scaled_b scaled_G laws own stricter", "p change share go_on"
            )
            self.rounds = Iterated(one, MOST_NEWTON, 3, until=True)
        self.finish = self._compiled(
            self._finish, "found swept again G b limits tolerance scale", "impulse velocity residual most"
        )

    def _compiled(self, function: Any, inputs: str, outputs: str) -> CompiledFunction:
        starts, ends = (tuple(self._ports[name] for name in names.split()) for names in (inputs, outputs))
        made = CompiledFunction(function, starts, ends, f"impulses along rows {self._kinds} {function.__name__}")
        made.needs_double = True
        return made

    def _terms(self, p: Any, G: Any, b: Any, limits: Any, tolerance: Any) -> Any:
        scaled, b, start, limits, scale = scaled_problem(G, b, p, limits, self._kinds)
        of_blocks = list(zip(self._blocks, limits, strict=True))
        laws = [x for block, limit in of_blocks for x in law_of(scaled, block, limit)]
        mobilities = [x for block, limit in of_blocks for x in own_mobility_of(scaled, block, limit)]
        w, stricter = rates(scaled, b, start), STRICTER * tolerance
        return w, start, scaled, b, laws, mobilities, stricter, scale, UNKNOWN, 1.0

    def _joined(self, G: Any, laws: Any, own: Any) -> Any:
        parts = (_split(laws, [b.numbers for b in self._blocks]), _split(own, [b.mobilities for b in self._blocks]))
        return joined_terms(self._blocks, G, *parts)

    def _sweep(
        self, w: Any, p: Any, change: Any, w_before: Any, p_before: Any, w_change: Any, ahead: Any,
        G: Any, laws: Any, own: Any, tolerance: Any,
    ) -> Any:  # fmt: skip
        terms = self._joined(G, laws, own)
        state = sweep_round(terms, w, p, change, w_before, p_before, w_change, ahead, tolerance)
        return *state, state[2] - tolerance

    def _round(self, p: Any, change: Any, share: Any, b: Any, G: Any, laws: Any, own: Any, tolerance: Any) -> Any:
        terms, w = self._joined(G, laws, own), rates(G, b, p)
        p, change, share = careful_round(terms, w, p, b, change, share, tolerance)
        return p, change, share, change - tolerance

    def _finish(
        self, found: Any, swept: Any, again: Any, G: Any, b: Any, limits: Any, tolerance: Any, scale: Any
    ) -> Any:
        speed, size = scale
        p, most = [x * size for x in found], tolerance * speed
        residual, u = row_misfit(G, b, p, self._kinds, limits)
        for candidate in (swept, again) if self.is_small else ():
            other = [x * size for x in candidate]
            misfit, velocity = row_misfit(G, b, other, self._kinds, limits)
            misfit, velocity = guard(residual > most, [misfit, velocity], [residual, u])
            better = misfit < residual
            p, u = ([where(better, x, y) for x, y in zip(*lists, strict=True)] for lists in ((other, p), (velocity, u)))
            residual = where(better, misfit, residual)
        return p, u, residual, most


def scaled_problem(
    G: Matrix, b: Sequence[Scalar], p: Sequence[Scalar], limits: Sequence[Scalar], kinds: Sequence[Kind]
) -> tuple[list[list[Scalar]], list[Scalar], list[Scalar], list[Scalar], tuple[Scalar, Scalar]]:
    """G, b, p and limits without units, and the units of velocities and of impulses."""
    mobility, speed = mean_mobility(G), largest_demand(b, kinds)
    slower, less, size = 1.0 / speed, 1.0 / mobility, mobility / speed
    bounds = [x * size if k in BILATERAL else x for x, k in zip(limits, kinds, strict=True)]
    scaled = [[x * less for x in row] for row in G]
    return scaled, [x * slower for x in b], [x * size for x in p], bounds, (speed, speed * less)


def _split(x: Sequence[Any], sizes: Sequence[int]) -> list[list[Any]]:
    parts, start = [], 0
    for size in sizes:
        parts.append(list(x[start : start + size]))
        start += size
    return parts


def largest_demand(b: Sequence[Scalar], kinds: Sequence[Kind]) -> Scalar:
    """The largest velocity that impulses must stop, the scale for small values; separating contacts do not count.

    >>> largest_demand([100.0, 2.0, 0.0, -3.0], ("contact", "stop"))
    3.0
    """
    largest: Scalar = NEVER_ZERO
    at = 0
    for kind in kinds:
        for k in range(WIDTH[kind]):
            x = b[at + k]
            size = where(x < 0.0, -x, x if k or kind in BILATERAL else 0.0)
            largest = where(size > largest, size, largest)
        at += WIDTH[kind]
    return largest
