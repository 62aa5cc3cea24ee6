"""What the library promises, section by section."""

from __future__ import annotations

from kernels import NATIVE_BATCH, SINGLE
from result import Target

ACCURACY = Target(1e-10, "<=")
FLOAT32_ACCURACY = Target(1e-4, "<=")
IMPORT_SECONDS = Target(0.3, "<=")
WARM_SECONDS = Target(0.05, "<=")

COLD_SECONDS = {
    ("panda", "inverse_dynamics"): Target(0.5, "<="),
    ("talos", "forward_dynamics"): Target(5.0, "<="),
    ("talos", "inverse_dynamics_derivatives"): Target(15.0, "<="),
}

COUNTS = {
    "inverse_dynamics": {"mul": Target(529, "<="), "add": Target(442, "<=")},
    "forward_dynamics": {"mul": Target(961, "<="), "add": Target(774, "<="), "div": Target(6, "<=")},
}

IK_SOLVED_PERCENT = Target(99.5, ">=")
IK_PER_SECOND = Target(20_000, ">=")
IK_SPEED_UP = Target(20, ">=")
CLOSED_FORM_MICROSECONDS = Target(1.0, "<=")
CLOSED_FORM_SINGLE = Target(1.0, ">=")
ROLLOUT_SPEED_UP = Target(20, ">=")
CONTACT_SOLVE = Target(5, ">=")
CONTACT_ROLLOUT = Target(10, ">=")
SIMULATION = {
    "half_cheetah": (Target(10, ">="), Target(20, ">=")),
    "walker2d": (Target(10, ">="), Target(20, ">=")),
    "hopper": (Target(10, ">="), Target(20, ">=")),
    "ant": (Target(6, ">="), Target(12, ">=")),
    "humanoid": (Target(6, ">="), Target(12, ">=")),
    "solo12": (Target(15, ">="), Target(30, ">=")),
}
SIMULATION_SINGLE = Target(1, ">=")
"""Speed-ups of a step with contacts over MuJoCo, in double and in single precision."""

SELF_DISTANCE, DISTANCE_GRADIENT, CAPSULE_DISTANCE = Target(110, ">="), Target(90, ">="), Target(60, ">=")
CLEAR, CLEAR_ALONG_MOTIONS = (Target(140, ">="), Target(280, ">=")), (Target(220, ">="), Target(450, ">="))
SINGLE_DISTANCE, HULL_DISTANCE = Target(3, ">="), Target(10, ">=")
"""Speed-ups of distances over Pinocchio's computeDistances; those of booleans in double and in single precision."""
PROGRAM_ROWS, PROGRAM_BOX = Target(7, ">="), Target(14, ">=")
"""Speed-up over daqp, seven variables."""
TASK_STEP, TASK_HUMANOID = Target(200, ">="), Target(10, ">=")
"""Speed-ups over pink: whole steps, and a G1."""
TASK_REST, TASK_CLEARANCE, TASK_SINGLE = Target(9, ">="), Target(3, ">="), Target(1, ">=")
"""Speed-ups over placo: steps that come to rest, with ten rows of clearance that placo does not have, one call."""
PATH_TIMING, PATH_TORQUE, PATH_SINGLE = Target(100, ">="), Target(70, ">="), Target(20, ">=")
PATH_DURATION_SAME, PATH_DURATION, PATH_DURATION_HARD = Target(1e-5, "<="), Target(1.01, "<="), Target(1.035, "<=")
"""Durations relative to toppra's: their difference on the same grid, and their ratio on a finer one."""
REST_TO_REST = Target(4, ">=")
SHORTEST_PATHS = Target(8, ">=")
WHEEL_KINEMATICS = Target(20, ">=")
ODOMETRY_PER_SECOND = Target(100e6, ">=")
PARALLEL_MODES_SINGLE = Target(3000, "<=")
"""Microseconds; less than half of fkSGP's 6600."""
PARALLEL_MODES_BATCH = Target(2000, "<=")
PARALLEL_NEAR = Target(0.3, "<=")
PARALLEL_321 = Target(0.5, "<=")
PARALLEL_INVERSE = Target(0.02, "<=")
PARALLEL_DELTA = Target(0.03, "<=")
PARALLEL_DELTA_SPEED_UP = Target(1000, ">=")

FIRST_DERIVATIVES = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")


def batch_target(robot: str, kernel: str) -> Target:
    """Speed-up of a batch on one thread over Pinocchio's native batch, or over a loop where it has none."""
    arm = robot == "panda"
    if kernel in NATIVE_BATCH:
        return Target(25 if arm else 8, ">=")
    if kernel in FIRST_DERIVATIVES:
        return Target(10 if arm else 4, ">=")
    return Target(10, ">=")


def single_target(robot: str, kernel: str) -> Target | None:
    """Speed-up of a single call over the fastest peer."""
    if kernel not in SINGLE:
        return None
    if robot != "panda":
        return Target(1.3, ">=")
    return Target(1.5 if kernel == "pose" else 2, ">=")


def constraints_target(robot: str, single: bool) -> Target:
    """Speed-up of constrained dynamics over the faster of Pinocchio's two: quadruped, humanoids, loops."""
    if robot == "solo12":
        return Target(4 if single else 25, ">=")
    return Target(3 if single else 15, ">=")


def constraint_derivatives_target(nv: int) -> Target:
    """Speed-up of derivatives of accelerations and forces."""
    return Target(20 if nv >= 50 else 8, ">=")
