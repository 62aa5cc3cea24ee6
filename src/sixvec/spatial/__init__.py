"""6-D (spatial) vector algebra over any scalar: floats, arrays, traced nodes, SymPy symbols, JAX tracers.

Order is angular first: motion (ω; v), force (moment; force).  See docs/notation.md.
"""

from typing import TYPE_CHECKING

from sixvec.lazy import modules_on_demand
from sixvec.spatial import six_matrix, so3
from sixvec.spatial.acceleration import AccelerationField
from sixvec.spatial.articulated import ArticulatedInertia
from sixvec.spatial.coriolis import CoriolisForm
from sixvec.spatial.force import Force
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.matrix import Mat3, Sym3
from sixvec.spatial.motion import Motion
from sixvec.spatial.pose import FactoredPose, Pose
from sixvec.spatial.quaternion import Quaternion
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.six_matrix import SixMatrix
from sixvec.spatial.tagged import Tagged, TaggedPose
from sixvec.spatial.unit_system import UnitSystem
from sixvec.spatial.vector import Vec3

__all__ = [
    "AccelerationField", "ArticulatedInertia", "CoriolisForm", "FactoredPose", "Force", "Mat3", "Motion",
    "PlaneRotation", "Pose", "Quaternion", "RigidInertia", "Rotation", "SixMatrix", "Sym3", "Tagged", "TaggedPose",
    "UnitSystem", "Vec3", "six_matrix", "so3",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = modules_on_demand(__name__)
