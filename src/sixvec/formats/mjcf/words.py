"""The words of MJCF (MuJoCo 4.0, XML reference), with some that older files still have.

Actuators, sensors and tendons share one set of attributes each.  What stands in <composite>, <flexcomp>, plugins and
sections for other programs is left open.
"""

from __future__ import annotations

from sixvec.formats.doctor.vocabulary import Vocabulary

_POSE = "pos quat axisangle euler xyaxes zaxis"

_ACTUATOR = """actdim actearly actlimited actrange area armature bias biasprm biastype body class cogging controller
    cranklength cranksite ctrllimited ctrlrange damping dampratio delay diameter dynprm dyntype ffrange force
    forcelimited forcerange fpmax fvmax gain gainprm gaintype gear group imax inductance inheritrange input
    instance interp joint jointinparent ki kp kv lengthrange lmax lmin lugre motorconst name nominal nsample
    plugin posrange range refsite resistance saturation scale site slewmax slidersite tausmooth tendon thermal
    timeconst user velrange vmax"""

_TABLE = """
mujoco: model > compiler option size statistic visual default extension asset deformable contact tendon equality
 actuator sensor custom keyframe worldbody
compiler: alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict convexhull coordinate
 discardvisual eulerseq exactmeshinertia fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir passthrough
 savecanonical savecompiled saveinertial settotalmass strippath texturedir usethread > lengthrange
lengthrange: accel interval inttotal maxforce mode timeconst timestep tolrange useexisting uselimit
option: actuatorgroupdisable apirate ccd_iterations ccd_tolerance collision cone density gravity impratio integrator
 iterations jacobian ls_iterations ls_tolerance magnetic mpr_iterations mpr_tolerance noslip_iterations
 noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints sdf_iterations sleep_tolerance solver timestep
 tolerance viscosity wind > flag
flag: actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp filterparent
 frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd nativeccd override passive refsafe sensor
 sleep speculative spring warmstart
size: memory nconmax njmax nkey nstack nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt nuser_sensor
 nuser_site nuser_tendon nuserdata
statistic: center extent meaninertia meanmass meansize
mujoco/visual: > global quality headlight map scale rgba
visual/global: azimuth bvactive cameraid elevation ellipsoidinertia fovy glow ipd linewidth offheight offwidth
 orthographic realtime
visual/quality: numquads numslices numstacks offsamples shadowsize
visual/headlight: active ambient diffuse specular
visual/map: actuatortendon alpha fogend fogstart force haze shadowclip shadowscale stiffness stiffnessrot torque zfar
 znear
visual/scale: actuatorlength actuatorwidth camera com connect constraint contactheight contactwidth forcewidth
 framelength framewidth frustum jointlength jointwidth light selectpoint slidercrank
visual/rgba: actuator actuatornegative actuatorpositive bv bvactive camera com connect constraint contactforce
 contactfriction contactgap contactpoint contacttorque crankbroken fog force frustum haze inertia joint light
 rangefinder selectpoint slidercrank
default: class > mesh texture material joint geom site camera light pair equality tendon general motor position
 velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor default
default/equality: active solimp solref
default/tendon: actuatorfrclimited actuatorfrcrange armature damping frictionloss group limited margin material range
 rgba solimpfriction solimplimit solreffriction solreflimit springlength springyield stiffness user width
extension: * > *
custom: * > *
asset: > mesh hfield skin texture material model
mesh: builtin class content_type face file inertia material maxhullvert name normal params refpos refquat scale
 smoothnormal texcoord vertex > plugin
hfield: content_type elevation file name ncol nrow size
texture: builtin class colorspace content_type embed file fileback filedown filefront fileleft fileright fileup
 gridlayout gridsize height hflip mark markrgb name nchannel random rgb1 rgb2 type vflip width
material: class emission metallic name reflectance rgba roughness shininess specular texrepeat texture texuniform >
 layer
asset/model: content_type file name
layer: role texture
skin: face file group inflate material name rgba texcoord vertex > bone
bone: bindpos bindquat body vertid vertweight
worldbody: childclass > geom site camera light plugin body frame replicate attach composite flexcomp
body: $pose childclass fuse gravcomp mocap name simple sleep user > inertial joint freejoint geom site camera light
 plugin body frame replicate attach composite flexcomp
frame: $pose name childclass > inertial joint freejoint geom site camera light plugin body frame replicate attach
 composite flexcomp
replicate: count offset euler sep childclass > inertial joint freejoint geom site camera light plugin body frame
 replicate attach composite flexcomp
inertial: $pose diaginertia fullinertia mass
joint: actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis class damping frictionloss group limited
 margin name pos range ref solimpfriction solimplimit solreffriction solreflimit springdamper springref springyield
 stiffness type user
freejoint: align group name
geom: $pose adhesion castshadow class conaffinity condim contype density fitscale fluidcoef fluidshape friction fromto
 gap group hfield margin mass material mesh name priority rgba shellinertia size solimp solmix solref surfacevel type
 user > plugin
site: $pose class fromto group material mesh name rgba size type user
camera: $pose class focal focalpixel fovy ipd mode name orthographic output principal principalpixel projection
 resolution sensorsize target user
light: active ambient attenuation bulbradius castshadow class cutoff diffuse dir directional exponent intensity mode
 name pos range softness specular target texture type
attach: body frame model prefix
deformable: > flex skin
flex: body cellcount dim dof element elemtexcoord flatskin group material name node nodecoord radius rgba texcoord
 vertex > *
mujoco/contact: > pair exclude
pair: adhesion class condim friction gap geom1 geom2 margin name solimp solref solreffriction
exclude: body1 body2 name
mujoco/tendon: > spatial fixed
tendon/*: actuatorfrclimited actuatorfrcrange armature class damping frictionloss group limited margin material name
 range rgba solimpfriction solimplimit solreffriction solreflimit springlength springyield stiffness user width > site
 geom pulley joint
spatial/site: site
spatial/geom: geom sidesite
spatial/pulley: divisor
fixed/joint: coef joint
mujoco/equality: > connect weld joint tendon flex flexstrain
equality/connect: active anchor body1 body2 class name site1 site2 solimp solref
equality/weld: active anchor body1 body2 class name relpose site1 site2 solimp solref torquescale
equality/joint: active class joint1 joint2 name polycoef solimp solref
equality/tendon: active class name polycoef solimp solref tendon1 tendon2
equality/flex: active class flex name solimp solref
equality/flexstrain: active cell class flex name solimp solref
mujoco/actuator: > general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion
 dcmotor plugin
actuator/*: $actuator > config
default/*: $actuator
mujoco/sensor: > touch accelerometer velocimeter gyro force torque magnetometer camprojection rangefinder jointpos
 jointvel tendonpos tendonvel actuatorpos actuatorvel actuatorfrc jointactuatorfrc tendonactuatorfrc ballquat
 ballangvel jointlimitpos jointlimitvel jointlimitfrc tendonlimitpos tendonlimitvel tendonlimitfrc framepos framequat
 framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc frameangacc subtreecom subtreelinvel
 subtreeangmom insidesite distance normal fromto contact e_potential e_kinetic clock tactile user plugin
sensor/*: actuator body body1 body2 camera cutoff data datatype delay dim enclosed geom geom1 geom2 instance interp
 interval joint mesh name needstage noise nsample num objname objtype plugin reduce refname reftype site subtree1
 subtree2 tendon user > config
keyframe: > key
key: act ctrl mpos mquat name plastic qpos qvel time
"""

MJCF_WORDS = Vocabulary(_TABLE, {"pose": _POSE, "actuator": " ".join(_ACTUATOR.split())})
