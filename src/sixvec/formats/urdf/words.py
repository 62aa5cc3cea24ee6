"""The words of URDF: those of the schema urdf.xsd in ros/urdfdom, and a few that other programs add.

Beyond the schema are capsules and ellipsoids, names and materials of shapes, and limits of acceleration and jerk.
Transmissions, sensors and the sections of simulators hold the words of other programs and are left open.
"""

from __future__ import annotations

from sixvec.formats.doctor.vocabulary import Vocabulary

_TABLE = """
robot: name version > link joint material
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
joint: name type > origin parent child axis limit dynamics mimic calibration safety_controller
parent: link
child: link
axis: xyz
limit: lower upper effort velocity acceleration jerk deceleration
dynamics: damping friction
mimic: joint multiplier offset
calibration: rising falling reference_position
verbose: value
safety_controller: soft_lower_limit soft_upper_limit k_position k_velocity
"""

URDF_WORDS = Vocabulary(_TABLE)
