"""The vocabulary of SDF 1.0 to 1.12 (sdformat.org, specification), for the mechanism and its shapes.

Sensors, lights, materials, surfaces, engines, scenes and plugins are not part of a mechanism and are not checked.
"""

from __future__ import annotations

from sixvec.formats.vocabulary import Vocabulary

_AXIS = "xyz > xyz=3 dynamics limit mimic initial_position use_parent_model_frame"
_INCLUDE = "merge > uri name pose placement_frame static plugin model_state"
_TENSOR = "ixx=1 ixy=1 ixz=1 iyy=1 iyz=1 izz=1"

_TABLE = """
sdf: version > world model actor light
world: name > include model link joint frame gravity=3 physics audio magnetic_field atmosphere gui scene light plugin
 road spherical_coordinates actor population state wind
model: name canonical_link placement_frame static > include model link joint frame pose static self_collide origin
 allow_auto_disable enable_wind gripper plugin
world/include: $include
model/include: $include
link: name gravity kinematic self_collide > pose inertial collision visual sensor projector audio_sink audio_source
 battery light particle_emitter self_collide must_be_base_link plugin gravity kinematic enable_wind velocity_decay
 origin damping frame
frame: name attached_to > pose
pose: relative_to rotation_format degrees frame
origin: pose
inertial: auto density mass > mass=1 density pose frame origin inertia fluid_added_mass auto_inertia_params
inertia: $tensor > $tensor
fluid_added_mass: > xx xy xz xp xq xr yy yz yp yq yr zz zp zq zr pp pq pr qq qr rr
joint: name type > pose parent child axis axis2 thread_pitch=1 screw_thread_pitch=1
 gearbox_ratio gearbox_reference_body
 physics sensor plugin origin frame
parent: link
child: link
axis: $axis
axis2: $axis
xyz: expressed_in
limit: lower upper effort velocity > lower=1~ upper=1~ effort=1~ velocity=1~ stiffness dissipation
dynamics: damping friction > damping=1 friction=1 spring_reference=1 spring_stiffness=1
mimic: joint axis > multiplier=1 offset=1 reference=1
visual: name cast_shadows laser_retro transparency > pose geometry material cast_shadows laser_retro transparency
 visibility_flags meta plugin origin frame
collision: name laser_retro > pose geometry density auto_inertia_params laser_retro max_contacts mass surface origin
 frame
geometry: > box capsule cone cylinder ellipsoid empty heightmap image mesh plane polyline sphere
box: size > size=3
capsule: > radius=1 length=1
cone: > radius=1 length=1
cylinder: radius length > radius=1 length=1
ellipsoid: > radii=3
sphere: radius > radius=1
plane: normal > normal size
polyline: > point height
mesh: optimization filename scale > uri scale submesh convex_decomposition
submesh: > name center
"""

SDF_WORDS = Vocabulary(_TABLE, {"axis": _AXIS, "include": _INCLUDE, "tensor": _TENSOR})
