"""Where the shapes of a model stand in the world."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.model import Model
from sixvec.spatial import Pose

Array = NDArray[np.float64]


def geom_poses(model: Model, q: Any) -> Array:
    """The poses (n, 4, 4) of all geoms at q, by plain products; joints that mimic others stay at zero."""
    X: dict[str | None, Pose] = {None: Pose.identity()}
    for b in model.bodies:
        at = q[model.q_slices[b.name]] if b in model.moving else b.joint.neutral()
        X[b.name] = X[b.parent] @ b.placement @ b.joint.pose([float(x) for x in at])
    frames = {f.name: X[f.body] @ f.placement for f in model.frames}
    made = [(frames[g.frame] @ g.placement).as_matrix() for g in model.geoms]
    return np.array(made, float).reshape(-1, 4, 4)
