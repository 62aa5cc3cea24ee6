"""Redundancy: what to do with more joints than a task needs, and with fewer directions than it asks for.

>>> import sixvec
>>> from sixvec.redundancy import joint_springs, resolved_rates
>>> panda = sixvec.load("panda")
>>> q = panda.random(0)
>>> J = panda.jacobian(q, "panda_link8")
>>> v = resolved_rates(J, [0, 0, 0, 0.1, 0, 0], secondary=joint_springs(panda).descent(1.0, q))
>>> bool(abs(J @ v - [0, 0, 0, 0.1, 0, 0]).max() < 1e-12)  # the springs do not disturb the task
True
"""

from sixvec.analysis.direction import DIRECTIONS
from sixvec.redundancy.closed_loop import Tracking, closed_loop_rates, follow
from sixvec.redundancy.contact import (
    contact_rows,
    edge_edge,
    edge_face,
    face_face,
    kinetostatic_filter,
    vertex_face,
    wrench_matrix,
)
from sixvec.redundancy.criterion import Criterion, mean_over_time
from sixvec.redundancy.cyclicity import Drift, cyclicity_defect, drift, symbolic_cyclicity
from sixvec.redundancy.damping import (
    adaptive_inverse,
    chiaverini_damping,
    damped_inverse,
    damped_least_squares,
    levenberg_marquardt_damping,
    nakamura_damping,
)
from sixvec.redundancy.decomposition import pseudo_inverse
from sixvec.redundancy.extended_jacobian import extended_inverse, extended_jacobian, optimality_rows
from sixvec.redundancy.gap import Gap, LoopGap, PoseGap, pose_error
from sixvec.redundancy.generalised_inverse import resolved_rates, task_inertia, task_projector, weighted_inverse
from sixvec.redundancy.limited_rates import LimitedRates, rates_within_limits
from sixvec.redundancy.limits import VelocityBounds, velocity_bounds
from sixvec.redundancy.motion_criteria import (
    bounded_passage,
    kinetic_energy_cost,
    motor_current,
    motor_strength,
    rms_motor_current,
    task_error,
)
from sixvec.redundancy.null_space import null_space_basis, null_space_projector
from sixvec.redundancy.position_criteria import (
    Sphere,
    joint_springs,
    manipulability,
    obstacle_avoidance,
    rest_torque,
    singularity_distance,
)
from sixvec.redundancy.priority import PrioritisedRates, Task, prioritised_rates
from sixvec.redundancy.solver_mode import CONTROL, SIMULATION, Closed, SolverMode, close_gaps, rates
from sixvec.redundancy.task import Redundancy, redundancy, task_jacobian

__all__ = [
    "CONTROL",
    "DIRECTIONS",
    "SIMULATION",
    "Closed",
    "Criterion",
    "Drift",
    "Gap",
    "LimitedRates",
    "LoopGap",
    "PoseGap",
    "PrioritisedRates",
    "Redundancy",
    "SolverMode",
    "Sphere",
    "Task",
    "Tracking",
    "VelocityBounds",
    "adaptive_inverse",
    "bounded_passage",
    "chiaverini_damping",
    "close_gaps",
    "closed_loop_rates",
    "contact_rows",
    "cyclicity_defect",
    "damped_inverse",
    "damped_least_squares",
    "drift",
    "edge_edge",
    "edge_face",
    "extended_inverse",
    "extended_jacobian",
    "face_face",
    "follow",
    "joint_springs",
    "kinetic_energy_cost",
    "kinetostatic_filter",
    "levenberg_marquardt_damping",
    "manipulability",
    "mean_over_time",
    "motor_current",
    "motor_strength",
    "nakamura_damping",
    "null_space_basis",
    "null_space_projector",
    "obstacle_avoidance",
    "optimality_rows",
    "pose_error",
    "prioritised_rates",
    "pseudo_inverse",
    "rates",
    "rates_within_limits",
    "redundancy",
    "resolved_rates",
    "rest_torque",
    "rms_motor_current",
    "singularity_distance",
    "symbolic_cyclicity",
    "task_error",
    "task_inertia",
    "task_jacobian",
    "task_projector",
    "velocity_bounds",
    "vertex_face",
    "weighted_inverse",
    "wrench_matrix",
]
