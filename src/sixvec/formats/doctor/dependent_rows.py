"""Constraints of loops that follow from others: exactly, or up to the digits of the dimensions."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Finding, Findings, Severity
from sixvec.formats.doctor.open_loops import elements_of_loops
from sixvec.formats.node import Node
from sixvec.model import Model
from sixvec.quoting import quoted


def dependent_rows(model: Model, root: Node | None = None) -> Findings:
    """Rows that count as dependent, and rows that nearly are; their elements are sought under `root`."""
    from sixvec.mechanism.rank_notes import rank_notes

    if not model.closures:
        return
    nodes = elements_of_loops(root)
    for note in rank_notes(model):
        name = next((c.name for c in model.closures if f" {c.name}: " in note.rows[0]), model.closures[0].name)
        node = nodes.get(name)
        line, file = (None, "") if node is None else (node.line, node.file)
        severity = Severity.NOTE if note.is_dependent else Severity.WARNING
        if note.is_exact:
            advice = "the loop is overconstrained, as planar and spherical ones are: its redundant forces are zero"
        elif note.is_dependent:
            advice = "write the dimensions with more digits, or leave it: the mechanism moves as if they were exact"
        else:
            advice = "if the loop should move, correct its dimensions; otherwise leave it"
        yield Finding(severity, line, f'loop "{quoted(name)}"', str(note), advice, file)
