"""The model of a robot: bodies, joints, frames; immutable data.  Its connectivity: `topology`, `families`."""

from sixvec.lazy import modules_on_demand
from sixvec.model import topology
from sixvec.model.actuator import (
    Activation,
    Actuator,
    FrameTransmission,
    JointTransmission,
    Muscle,
    TendonTransmission,
)
from sixvec.model.body import WORLD, Body, Frame, JointDynamics, Limits, Mimic, SoftLimit
from sixvec.model.closure import AnyClosure, Closure, Differential, Gear, JointLaw
from sixvec.model.contact_rules import CollisionPair, ContactPair, ContactRules, collision_pairs
from sixvec.model.family import families
from sixvec.model.geom import Geom, HalfSpace, Material, Mesh, Polyhedron
from sixvec.model.keyframe import Keyframe, KeyframeState
from sixvec.model.model import STANDARD_GRAVITY, Model
from sixvec.model.passive import BodySpring, FrictionLaw
from sixvec.model.simulation_options import SimulationOptions
from sixvec.model.surface import ContactParameters, Surface
from sixvec.model.tendon import FixedTendon, Pulley, SpatialTendon, TendonForces, ViaPoint, Wrap

__all__ = [
    "STANDARD_GRAVITY", "WORLD", "Activation", "Actuator", "AnyClosure", "Body", "BodySpring", "Closure",
    "CollisionPair", "ContactPair", "ContactParameters", "ContactRules", "Differential", "FixedTendon", "Frame",
    "FrameTransmission", "FrictionLaw", "Gear", "Geom", "HalfSpace", "JointDynamics", "JointLaw",
    "JointTransmission", "Keyframe", "KeyframeState", "Limits", "Material", "Mesh", "Mimic", "Model", "Muscle",
    "Polyhedron", "Pulley", "SimulationOptions", "SoftLimit", "SpatialTendon", "Surface", "TendonForces",
    "TendonTransmission", "ViaPoint", "Wrap", "collision_pairs", "families", "topology",
]  # fmt: skip

__getattr__ = modules_on_demand(
    __name__, "actuation", "edits", "joints", "loop_cutting", "motor", "muscle_law", "robots"
)
