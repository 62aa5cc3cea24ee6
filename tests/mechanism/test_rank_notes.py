"""A note for each loop whose rows depend on others."""

from __future__ import annotations

from sixvec.mechanism.rank_notes import rank_notes
from sixvec.model import Model
from sixvec.model.edits import attach
from sixvec.model.robots import BUILT_IN


def two_linkages() -> Model:
    """A planar four-bar on the coupler of another."""
    bars = BUILT_IN["four_bar"]()
    return attach(bars, bars, bars.frames[-1].name, prefix="upper_")


def test_each_loop_has_its_own_note() -> None:
    notes = rank_notes(two_linkages())
    loops = [{row.partition(": ")[0] for row in note.rows} for note in notes]
    assert len(notes) == 2 and all(len(names) == 1 for names in loops) and loops[0] != loops[1]


def test_exact_planar_loops_have_three_dependent_rows_each() -> None:
    for note in rank_notes(two_linkages()):
        assert len(note.rows) == 3 and note.is_dependent and note.is_exact
