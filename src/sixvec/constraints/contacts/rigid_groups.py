"""Which shapes of a model move together, and which never move."""

from __future__ import annotations

from sixvec.model import WORLD, Geom, Model
from sixvec.spatial import Pose


class RigidGroups:
    """The groups of bodies that no joint separates, each named by the body whose joint moves it.

    >>> import sixvec
    >>> from sixvec.geometry.rigid_body import Sphere
    >>> groups = RigidGroups(sixvec.load("panda").model)
    >>> groups.of(Geom("panda_link8", Sphere(0.1))), groups.of(Geom("panda_link0", Sphere(0.1)))
    ('panda_link7', None)
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._mover: dict[str | None, str | None] = {None: WORLD}
        inner = set()
        for b in model.bodies:
            self._mover[b.name] = b.name if b.joint.nv else self._mover[b.parent]
            if b.joint.nv:
                inner.add(self._mover[b.parent])
        self._inner = inner

    def of(self, g: Geom) -> str | None:
        """The body whose joint moves a shape; WORLD if none does."""
        return self._mover[self._model.frame(g.frame).body] if g.frame else WORLD

    def is_last(self, g: Geom) -> bool:
        """Whether a joint moves a shape, and no joint comes after it."""
        mover = self.of(g)
        return mover is not WORLD and mover not in self._inner

    def in_world(self, g: Geom) -> Pose:
        """The pose of a shape that never moves."""
        if not g.frame:
            return g.placement
        frame = self._model.frame(g.frame)
        X = Pose.identity()
        for b in self._model.path(frame.body):
            X = X @ b.placement
        return X @ frame.placement @ g.placement
