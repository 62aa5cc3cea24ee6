"""Which velocity coordinates move each body."""

from __future__ import annotations

from sixvec.model import WORLD, Model
from sixvec.model.coupling import coupling, is_coupled


def supports(model: Model) -> dict[str, tuple[int, ...]]:
    """For each body whose joint moves, the coordinates of the joints on its path κ(i), ascending.

    A joint that mimics another moves its body with the coordinates of its leader.

    >>> import sixvec
    >>> supports(sixvec.load("planar_2r").model)
    {'link1': (0,), 'link2': (0, 1)}
    """
    free, leaders = model, list(range(model.nv))
    if is_coupled(model):
        c = coupling(model)
        free, leaders = c.free, [i for i, _, _ in c.v]
    found: dict[str | None, frozenset[int]] = {WORLD: frozenset()}
    for b in free.bodies:  # root to tips
        found[b.name] = found[b.parent].union(leaders[free.v_slices[b.name]])
    return {b.name: tuple(sorted(found[b.name])) for b in free.bodies if b.joint.nv}
