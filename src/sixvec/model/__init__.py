"""The model of a robot: bodies, joints, frames; immutable data.  Its connectivity: `topology`, `families`."""

from sixvec.lazy import modules_on_demand
from sixvec.model import topology
from sixvec.model.body import WORLD, Body, Frame, JointDynamics, Limits, Mimic
from sixvec.model.closure import AnyClosure, Closure, Differential, Gear, JointLaw
from sixvec.model.family import families
from sixvec.model.geom import Geom, HalfSpace, Material, Mesh, Polyhedron
from sixvec.model.model import STANDARD_GRAVITY, Model
from sixvec.model.passive import BodySpring, FrictionLaw

__all__ = [
    "STANDARD_GRAVITY", "WORLD", "AnyClosure", "Body", "BodySpring", "Closure", "Differential", "Frame", "FrictionLaw",
    "Gear", "Geom", "HalfSpace", "JointDynamics", "JointLaw", "Limits", "Material", "Mesh", "Mimic", "Model",
    "Polyhedron", "families", "topology",
]  # fmt: skip

__getattr__ = modules_on_demand(__name__, "actuation", "edits", "loop_cutting", "motor")
