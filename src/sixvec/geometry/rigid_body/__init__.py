"""The single rigid body: its displacements, twists and wrenches, its inertia, and its equations of motion."""

from sixvec.lazy import on_demand

# Type checkers read __init__.pyi; a test holds the two against each other.
__all__, __getattr__, __dir__ = on_demand(
    __name__,
    {
        "acceleration_kinds": "acceleration_in_kind body_fixed_rate jacobian_rate",
        "consistency": "central_second_moments inconsistencies inertia_of_pseudo_inertia is_physical margin "
        "pseudo_inertia",
        "displacement": "FiniteDisplacement InfinitesimalDisplacement ScrewDisplacement SecondKindCoordinates "
        "chasles commutator commute",
        "impedance": "Admittance Impedance",
        "instantaneous": "SecondOrderScrewAxis acceleration_center acceleration_pole fixed_axode moving_axode "
        "screw_axis",
        "mesh_inertia": "mesh_inertia shell_inertia tetrahedron_inertia",
        "newton_euler": "bias_force euler_acceleration euler_moment free_acceleration newton_euler "
        "newton_euler_material unloaded",
        "norms": "invariance length_weight weighted_inner weighted_norm",
        "particles": "ball_region box_region cylinder_region gauss_legendre inertia_of_density inertia_of_particles",
        "point_mass": "MovingFrame PointMass PointMotion fictitious_forces newton newton_variable_mass",
        "principal": "principal_axes principal_frame",
        "solids": "Box Capsule Cone ConicalShell Cylinder Ellipsoid Hemisphere HollowCylinder HollowSphere "
        "Solid Sphere Torus uniform",
        "stiffness": "Accommodation Compliance Damping Mobility Stiffness",
        "twist": "CentralAxis invariants pose_rate twist_of_pose_rate",
        "units": "unit_registry",
        "wrench": "are_reciprocal poinsot reciprocal_twists reciprocal_wrenches resultant",
    },
)
