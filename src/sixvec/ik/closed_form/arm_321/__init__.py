"""The 321 structure: a wrist of three axes, two parallel axes, one at the base.  Bruyninckx, chapter 7.

Everything is written on scalars: call it with numbers, or compile it for batches with `sixvec.compiled`.
"""

from sixvec.ik.closed_form.arm_321.acceleration import forward_acceleration, inverse_acceleration
from sixvec.ik.closed_form.arm_321.force import dual_wrench_basis, forward_force, inverse_force
from sixvec.ik.closed_form.arm_321.geometry import Arm321
from sixvec.ik.closed_form.arm_321.placed import placed
from sixvec.ik.closed_form.arm_321.position import BRANCHES, forward_position, inverse_position
from sixvec.ik.closed_form.arm_321.singularity import singularity
from sixvec.ik.closed_form.arm_321.velocity import WristJacobian, forward_velocity, inverse_velocity

__all__ = [
    "BRANCHES", "Arm321", "WristJacobian", "dual_wrench_basis", "forward_acceleration", "forward_force",
    "forward_position", "forward_velocity", "inverse_acceleration", "inverse_force", "inverse_position",
    "inverse_velocity", "placed", "singularity",
]  # fmt: skip
