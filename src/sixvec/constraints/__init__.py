"""What restricts motion: twist and wrench spaces, loops, `contacts`, `grasps`, and the motion that remains."""

from sixvec.lazy import on_demand

# Type checkers read __init__.pyi; a test compares the two.
__all__, __getattr__, __dir__ = on_demand(
    __name__,
    {
        "constraint": "KinematicConstraint TwistSpace WrenchSpace",
        "contacts": "",
        "contacts.one_sided": "one_sided_dynamics",
        "contacts.unilateral": "JointLimit UnilateralConstraint push",
        "contacts.wrench_spaces": "contact_rows edge_edge edge_face face_face kinetostatic_filter vertex_face "
        "wrench_matrix",
        "grasps": "",
        "holonomy": "Holonomy is_holonomic symbolic_holonomy",
        "independent": "independent_dynamics",
        "least_constraint": "constrained_body gauss_measure gauss_measure_of_body least_constraint virtual_work",
        "loops": "active_jacobian assembled velocity_map",
        "numeric_holonomy": "numeric_holonomy",
        "pfaffian": "PfaffianConstraint stacked",
        "priorities": "limited_accelerations",
        "reciprocal": "constraint_of_joint constraint_of_twists constraint_of_wrenches",
        "report": "report",
    },
)
