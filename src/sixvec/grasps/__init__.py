"""Several hands on one object: grasps, their closure, and the motion of arms and object together."""

from typing import TYPE_CHECKING

from sixvec.border.misspelt import listed
from sixvec.grasps.carriers import Arm, Carriers
from sixvec.grasps.closure import force_closure, form_closure
from sixvec.grasps.grasp import Grasp, grasp_matrix, internal_forces, internal_part

__all__ = [
    "Arm", "Carriers", "Grasp", "force_closure", "form_closure", "grasp_matrix", "internal_forces", "internal_part",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = listed(__name__, __all__)
