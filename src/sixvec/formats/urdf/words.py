"""The vocabulary of URDF: that of the schema urdf.xsd in ros/urdfdom, and a few that other programs add.

Beyond the schema are capsules and ellipsoids, names and materials of shapes, limits of acceleration and jerk, loops.
Transmissions, sensors and the sections of simulators contain the vocabulary of other programs and are not checked.
"""

from __future__ import annotations

from sixvec.formats.vocabulary import Vocabulary

_TABLE = """
robot: name version > link joint material transmission gazebo mujoco sensor ros2_control drake loop coupling
 constraint
link: name type > inertial visual collision contact sensor origin gravity self_collision_checking collision_checking
inertial: > origin mass inertia
mass: value=1
inertia: ixx=1 ixy=1 ixz=1 iyy=1 iyz=1 izz=1
origin: xyz=3 rpy=3 quat_xyzw=4
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
 hardwareInterface sensor
parent: link
child: link
axis: xyz=3
limit: lower=1~ upper=1~ effort=1~ velocity=1~ acceleration jerk deceleration
dynamics: damping=1 friction=1
mimic: joint multiplier=1 offset=1
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
