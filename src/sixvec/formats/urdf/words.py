"""The words of URDF: those of the schema urdf.xsd in ros/urdfdom, and a few that other programs add.

Beyond the schema are capsules and ellipsoids, names and materials of shapes, limits of acceleration and jerk, loops.
Transmissions, sensors and the sections of simulators hold the words of other programs and are left open.
"""

from __future__ import annotations

from sixvec.formats.doctor.vocabulary import Vocabulary

_TABLE = """
robot: name version > link joint material loop coupling constraint
link: name type > inertial visual collision
inertial: > origin mass inertia
mass: value
inertia: ixx ixy ixz iyy iyz izz
origin: xyz rpy quat_xyzw
visual: name > origin geometry material
collision: name > origin geometry material contact_coefficients verbose
geometry: > box cylinder sphere mesh capsule ellipsoid
box: size
cylinder: radius length
sphere: radius
capsule: radius length
mesh: filename scale
material: name > color texture
color: rgba
texture: filename
joint: name type independent > origin parent child axis limit dynamics mimic calibration safety_controller
parent: link
child: link
axis: xyz
limit: lower upper effort velocity acceleration jerk deceleration
dynamics: damping friction
mimic: joint multiplier offset
calibration: rising falling reference_position
verbose: value
loop: name type > predecessor successor axis predecessor_origin successor_origin
coupling: name > predecessor successor ratio
predecessor: link name > origin
successor: link name > origin
predecessor_origin: xyz rpy quat_xyzw
successor_origin: xyz rpy quat_xyzw
ratio: value
constraint: name type > parent child parent_origin child_origin parent_axis child_axis
parent_origin: xyz rpy quat_xyzw
child_origin: xyz rpy quat_xyzw
parent_axis: xyz
child_axis: xyz
safety_controller: soft_lower_limit soft_upper_limit k_position k_velocity
"""

URDF_WORDS = Vocabulary(_TABLE)
