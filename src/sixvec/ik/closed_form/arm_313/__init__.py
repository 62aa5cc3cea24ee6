"""The 313 structure: spherical shoulder, elbow, spherical wrist; seven joints and a swivel.  Bruyninckx §7.3, §7.19.2.

Everything is written on scalars: call it with numbers, or compile it for batches with `sixvec.compiled`.
"""

from sixvec.ik.closed_form.arm_313.acceleration import forward_acceleration, inverse_acceleration
from sixvec.ik.closed_form.arm_313.force import forward_force, inverse_force, self_motion_load
from sixvec.ik.closed_form.arm_313.geometry import Arm313
from sixvec.ik.closed_form.arm_313.position import BRANCHES, forward_position, inverse_position, swivel
from sixvec.ik.closed_form.arm_313.singularity import singularity, volume
from sixvec.ik.closed_form.arm_313.velocity import forward_velocity, inverse_velocity, null_vector, swivel_rate

__all__ = [
    "BRANCHES", "Arm313", "forward_acceleration", "forward_force", "forward_position", "forward_velocity",
    "inverse_acceleration", "inverse_force", "inverse_position", "inverse_velocity", "null_vector", "self_motion_load",
    "singularity", "swivel", "swivel_rate", "volume",
]  # fmt: skip
