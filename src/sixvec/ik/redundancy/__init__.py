"""Redundancy: robots with more joints than a task needs, and with fewer directions than it requires.

>>> import sixvec
>>> from sixvec.ik.redundancy import joint_springs, resolved_rates
>>> panda = sixvec.load("panda")
>>> q = panda.random(0)
>>> J = panda.jacobian(q, "panda_link8")
>>> v = resolved_rates(J, [0, 0, 0, 0.1, 0, 0], secondary=joint_springs(panda).descent(1.0, q))
>>> bool(abs(J @ v - [0, 0, 0, 0.1, 0, 0]).max() < 1e-12)  # the springs do not disturb the task
True
"""

from sixvec.ik.redundancy.closed_loop import closed_loop_rates, follow
from sixvec.ik.redundancy.criterion import Criterion, mean_over_time
from sixvec.ik.redundancy.cyclicity import Drift, cyclicity_defect, drift, symbolic_cyclicity
from sixvec.ik.redundancy.damping import (
    adaptive_inverse,
    chiaverini_damping,
    damped_inverse,
    damped_least_squares,
    levenberg_marquardt_damping,
    nakamura_damping,
)
from sixvec.ik.redundancy.extended_jacobian import extended_inverse, extended_jacobian, optimality_rows
from sixvec.ik.redundancy.gap import Gap
from sixvec.ik.redundancy.generalised_inverse import resolved_rates, task_inertia, task_projector, weighted_inverse
from sixvec.ik.redundancy.limited_rates import LimitedRates, rates_within_limits
from sixvec.ik.redundancy.limits import VelocityBounds, velocity_bounds
from sixvec.ik.redundancy.motion_criteria import (
    bounded_passage,
    kinetic_energy_cost,
    motor_current,
    motor_strength,
    rms_motor_current,
    task_error,
)
from sixvec.ik.redundancy.null_space import null_space_basis, null_space_projector
from sixvec.ik.redundancy.pose_error import pose_error
from sixvec.ik.redundancy.position_criteria import (
    Obstacle,
    joint_springs,
    manipulability,
    obstacle_avoidance,
    rest_torque,
    singularity_distance,
)
from sixvec.ik.redundancy.priority import RateTask, prioritised_rates
from sixvec.ik.redundancy.solver_mode import CONTROL, SIMULATION, Closed, SolverMode, close_gaps, rates
from sixvec.ik.redundancy.task import Redundancy, redundancy, task_jacobian
from sixvec.lazy import modules_on_demand
from sixvec.solve.direction import DIRECTIONS

__all__ = [
    "CONTROL", "DIRECTIONS", "SIMULATION", "Closed", "Criterion", "Drift", "Gap", "LimitedRates", "Obstacle",
    "RateTask", "Redundancy", "SolverMode", "VelocityBounds", "adaptive_inverse", "bounded_passage",
    "chiaverini_damping", "close_gaps", "closed_loop_rates", "cyclicity_defect", "damped_inverse",
    "damped_least_squares", "drift", "extended_inverse", "extended_jacobian", "follow", "joint_springs",
    "kinetic_energy_cost", "levenberg_marquardt_damping", "manipulability", "mean_over_time", "motor_current",
    "motor_strength", "nakamura_damping", "null_space_basis", "null_space_projector", "obstacle_avoidance",
    "optimality_rows", "pose_error", "prioritised_rates", "rates", "rates_within_limits", "redundancy",
    "resolved_rates", "rest_torque", "rms_motor_current", "singularity_distance", "symbolic_cyclicity", "task_error",
    "task_inertia", "task_jacobian", "task_projector", "velocity_bounds", "weighted_inverse",
]  # fmt: skip

__getattr__ = modules_on_demand(__name__)
