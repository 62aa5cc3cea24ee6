"""The constraint rows of a time step: loops, wheels that roll, and frames that are held, perhaps for a while."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sixvec.algorithms.closure_error import closure_error
from sixvec.algorithms.constraint_terms import constraint_bias, constraint_jacobian
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.parts.constrained_motion import Acting, Softness, least_motion, reached
from sixvec.mechanism.row_rank import RowRank, row_rank
from sixvec.model import Model
from sixvec.model.held_frame import Held
from sixvec.model.spanning_tree import spanning_tree
from sixvec.scalar import Scalar, where
from sixvec.sim.held_places import place_errors, placed
from sixvec.spatial import Pose

Rows = list[list[Any]]

CONFLICT = 1e-6
"""Accelerations of driven joints that are missed by more, as a fraction, conflict with held frames."""


@dataclass(frozen=True)
class StepRows:
    """The rows of the closures of a model, then those of `hold`; `driven` coordinates of v are not changed by any.

    `on` has 1 for each entry of `hold` that acts and 0 for the others; None: all act.  `places` are the poses in which
    frames are held.  Rows that are off vanish: their forces are zero, and which are on may differ between samples.
    """

    model: Model
    hold: tuple[Held, ...] = ()
    driven: tuple[int, ...] = ()
    on: tuple[Scalar, ...] | None = None
    places: tuple[Pose | None, ...] = ()

    @cached_property
    def rank(self) -> RowRank:
        return row_rank(self.model, self.hold, self.driven, changing=self.on is not None)

    @cached_property
    def placed(self) -> tuple[Held, ...]:
        """Of each entry of `hold` that has a place, the directions that keep it."""
        return placed([h for h, X in zip(self.hold, self.places, strict=False) if X is not None])

    @property
    def keep_positions(self) -> bool:
        """Whether some rows are conditions on positions."""
        return bool(self.model.closures or self.placed)

    @cached_property
    def position_rank(self) -> RowRank:
        """Of the rows that are conditions on positions."""
        return row_rank(self.model, self.placed, self.driven, changing=self.on is not None)

    def with_masses_of(self, model: Model) -> StepRows:
        """The same rows of a robot with other masses, perhaps symbols: ranks do not depend on them."""
        rows = replace(self, model=model)
        rows.__dict__.update(rank=self.rank, position_rank=self.position_rank)
        return rows

    @property
    def units(self) -> Rows:
        """A row for each driven coordinate."""
        return [[float(i == k) for i in range(self.model.nv)] for k in self.driven]

    def jacobian(self, q: Sequence[Scalar]) -> Rows:
        """The used rows, and those of driven coordinates."""
        A = constraint_jacobian(self.model, JointVector(q, self.model.q_slices), hold=self.hold)
        factors = self._factors(self.hold, self.on)
        return [*self.rank.of_used([_times(row, s) for row, s in zip(A, factors, strict=True)]), *self.units]

    def bias(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """Of the used rows."""
        state = JointVector(q, self.model.q_slices), JointVector(v, self.model.v_slices)
        gamma = constraint_bias(self.model, *state, hold=self.hold)
        return self.rank.of_used([g * s for g, s in zip(gamma, self._factors(self.hold, self.on), strict=True)])

    def position_rows(self, q: Sequence[Scalar]) -> Rows:
        """The used rows of loops and places, and those of driven coordinates."""
        A = constraint_jacobian(self.model, JointVector(q, self.model.q_slices), hold=self.placed)
        factors = self._factors(self.placed, self._placed_on)
        return [*self.position_rank.of_used([_times(row, s) for row, s in zip(A, factors, strict=True)]), *self.units]

    def errors(self, q: Sequence[Scalar]) -> list[Scalar]:
        """The errors of the used rows of loops and places."""
        return self.position_rank.of_used([*closure_error(self.model, JointVector(q, self.model.q_slices)),
                                           *self._place_errors(q)])  # fmt: skip

    def gap(self, q: Sequence[Scalar]) -> list[Scalar]:
        """How far held frames are from their places along each direction, as fractions of the size of the robot."""
        rank, first = row_rank(self.model, self.placed), sum(c.constraints for c in self.model.closures)
        size = np.array(rank.scale[first:]) / np.array(rank.size[first:])
        return [e * float(s) for e, s in zip(self._place_errors(q), size, strict=True)]

    def motion(
        self,
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        force: Sequence[Scalar],
        wanted: Sequence[Scalar],
        acting: Acting,
        dt: Scalar,
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Accelerations, and the forces of driven coordinates besides `force`, if those accelerate as `wanted`.

        Both are NaN where held frames do not allow that.
        """
        state = JointVector(q, self.model.q_slices), JointVector(v, self.model.v_slices)
        bias = inverse_dynamics(spanning_tree(self.model), *state, [0.0] * self.model.nv, **acting._asdict())
        free = [t - h for t, h in zip(force, bias, strict=True)]
        targets = [*(-g for g in self.bias(q, v)), *wanted]
        near = Softness(reach=reached(self.rank, v, dt))
        a, along = least_motion(self.model, state[0], free, self.jacobian(q), targets, self.rank, near)
        conflict: Scalar = 0.0
        for i, x in zip(self.driven, wanted, strict=True):
            conflict = where(abs(a[i] - x) > CONFLICT * (1.0 + abs(x)), math.nan, conflict)
        return [x + conflict for x in a], [x + conflict for x in along[len(along) - len(self.driven) :]]

    def stopped(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """The velocities after an impact that satisfies all rows: v + M⁻¹ Aᵀ p, the nearest in the metric of M."""
        A = self.jacobian(q)
        rates = [-sum(x * y for x, y in zip(row, v, strict=True)) for row in A[: len(A) - len(self.driven)]]
        at, still = JointVector(q, self.model.q_slices), [0.0] * len(self.driven)
        change, _ = least_motion(self.model, at, [0.0] * self.model.nv, A, [*rates, *still], self.rank)
        return [x + y for x, y in zip(v, change, strict=True)]

    @property
    def _placed_on(self) -> tuple[Scalar, ...] | None:
        if self.on is None:
            return None
        return tuple(s for s, X in zip(self.on, self.places, strict=True) if X is not None)

    def _place_errors(self, q: Sequence[Scalar]) -> list[Scalar]:
        places = [X for X in self.places if X is not None]
        found = [e for h, X in zip(self.placed, places, strict=True) for e in place_errors(self.model, q, h, X)]
        if self.on is None:
            return found
        closures = sum(c.constraints for c in self.model.closures)
        return [e * s for e, s in zip(found, self._factors(self.placed, self._placed_on)[closures:], strict=True)]

    def _factors(self, hold: Sequence[Held], on: Sequence[Scalar] | None) -> list[Scalar]:
        """The factor of every row: 1 for those of closures."""
        each: Sequence[Scalar] = [1.0] * len(hold) if on is None else on
        closures: list[Scalar] = [1.0] * sum(c.constraints for c in self.model.closures)
        return [*closures, *(s for h, s in zip(hold, each, strict=True) for _ in h.directions)]


def _times(row: Sequence[Any], factor: Scalar) -> list[Any]:
    return [x * factor for x in row]
