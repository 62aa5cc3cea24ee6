"""The inertial parameters in which dynamics is linear, and the links that they belong to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from sixvec.algorithms.declaration import JointVector
from sixvec.model import Body, Frame, Model
from sixvec.model.canonical import canonical
from sixvec.model.contact_rules import ContactRules
from sixvec.spatial import RigidInertia, Sym3, Vec3

NAMES = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""Mass, first moment and rotational inertia about the body's origin: the order of the numbers of `RigidInertia`."""


def inertia_of(numbers: list[float]) -> RigidInertia:
    """The inertia with these ten numbers."""
    mass, x, y, z, *rot = numbers
    return RigidInertia(mass, Vec3(x, y, z), Sym3(*rot))


UNITS = tuple(inertia_of([float(i == k) for i in range(len(NAMES))]) for k in range(len(NAMES)))
"""One parameter 1 and the others 0.  A linear function of an inertia is determined by its values on these."""


@dataclass(frozen=True)
class Links:
    """A model's moving bodies, with their places in its canonical form.

    A link is a body whose joint moves, with all that is fixed to it: the bodies that motion can distinguish.  Its
    parameters are given in the frame of that body, whichever frames the canonical form uses.
    """

    model: Model
    """The canonical form."""
    frames: tuple[Frame, ...]
    """One for each link, in the order of the model's bodies: name, canonical body, pose in it."""

    def coordinates(self, *vectors: JointVector) -> list[JointVector]:
        """Positions, then velocities and accelerations, indexed by the bodies of the canonical form."""
        slices = [self.model.q_slices] + [self.model.v_slices] * (len(vectors) - 1)
        return [JointVector([*x], s) for x, s in zip(vectors, slices, strict=True)]


def moving_bodies(model: Model) -> tuple[Body, ...]:
    """The bodies with a joint that moves, those that mimic others included, in the model's order."""
    return tuple(b for b in model.bodies if b.joint.nv)


@lru_cache(maxsize=64)
def links(model: Model) -> Links:
    """The links of a model."""
    marks = tuple(Frame(b.name, b.name) for b in moving_bodies(model))
    if not marks:
        return Links(canonical(model), ())
    marked = canonical(replace(model, frames=marks, closures=(), rolling=(), geoms=(), contact=ContactRules()))
    return Links(marked, marked.frames)
