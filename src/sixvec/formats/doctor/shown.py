"""Where the bodies of a loaded robot are when all joints are neutral."""

from __future__ import annotations

from sixvec.model import Model
from sixvec.spatial import Pose, Vec3


def shown_origins(model: Model | None) -> dict[str, Vec3]:
    """The origin of each frame by its name; nothing where the file could not be loaded.

    >>> from sixvec.robots import BUILT_IN
    >>> [*shown_origins(BUILT_IN["planar_2r"]())][:1]
    ['base']
    """
    if model is None:
        return {}
    X: dict[str | None, Pose] = {None: Pose.identity()}
    for b in model.bodies:
        X[b.name] = X[b.parent] @ b.placement
    return {name: pose.pos for name, pose in X.items() if name} | {
        f.name: (X[f.body] @ f.placement).pos for f in model.frames
    }
