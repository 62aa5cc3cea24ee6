"""What the dimensions of a mechanism say about its constraints, as text: which rows depend on others, how nearly."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from sixvec.errors import level_of_user
from sixvec.mechanism.row_rank import loop_rank
from sixvec.model.model import Model
from sixvec.tolerances import ROUNDING


class RoundedLoop(UserWarning):
    """Constraints of a loop are dependent, or nearly so, but not exactly: its dimensions are rounded, or wrong."""


@dataclass(frozen=True)
class RankNote:
    """Rows of one mechanism that follow from others, or nearly do."""

    rows: tuple[str, ...]
    deviation: float
    """As a fraction of the size of the loop."""
    size: float
    """Metres."""
    is_dependent: bool
    """Whether the rows count as dependent; otherwise they are independent, but may not be meant to be."""

    @property
    def is_exact(self) -> bool:
        return self.deviation <= ROUNDING

    def __str__(self) -> str:
        rows = ", ".join(self.rows)
        verb = "follow" if len(self.rows) > 1 else "follows"
        if self.is_exact:
            return f"{rows}: {verb} from other rows"
        off = f"{self.deviation * self.size:.2g} m ({self.deviation:.1e} of the loop's size)"
        if self.is_dependent:
            return f"{rows}: {verb} from other rows up to {off}, and counts as dependent"
        return f"{rows}: {'are' if len(self.rows) > 1 else 'is'} independent of other rows by only {off}"


def rank_notes(model: Model) -> tuple[RankNote, ...]:
    """A note for each loop with dependent rows, and for each row that nearly is.

    >>> from sixvec.model.robots import BUILT_IN
    >>> print(*rank_notes(BUILT_IN["four_bar"]()))
    loop coupler_pin: turn about x, loop coupler_pin: turn about y, loop coupler_pin: z: follow from other rows
    """
    from sixvec.algorithms.constraint_terms import row_names

    rank, names = loop_rank(model), row_names(model)
    if not rank.is_known:
        return ()
    deviation = dict(zip(rank.dependent, rank.deviation, strict=True))
    of_loop: dict[str, list[int]] = {}
    for r in deviation:
        of_loop.setdefault(names[r].partition(": ")[0], []).append(r)
    notes = []
    for rows in of_loop.values():
        off, size = max((deviation[r], rank.size[r]) for r in rows)
        notes.append(RankNote(tuple(names[r] for r in rows), off, size, True))
    notes += [RankNote((names[r],), x, rank.size[r], False) for r, x in rank.weak]
    return tuple(notes)


def warn_of_rounded_loops(model: Model) -> None:
    """A warning that lists the rows of loops that are dependent up to rounding of dimensions, or nearly so."""
    notes = [str(note) for note in rank_notes(model) if not (note.is_dependent and note.is_exact)]
    if notes:
        warnings.warn(
            f"{model.name}: {'; '.join(notes)}.  The limit between the two is loop_tolerance, "
            f"{model.loop_tolerance:g}: robot.with_loop_tolerance changes it, sixvec.constraints.report lists the rows",
            RoundedLoop,
            stacklevel=level_of_user(),
        )
