"""What a robot can do where it stands: kinematic maps, singular values, manipulability, mobility, workspace, accuracy.

NumPy on top of compiled kernels; arrays have leading batch axes as everywhere.  Sizes of twists and of joint velocities
need a `Metric`, which says how a radian compares with a metre.
"""

from sixvec.analysis.accuracy import PoseAccuracy, distance_accuracy, pose_accuracy
from sixvec.analysis.calibration import Calibration, UndeterminedCalibration, calibrate, parameter_jacobian
from sixvec.analysis.force_maps import DualBasis, ForwardForce, dual_wrench_basis, forward_force, inverse_force
from sixvec.analysis.hybrid import (
    HybridAcceleration,
    HybridForce,
    HybridVelocity,
    hybrid_acceleration,
    hybrid_force,
    hybrid_velocity,
)
from sixvec.analysis.hybrid_position import HybridPosition, hybrid_position
from sixvec.analysis.loops import active_jacobian, assembled, velocity_map
from sixvec.analysis.manipulability import (
    Ellipsoid,
    dynamic_manipulability,
    force_manipulability,
    velocity_manipulability,
)
from sixvec.analysis.maps import (
    InversePosition,
    forward_acceleration,
    forward_position,
    forward_velocity,
    inverse_acceleration,
    inverse_position,
    inverse_velocity,
)
from sixvec.analysis.metric import Metric
from sixvec.analysis.mobility import Mobility, chebyshev, kutzbach, mobility
from sixvec.analysis.singularity import Singularity, rate_demand, singularity
from sixvec.analysis.spectrum import Spectrum, spectrum
from sixvec.analysis.stacked import graph_jacobian, point_jacobian, tree_jacobian
from sixvec.analysis.workspace import Workspace, configuration, workspace

__all__ = [
    "Calibration",
    "DualBasis",
    "Ellipsoid",
    "ForwardForce",
    "HybridAcceleration",
    "HybridForce",
    "HybridPosition",
    "HybridVelocity",
    "InversePosition",
    "Metric",
    "Mobility",
    "PoseAccuracy",
    "Singularity",
    "Spectrum",
    "UndeterminedCalibration",
    "Workspace",
    "active_jacobian",
    "assembled",
    "calibrate",
    "chebyshev",
    "configuration",
    "distance_accuracy",
    "dual_wrench_basis",
    "dynamic_manipulability",
    "force_manipulability",
    "forward_acceleration",
    "forward_force",
    "forward_position",
    "forward_velocity",
    "graph_jacobian",
    "hybrid_acceleration",
    "hybrid_force",
    "hybrid_position",
    "hybrid_velocity",
    "inverse_acceleration",
    "inverse_force",
    "inverse_position",
    "inverse_velocity",
    "kutzbach",
    "mobility",
    "parameter_jacobian",
    "point_jacobian",
    "pose_accuracy",
    "rate_demand",
    "singularity",
    "spectrum",
    "tree_jacobian",
    "velocity_manipulability",
    "velocity_map",
    "workspace",
]
