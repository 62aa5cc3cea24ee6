"""Links and trees for the tests of large trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from sixvec.large_trees import LargeTree
from sixvec.model import Body
from sixvec.model.joints import Free, Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

ROD = RigidInertia.from_center_of_mass(0.2, Vec3(0.05, 0.0, 0.0), Sym3.diagonal(2e-5, 2e-4, 2e-4))
PLACE = Pose.translation(Vec3(0.1, 0.0, 0.0))
LINKS = [
    Body(f"about_{axis}", joint=Revolute(axis), placement=PLACE, inertia=ROD)
    for axis in (Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
]
FLOATING = Body("floating", joint=Free(), inertia=ROD)

PARENTS: dict[str, Any] = {
    "chain": lambda i: i - 1,
    "star": lambda i: np.where(i == 0, -1, 0),
    "binary": lambda i: (i - 1) // 2,
}
"""The parent of body i in each shape of tree."""


def tree(shape: str, count: int) -> LargeTree:
    """Rods with crossed hinges."""
    i = np.arange(count)
    return LargeTree.from_links(LINKS, i % 2, PARENTS[shape](i))


def state(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Moderate angles, so that a long chain is neither straight nor a knot."""
    rng = np.random.default_rng(count)
    return rng.uniform(-0.5, 0.5, count), *rng.normal(size=(2, count))
