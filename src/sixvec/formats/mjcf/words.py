"""The vocabulary of MJCF (MuJoCo 4.0, XML reference), with some of older files.

One table defines for each element its attributes, the count of their numbers, and the allowed contents.  Actuators,
sensors and tendons share one set of attributes each.  The contents of <composite>, <flexcomp>, plugins and sections for
other programs are not checked.
"""

from __future__ import annotations

from sixvec.formats.vocabulary import EVERY, Vocabulary

_POSE = "pos=3 quat=4 axisangle=4 euler=3 xyaxes=6 zaxis=3"

_ACTUATOR = """actdim=1i actearly actlimited actrange=2~ area armature=1~ bias biasprm=1-10~ biastype body class cogging
    controller cranklength=1 cranksite ctrllimited ctrlrange=2~ damping=1-3~ dampratio delay=1~ diameter
    dynprm=1-10~ dyntype ffrange force forcelimited forcerange=2~ fpmax fvmax gain gainprm=1-10~ gaintype gear=1-6
    group=1i imax inductance inheritrange input instance interp joint jointinparent ki kp=1 kv=1~ lengthrange=2~
    lmax lmin lugre motorconst name nominal nsample=1i plugin posrange range refsite resistance saturation scale
    site slewmax slidersite tausmooth tendon thermal timeconst user velrange vmax"""

_INSIDE = "inertial joint freejoint geom site camera light plugin body frame replicate attach composite flexcomp"

_TENDON = """actuatorfrclimited actuatorfrcrange armature=1~ damping=1-3~ frictionloss=1~ group=1i limited margin=1~
    material range=2~ rgba=4~ solimpfriction=1-5~ solimplimit=1-5~ solreffriction=1-2~ solreflimit=1-2~
    springlength=1-2~ springyield stiffness=1-3~ user width=1~"""

_TABLE = """
mujoco: model > compiler option size statistic visual default extension asset deformable contact tendon equality
 actuator sensor custom keyframe worldbody
compiler: alignfree angle assetdir autolimits balanceinertia boundinertia=1 boundmass=1 conflict convexhull coordinate
 discardvisual eulerseq exactmeshinertia fitaabb fusestatic inertiafromgeom inertiagrouprange=2 meshdir passthrough
 savecanonical savecompiled saveinertial settotalmass=1 strippath texturedir usethread > lengthrange
lengthrange: accel interval inttotal maxforce mode timeconst timestep tolrange useexisting uselimit
option: actuatorgroupdisable apirate ccd_iterations=1i ccd_tolerance=1~ collision cone density=1 gravity=3 impratio=1~
 integrator iterations=1i jacobian ls_iterations=1i ls_tolerance=1~ magnetic=3~ mpr_iterations mpr_tolerance
 noslip_iterations=1i noslip_tolerance=1~ o_friction=1-5~ o_margin=1~ o_solimp=1-5~ o_solref=1-2~ sdf_initpoints
 sdf_iterations sleep_tolerance solver timestep=1 tolerance=1~ viscosity=1 wind=3 > flag
flag: actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp filterparent
 frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd nativeccd override passive refsafe sensor
 sleep speculative spring warmstart
size: memory nconmax=1i njmax=1i nkey=1i nstack=1i nuser_actuator=1i nuser_body=1i nuser_cam=1i nuser_geom=1i
 nuser_jnt=1i nuser_sensor=1i nuser_site=1i nuser_tendon=1i nuserdata=1i
statistic: center=3~ extent=1~ meaninertia=1~ meanmass=1~ meansize=1~
mujoco/visual: > global quality headlight map scale rgba
visual/global: azimuth=1~ bvactive cameraid=1i elevation=1~ ellipsoidinertia fovy=1~ glow=1~ ipd=1~ linewidth=1~
 offheight=1i offwidth=1i orthographic realtime=1~
visual/quality: numquads=1i numslices=1i numstacks=1i offsamples=1i shadowsize=1i
visual/headlight: active=1i ambient=3~ diffuse=3~ specular=3~
visual/map: actuatortendon=1~ alpha=1~ fogend=1~ fogstart=1~ force=1~ haze=1~ shadowclip=1~ shadowscale=1~
 stiffness=1~ stiffnessrot=1~ torque=1~ zfar=1~ znear=1~
visual/scale: actuatorlength=1~ actuatorwidth=1~ camera=1~ com=1~ connect=1~ constraint=1~ contactheight=1~
 contactwidth=1~ forcewidth=1~ framelength=1~ framewidth=1~ frustum=1~ jointlength=1~ jointwidth=1~ light=1~
 selectpoint=1~ slidercrank=1~
visual/rgba: actuator=4~ actuatornegative=4~ actuatorpositive=4~ bv=4~ bvactive=4~ camera=4~ com=4~ connect=4~
 constraint=4~ contactforce=4~ contactfriction=4~ contactgap=4~ contactpoint=4~ contacttorque=4~ crankbroken=4~ fog=4~
 force=4~ frustum=4~ haze=4~ inertia=4~ joint=4~ light=4~ rangefinder=4~ selectpoint=4~ slidercrank=4~
default: class > mesh texture material joint geom site camera light pair equality tendon general motor position
 velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor default
default/equality: active solimp=1-5~ solref=1-2~
default/tendon: $tendon
extension: * > *
custom: * > *
asset: > mesh hfield skin texture material model
mesh: builtin class content_type face file inertia material maxhullvert name normal params refpos=3 refquat=4 scale=3
 smoothnormal texcoord vertex > plugin
hfield: content_type elevation file name ncol nrow size
texture: builtin class colorspace content_type embed file fileback filedown filefront fileleft fileright fileup
 gridlayout gridsize=2i height=1i hflip mark markrgb=3~ name nchannel=1i random=1~ rgb1=3~ rgb2=3~ type vflip width=1i
material: class emission=1~ metallic=1~ name reflectance=1~ rgba=4~ roughness=1~ shininess=1~ specular=1~ texrepeat=2~
 texture texuniform > layer
asset/model: content_type file name
layer: role texture
skin: face file group inflate material name rgba texcoord vertex > bone
bone: bindpos bindquat body vertid vertweight
worldbody: childclass > geom site camera light plugin body frame replicate attach composite flexcomp
body: $pose childclass fuse gravcomp=1 mocap name simple sleep user > $inside
frame: $pose name childclass > $inside
replicate: count offset euler sep childclass > $inside
inertial: $pose diaginertia=3 fullinertia=6 mass=1
joint: actuatorfrclimited actuatorfrcrange=2~ actuatorgravcomp armature=1 axis=3 class damping=1-3 frictionloss=1
 group=1i limited margin=1~ name pos=3 range=2 ref=1 solimpfriction=1-5~ solimplimit=1-5~ solreffriction=1-2~
 solreflimit=1-2~ springdamper=2 springref=1 springyield stiffness=1-3 type user
freejoint: align group name
geom: $pose adhesion castshadow class conaffinity=1i condim=1i contype=1i density=1 fitscale fluidcoef=1-5~ fluidshape
 friction=1-3~ fromto=6 gap=1~ group=1i hfield margin=1~ mass=1 material mesh name priority=1i rgba=4~ shellinertia
 size=1-3 solimp=1-5~ solmix=1~ solref=1-2~ surfacevel type user > plugin
site: $pose class fromto=6 group=1i material mesh name rgba=4~ size=1-3 type user
camera: $pose class focal=2~ focalpixel=2~ fovy=1~ ipd=1~ mode name orthographic output principal=2~ principalpixel=2~
 projection resolution=2i sensorsize=2~ target user
light: active ambient=3~ attenuation=3~ bulbradius=1~ castshadow class cutoff=1~ diffuse=3~ dir=3~ directional
 exponent=1~ intensity mode name pos=3~ range=1~ softness specular=3~ target texture type
attach: body frame model prefix
deformable: > flex skin
flex: body cellcount dim dof element elemtexcoord flatskin group material name node nodecoord radius rgba texcoord
 vertex > *
mujoco/contact: > pair exclude
pair: adhesion class condim=1i friction=1-5~ gap=1~ geom1 geom2 margin=1~ name solimp=1-5~ solref=1-2~
 solreffriction=1-2~
exclude: body1 body2 name
mujoco/tendon: > spatial fixed
tendon/*: $tendon class name > site geom pulley joint
spatial/site: site
spatial/geom: geom sidesite
spatial/pulley: divisor
fixed/joint: coef=1 joint
mujoco/equality: > connect weld joint tendon flex flexstrain
equality/connect: active anchor=3 body1 body2 class name site1 site2 solimp=1-5~ solref=1-2~
equality/weld: active anchor=3 body1 body2 class name relpose=7 site1 site2 solimp=1-5~ solref=1-2~ torquescale=1
equality/joint: active class joint1 joint2 name polycoef=1-5 solimp=1-5~ solref=1-2~
equality/tendon: active class name polycoef=1-5~ solimp=1-5~ solref=1-2~ tendon1 tendon2
equality/flex: active class flex name solimp solref
equality/flexstrain: active cell class flex name solimp solref
mujoco/actuator: > general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor
 plugin
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

_GROUPS = {"pose": _POSE, "actuator": _ACTUATOR, "tendon": _TENDON, "inside": _INSIDE}

MJCF_WORDS = Vocabulary(_TABLE, {name: " ".join(words.split()) for name, words in _GROUPS.items()})

READ = (
    "compiler", "option", "default", "worldbody", "equality", "custom", "contact", "tendon", "actuator", "keyframe",
)  # fmt: skip
HARMLESS = ("asset", "extension", "sensor", "size", "statistic", "visual")
"""Sections that change neither the mechanism nor the forces in it."""

UNREAD = ("deformable",)
"""Sections whose every element is physics that the model cannot represent."""

SECTIONS = (*READ, *HARMLESS, *UNREAD)

Keywords = dict[str, tuple[str, ...]]

BOOLEAN = ("true", "false")
OR_AUTO = ("auto", *BOOLEAN)
_FOLLOWS = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")
_LIMITED: Keywords = dict.fromkeys(("ctrllimited", "forcelimited", "actlimited"), OR_AUTO)
_COMPILER = (
    "autolimits", "balanceinertia", "strippath", "discardvisual", "fusestatic", "usethread", "fitaabb", "alignfree",
)  # fmt: skip

KEYWORDS: dict[str, Keywords] = {
    "compiler": {
        **dict.fromkeys(_COMPILER, BOOLEAN),
        "angle": ("radian", "degree"),
        "inertiafromgeom": OR_AUTO,
    },
    "joint": {"limited": OR_AUTO, "actuatorfrclimited": OR_AUTO, "actuatorgravcomp": BOOLEAN, "active": BOOLEAN},
    "freejoint": {"align": OR_AUTO},
    "body": {"mocap": BOOLEAN},
    "geom": {"shellinertia": BOOLEAN},
    "site": {"type": ("sphere", "capsule", "ellipsoid", "cylinder", "box")},
    "mesh": {"inertia": ("legacy", "exact", "convex", "shell"), "smoothnormal": BOOLEAN},
    "camera": {"mode": _FOLLOWS},
    "light": {"mode": _FOLLOWS, **dict.fromkeys(("active", "castshadow", "directional"), BOOLEAN)},
    "option": {
        "integrator": ("Euler", "RK4", "implicit", "implicitfast", "discrete"),
        "cone": ("pyramidal", "elliptic"),
        "jacobian": ("dense", "sparse", "auto"),
        "solver": ("PGS", "CG", "Newton"),
    },
    "flag": {EVERY: ("enable", "disable")},
    "material": {"texuniform": BOOLEAN},
    "texture": {
        "type": ("2d", "cube", "skybox"),
        "builtin": ("none", "gradient", "checker", "flat"),
        "mark": ("none", "edge", "cross", "random"),
        **dict.fromkeys(("hflip", "vflip"), BOOLEAN),
    },
    "spatial": {"limited": OR_AUTO},
    "fixed": {"limited": OR_AUTO},
    **{tag: {"active": BOOLEAN} for tag in ("connect", "weld", "tendon", "equality")},
    **dict.fromkeys(("general", "motor", "position", "velocity", "intvelocity", "damper", "muscle"), _LIMITED),
}
"""For each element its attributes and their words; types of geoms and joints have separate rules."""

REQUIRED = {"inertial": ("mass", "pos")}
"""Required numbers of an element."""

REFERENCES: dict[str, dict[str, str]] = {
    "geom": {"mesh": "mesh", "hfield": "hfield", "material": "material"},
    "site": {"material": "material"},
    "camera": {"target": "body"},
    "light": {"target": "body"},
    "material": {"texture": "texture"},
    "exclude": {"body1": "body", "body2": "body"},
    "pair": {"geom1": "geom", "geom2": "geom"},
}
"""For each element of a body, of assets and of contacts, its attributes that name something, and what."""

_PAIRS = {f"{what}{i}": what for what in ("body", "site", "joint", "tendon", "geom") for i in (1, 2)}

REFERENCES_IN: dict[str, dict[str, str]] = {
    "equality": _PAIRS,
    "actuator": {
        "joint": "joint", "jointinparent": "joint", "tendon": "tendon", "site": "site", "refsite": "site",
        "cranksite": "site", "slidersite": "site", "body": "body",
    },
    "tendon": {"site": "site", "geom": "geom", "sidesite": "site", "joint": "joint"},
    "sensor": {
        **_PAIRS, "site": "site", "joint": "joint", "tendon": "tendon", "actuator": "actuator", "body": "body",
        "geom": "geom", "camera": "camera", "subtree1": "body", "subtree2": "body",
    },
}  # fmt: skip
"""For each section, the attributes of anything inside that name something, and what."""

TYPED = {"objname": "objtype", "refname": "reftype"}
"""Attributes of sensors with names, and those that give their kind."""

NAMED_IN = {"tendon": "tendon", "actuator": "actuator", "sensor": "sensor", "equality": "equality"}
"""Sections whose elements, of any tag, share one namespace, and its kind."""
