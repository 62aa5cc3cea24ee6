"""Several hands on one object: grasps, their closure, and the motion of arms and object together."""

from typing import TYPE_CHECKING

from sixvec.arguments.misspelt import listed
from sixvec.constraints.grasps.carriers import Arm, Carriers
from sixvec.constraints.grasps.closure import force_closure, form_closure
from sixvec.constraints.grasps.grasp import Grasp, grasp_matrix, internal_forces, internal_part

__all__ = [
    "Arm", "Carriers", "Grasp", "force_closure", "form_closure", "grasp_matrix", "internal_forces", "internal_part",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = listed(__name__, __all__)
