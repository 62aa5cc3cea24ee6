"""Properties of a robot in a posture: kinematic maps, singular values, manipulability, mobility, workspace, accuracy.

NumPy on top of compiled kernels; arrays have leading batch axes as everywhere.  Norms of twists and of joint velocities
need a `Metric`, which relates radians to metres.
"""

from sixvec.analysis.accuracy import distance_accuracy, pose_accuracy
from sixvec.analysis.frame_inertia import frames_inertia_inverse
from sixvec.analysis.free_floating import GeneralisedJacobian, floating_velocity, generalised_jacobian
from sixvec.analysis.linearization import Linearization, linearize
from sixvec.analysis.load_capacity import LoadCapacity, load_capacity
from sixvec.analysis.manipulability import (
    dynamic_manipulability,
    force_manipulability,
    velocity_manipulability,
)
from sixvec.analysis.mobility import mobility
from sixvec.analysis.natural_frequencies import NaturalFrequencies, natural_frequencies
from sixvec.analysis.singularity import Singularity, rate_demand, singularity
from sixvec.analysis.stacked import graph_jacobian, point_jacobian, tree_jacobian
from sixvec.analysis.task_space import TaskSpaceDynamics, task_space_dynamics
from sixvec.analysis.workspace import Workspace, configuration, workspace
from sixvec.lazy import modules_on_demand
from sixvec.model.freedom_count import chebyshev, kutzbach

__all__ = [
    "GeneralisedJacobian", "Linearization", "LoadCapacity", "NaturalFrequencies", "Singularity", "TaskSpaceDynamics",
    "Workspace", "chebyshev", "configuration", "distance_accuracy", "dynamic_manipulability", "floating_velocity",
    "force_manipulability", "frames_inertia_inverse", "generalised_jacobian", "graph_jacobian", "kutzbach",
    "linearize", "load_capacity", "mobility", "natural_frequencies", "point_jacobian", "pose_accuracy", "rate_demand",
    "singularity", "task_space_dynamics", "tree_jacobian", "velocity_manipulability", "workspace",
]  # fmt: skip

__getattr__ = modules_on_demand(__name__, "verify")
