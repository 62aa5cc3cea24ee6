"""The single rigid body: its displacements, twists and wrenches, its inertia, and its equations of motion."""

from sixvec.geometry.rigid_body.acceleration_kinds import acceleration_in_kind, body_fixed_rate, jacobian_rate
from sixvec.geometry.rigid_body.consistency import (
    central_second_moments,
    inconsistencies,
    inertia_of_pseudo_inertia,
    is_physical,
    margin,
    pseudo_inertia,
)
from sixvec.geometry.rigid_body.displacement import (
    FiniteDisplacement,
    InfinitesimalDisplacement,
    ScrewDisplacement,
    SecondKindCoordinates,
    chasles,
    commutator,
    commute,
)
from sixvec.geometry.rigid_body.impedance import Admittance, Impedance
from sixvec.geometry.rigid_body.instantaneous import (
    SecondOrderScrewAxis,
    acceleration_center,
    acceleration_pole,
    fixed_axode,
    moving_axode,
    screw_axis,
)
from sixvec.geometry.rigid_body.mesh_inertia import (
    mesh_inertia,
    shell_inertia,
    tetrahedron_inertia,
)
from sixvec.geometry.rigid_body.newton_euler import (
    bias_force,
    euler_acceleration,
    euler_moment,
    free_acceleration,
    newton_euler,
    newton_euler_material,
    unloaded,
)
from sixvec.geometry.rigid_body.norms import invariance, length_weight, weighted_inner, weighted_norm
from sixvec.geometry.rigid_body.particles import (
    ball_region,
    box_region,
    cylinder_region,
    gauss_legendre,
    inertia_of_density,
    inertia_of_particles,
)
from sixvec.geometry.rigid_body.point_mass import (
    MovingFrame,
    PointMass,
    PointMotion,
    fictitious_forces,
    newton,
    newton_variable_mass,
)
from sixvec.geometry.rigid_body.principal import principal_axes, principal_frame
from sixvec.geometry.rigid_body.solids import (
    Box,
    Capsule,
    Cone,
    ConicalShell,
    Cylinder,
    Ellipsoid,
    Hemisphere,
    HollowCylinder,
    HollowSphere,
    Solid,
    Sphere,
    Torus,
    uniform,
)
from sixvec.geometry.rigid_body.stiffness import Accommodation, Compliance, Damping, Mobility, Stiffness
from sixvec.geometry.rigid_body.twist import CentralAxis, invariants, pose_rate, twist_of_pose_rate
from sixvec.geometry.rigid_body.units import unit_registry
from sixvec.geometry.rigid_body.wrench import are_reciprocal, poinsot, reciprocal_twists, reciprocal_wrenches, resultant

__all__ = [
    "Accommodation", "Admittance", "Box", "Capsule", "CentralAxis", "Compliance", "Cone", "ConicalShell", "Cylinder",
    "Damping", "Ellipsoid", "FiniteDisplacement", "Hemisphere", "HollowCylinder", "HollowSphere", "Impedance",
    "InfinitesimalDisplacement", "Mobility", "MovingFrame", "PointMass", "PointMotion", "ScrewDisplacement",
    "SecondKindCoordinates", "SecondOrderScrewAxis", "Solid", "Sphere", "Stiffness", "Torus", "acceleration_center",
    "acceleration_in_kind", "acceleration_pole", "are_reciprocal", "ball_region", "bias_force", "body_fixed_rate",
    "box_region", "central_second_moments", "chasles", "commutator", "commute", "cylinder_region", "euler_acceleration",
    "euler_moment", "fictitious_forces", "fixed_axode", "free_acceleration", "gauss_legendre", "inconsistencies",
    "inertia_of_density", "inertia_of_particles", "inertia_of_pseudo_inertia", "invariance", "invariants",
    "is_physical", "jacobian_rate", "length_weight", "margin", "mesh_inertia", "moving_axode", "newton", "newton_euler",
    "newton_euler_material", "newton_variable_mass", "poinsot", "pose_rate", "principal_axes", "principal_frame",
    "pseudo_inertia", "reciprocal_twists", "reciprocal_wrenches", "resultant", "screw_axis", "shell_inertia",
    "tetrahedron_inertia", "twist_of_pose_rate", "uniform", "unit_registry", "unloaded", "weighted_inner",
    "weighted_norm",
]  # fmt: skip
