"""Two files of one robot may order its joints differently: the map between their coordinates."""

from __future__ import annotations

from sixvec.errors import ModelError
from sixvec.formats.mjcf.write_joint import part_names
from sixvec.model import Model


def places(first: Model, second: Model, slices: str) -> list[int]:
    """For each coordinate of the second model, its index in the first; `slices` is "q_slices" or "v_slices"."""
    there, here = coordinates(first, slices), coordinates(second, slices)
    if there.keys() != here.keys():
        only = ", ".join(sorted({joint for joint, _ in there.keys() ^ here.keys()}))
        raise ModelError(f"{first.name} and {second.name} do not have the same joints; only one of them has {only}")
    return [there[coordinate] for coordinate in sorted(here, key=here.__getitem__)]


def coordinates(model: Model, slices: str) -> dict[tuple[str, int], int]:
    """The index of each coordinate by its joint and its number in the joint.

    A joint that a format writes as several joints has the names of those, each with one coordinate.
    """
    place_of: dict[tuple[str, int], int] = {}
    for b in model.moving:
        places = range(*getattr(model, slices)[b.name].indices(model.nq))
        names = part_names(b)
        several = len(names) == b.joint.nv > 1
        for i, place in enumerate(places):
            place_of[(names[i], 0) if several else (b.joint_label, i)] = place
    return place_of
