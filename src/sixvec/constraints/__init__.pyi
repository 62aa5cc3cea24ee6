"""What restricts motion: twist and wrench spaces, loops, `contacts`, `grasps`, and the motion that remains."""

from sixvec.constraints import contacts as contacts
from sixvec.constraints import grasps as grasps
from sixvec.constraints.constraint import KinematicConstraint, TwistSpace, WrenchSpace
from sixvec.constraints.contacts.one_sided import one_sided_dynamics
from sixvec.constraints.contacts.unilateral import JointLimit, UnilateralConstraint, push
from sixvec.constraints.contacts.wrench_spaces import (
    contact_rows,
    edge_edge,
    edge_face,
    face_face,
    kinetostatic_filter,
    vertex_face,
    wrench_matrix,
)
from sixvec.constraints.holonomy import Holonomy, is_holonomic, symbolic_holonomy
from sixvec.constraints.independent import independent_dynamics
from sixvec.constraints.least_constraint import (
    constrained_body,
    gauss_measure,
    gauss_measure_of_body,
    least_constraint,
    virtual_work,
)
from sixvec.constraints.loops import active_jacobian, assembled, velocity_map
from sixvec.constraints.numeric_holonomy import numeric_holonomy
from sixvec.constraints.pfaffian import PfaffianConstraint, stacked
from sixvec.constraints.priorities import limited_accelerations
from sixvec.constraints.reciprocal import constraint_of_joint, constraint_of_twists, constraint_of_wrenches
from sixvec.constraints.report import report

__all__ = [
    "Holonomy", "JointLimit", "KinematicConstraint", "PfaffianConstraint", "TwistSpace", "UnilateralConstraint",
    "WrenchSpace", "active_jacobian", "assembled", "constrained_body", "constraint_of_joint",
    "constraint_of_twists", "constraint_of_wrenches", "contact_rows", "edge_edge", "edge_face", "face_face",
    "gauss_measure", "gauss_measure_of_body", "independent_dynamics", "is_holonomic", "kinetostatic_filter",
    "least_constraint", "limited_accelerations", "numeric_holonomy", "one_sided_dynamics", "push", "report",
    "stacked", "symbolic_holonomy", "velocity_map", "vertex_face", "virtual_work", "wrench_matrix",
]  # fmt: skip
