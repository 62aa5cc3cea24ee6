"""Names that do not exist here: what to write instead, for slips and for names of other libraries."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Any

from sixvec.arguments.absent import ANSWERS
from sixvec.quoting import quoted

HERE = {
    "sv.load(file)": "buildModelFromUrdf buildModelsFromUrdf buildModelFromMJCF RobotWrapper MjModel "
    "from_xml_path URDF from_urdf load_urdf loadURDF load_model load_robot_description build_chain_from_urdf "
    "treeFromFile treeFromUrdfModel AddModels Parser MultibodyPlant ERobot",
    "sv.load(file, floating=True)": "JointModelFreeFlyer",
    "sv.save(robot, file)": "dump to_mjcf to_sdf save write "
    "export_file urdf mjcf to_urdf write_urdf mj_saveLastXML export_urdf",
    "robot.pose(q, frame)": "fkine fkine_path fk forward_kinematics forward_position JntToCart FKinSpace FKinBody "
    "frame_placement framePlacement getFrame transform get_pose get_frame get_transform EvalBodyPoseInWorld "
    "CalcRelativeTransform xpos xquat xmat site_xpos",
    "robot.poses(q)": "fkine_all fk_all forwardKinematics framesForwardKinematics updateFramePlacements "
    "updateGlobalPlacements computeAllTerms oMf oMi mj_kinematics mj_fwdPosition link_transforms",
    "robot.distance(q), robot.is_clear(q, world)": "collision collisions collision_check check_collision in_collision "
    "self_collision collide clearance clear min_distance nearest computeCollisions computeDistances getClosestPoints",
    "world = sv.World(); world.box(size, pose)": "obstacles obstacle add_obstacle scene planning_scene PlanningScene",
    "robot.velocity(q, v, frame)": "getFrameVelocity getVelocity EvalBodySpatialVelocityInWorld mj_objectVelocity",
    "robot.acceleration(q, v, a, frame)": "getFrameAcceleration getAcceleration mj_objectAcceleration",
    "robot.classical_acceleration(q, v, a, frame)": "getFrameClassicalAcceleration getClassicalAcceleration",
    "robot.jacobian(q, frame)": "jacob0 jac jacobian_matrix computeJointJacobians computeFrameJacobian "
    "computeJointJacobian getFrameJacobian getJointJacobian get_jacobian compute_jacobian JntToJac JacobianSpace "
    "CalcJacobianSpatialVelocity mj_jac mj_jacBody mj_jacSite geometric_jacobian computeJacobian J",
    'robot.jacobian(q, frame, reference="local")': "jacobe jacobn JacobianBody",
    "robot.jacobian_derivative(q, v, frame)": "jacob0_dot jacobian_dot computeJointJacobiansTimeVariation "
    "getFrameJacobianTimeVariation JntToJacDot",
    "robot.kinematic_hessian(q, frame)": "hessian0 hessiane jacobm getJointKinematicHessian",
    "sv.analysis.velocity_manipulability(robot, q, frame, metric)": "manip dexterity manipulability maniplty",
    "robot.ik(pose, frame)": "ikine ikine_LM ikine_LMS ikine_GN ikine_NR ikine_QP ikine_a ik_LM ik_GN ik_NR ik_QP "
    "ik_lm_chan ik_solve solve_ik inverse_kinematics CartToJnt IKinSpace IKinBody InverseKinematics",
    "robot.inverse_dynamics(q, v, a)": "rne id idyn CalcInverseDynamics InverseDynamics qfrc_inverse mj_inverse mj_rne "
    "compute_torques inverse_dynamic torque torques",
    "robot.forward_dynamics(q, v, tau)": "accel fd ForwardDynamics mj_forward qacc fdyn forward dynamics abaLocal",
    "robot.rollout(q, v, tau, dt)": "sim simulation Trajectory step simulate mj_step "
    "integrate_dynamics ForwardDynamicsTrajectory SimulateControl",
    "robot.mass_matrix(q)": "inertia mass_mat M H JntToMass CalcMassMatrix MassMatrix mj_fullM qM inertia_matrix "
    "calcMassMatrix calculateMassMatrix massMatrix mass_matrices",
    "robot.mass_matrix_inverse(q)": "Minv mass_inverse computeMinverse M_inverse minverse",
    "robot.coriolis_matrix(q, v)": "coriolis C computeCoriolisMatrix getCoriolisMatrix",
    "robot.gravity_forces(q)": "gravity_torque gravload G g computeGeneralizedGravity gravity_vector gravity_comp "
    "gravity_compensation gravity_torques compute_gravity JntToGravity GravityForces "
    "CalcGravityGeneralizedForces generalized_gravity",
    "robot.bias_forces(q, v)": "nle nonlinear_effects nonLinearEffects qfrc_bias bias bias_force coriolis_forces",
    "robot.bias_forces(q, v) - robot.gravity_forces(q)": "JntToCoriolis VelQuadraticForces CalcBiasTerm",
    "robot.passive_forces(q, v)": "nofriction friction qfrc_passive mj_passive damping_forces",
    "robot.inverse_dynamics(q, v, a, external={frame: wrench})": "EndEffectorForces",
    "robot.inverse_dynamics_derivatives(q, v, a)": "computeRNEADerivatives",
    "robot.forward_dynamics_derivatives(q, v, tau)": "computeABADerivatives mjd_transitionFD",
    "robot.kinetic_energy(q, v)": "computeKineticEnergy CalcKineticEnergy",
    "robot.potential_energy(q)": "computePotentialEnergy CalcPotentialEnergy",
    "robot.center_of_mass(q)": "com centerOfMass compute_com subtree_com CalcCenterOfMassPositionInWorld",
    "robot.center_of_mass_jacobian(q)": "jacobianCenterOfMass Jcom com_jacobian mj_jacSubtreeCom",
    "robot.centroidal_momentum_matrix(q)": "ccrba cmm momentum_matrix computeCentroidalMap Ag",
    "robot.momentum(q, v)": "computeCentroidalMomentum CalcSpatialMomentumInWorldAboutPoint hg subtree_angmom",
    "robot.inverse_dynamics_regressor(q, v, a)": "computeJointTorqueRegressor regressor",
    "robot.constrained_dynamics(q, v, tau, hold={frame: kind})": "constraintDynamics forwardDynamicsConstrained",
    "robot.random(rng)": "randn random_state random_configuration randomConfiguration random_q rand sample",
    "robot.neutral()": "zero zeros rest neutral_configuration qz qr q0 qpos qpos0 zero_configuration home",
    "robot.integrate(q, v * dt)": "mj_integratePos",
    "robot.difference(q0, q1)": "mj_differentiatePos",
    "np.zeros(robot.nv)": "qvel",
    "robot.inverse_dynamics(q, v, a), with rows of the path as a batch": "InverseDynamicsTrajectory",
    "robot.nv": "n dof dofs ndof num_dof num_dofs nu n_joints njoints num_joints num_velocities getNrOfJoints",
    "robot.nq": "num_positions n_q",
    "robot.joint_names": "joints names getJointNames getJointId getJointName actuated_joint_names joint_map",
    "robot.operational_space_inertia(q, frame)": "cinertia",
    "robot.kernel(name)": "compile",
    "robot.frame_names": "base frames links link_names link_map body_names getFrameId existFrame getBodyId "
    "nframes nbody end_effector end_effectors ee_link ee_links tool bodies body nlinks GetBodyByName GetFrameByName",
    "robot.lower, robot.upper": "qlim joint_limits position_limits limits lowerPositionLimit upperPositionLimit "
    "GetPositionLowerLimits GetPositionUpperLimits jnt_range islimit",
    "robot.velocity_limits": "qdlim velocityLimit GetVelocityUpperLimits",
    "robot.effort_limits": "effortLimit torque_limits tau_max GetEffortUpperLimits actuator_forcerange",
    "robot.with_payload(frame, mass)": "pay payload add_payload addPayload",
    "robot.with_frame(name, frame, pose)": "addFrame add_frame",
    "sv.Robot(sv.model.edits.lock(robot.model, joints))": "buildReducedModel lock lock_joints reduced reduce",
    "sv.Robot(sv.model.edits.subchain(robot.model, base, tip))": "getChain ets chain subchain",
    "sv.Robot(sv.model.edits.attach(robot.model, other.model, frame))": "attach_tool appendModel attach",
    "sv.Robot(sv.model.edits.mirror(robot.model))": "mirror",
    "sv.Robot(sv.model.edits.with_elastic_joint(robot.model, joint, stiffness, rotor_inertia=rotor_inertia))": ""
    "with_elastic_joint elastic_joint flexible_joint",
    "sv.Robot(sv.model.edits.rename(robot.model, names))": "rename",
    "sv.Robot(sv.model.edits.reorder(robot.model, joints))": "reorder",
    "sv.Robot(sv.model.edits.reroot(robot.model, body))": "reroot",
    "sv.Robot(sv.model.edits.split(robot.model, joint))": "split",
    "robot.with_gravity(gravity)": "set_gravity",
    "sv.Robot(sv.model.edits.with_free_root(robot.model))": "with_free_root",
    "sv.Robot(sv.model.edits.with_inertia(robot.model, body, inertia))": "with_inertia",
    "sv.Robot(sv.model.edits.with_rotor(robot.model, joint, rotor))": "with_rotor",
    "sv.Robot(sv.model.edits.without_closures(robot.model))": "without_closures",
    "sv.Robot(sv.model.edits.without_rolling(robot.model))": "without_rolling",
    "robot.view(q)": "plot teach show display visualize viewer initViewer launch_passive render",
    'robot.animate(path, "motion.gif")': "gif record film movie video mp4 html save_gif animation",
    'robot.kernel(name).source("c")': "export c_code codegen generate_code emit to_c ccode",
    "robot.kernel(name).derivative(wrt)": "gradient hessian derivative derivatives differentiate",
    "robot.energy(q, v)": "total_energy mechanical_energy",
    "robot.linearize(q, v, tau)": "linearise linearization linear_model state_space lqr",
    "robot.symbolic(name)": "to_latex latex sympy equations eom equations_of_motion",
    "sv.theory.lagrange": "lagrangian hamiltonian",
    "sv.identification": "identify calibrate",
    "sv.ik.closed_form": "ik_all all_solutions inverse_kinematics_all solutions closed_form postures",
    "sv.ik.redundancy": "null_space nullspace pinv jacobian_inverse jacobian_pinv damped_least_squares rmrc",
    "sv.analysis.workspace": "reach workspace reachable",
    "sv.analysis.singularity": "singularity singular singularities is_singular",
    "sv.formats.parse_model(text, name)": "from_string loads parse urdf_string",
    "sv.model.robots": "robots builtin builtins available robots_list datasets list_robots",
    "sv.spatial.Pose": "Pose SE3 Transform transforms",
    "sv.spatial.Pose.exp(twist), pose.log()": "exp6 log6 exp log MatrixExp6 MatrixLog6",
    "sv.geometry.orientation": "rotations SO3 Rotation rotation",
    "sv.set_threads(n)": "num_threads set_num_threads threads",
    "sv.__version__": "version",
    "sv.viz.draw_robot(robot, q)": "draw screenshot picture",
    "sv.viz.draw_joint_path(robot, path)": "plot_torque plot_torques plot_joints",
    "print(robot.model)": "summary info describe print",
    "robot.pose(q, frame)[:3, 3]": "position",
    "robot.pose(q, frame)[:3, :3]": "orientation quaternion rpy euler",
    "robot.rollout(q, v, tau, dt, contacts=…)": "contacts contact floor",
    "robot.model": "inertias inertial geom geoms mesh meshes visual visuals root tree",
    "sv.from_dh(a=…, alpha=…, d=…, theta=…)": "DHRobot RevoluteDH PrismaticDH RevoluteMDH PrismaticMDH DHLink dh "
    "from_dh DH",
}
"""What to write here, and the names for it in other libraries: Pinocchio, MuJoCo, Robotics Toolbox, KDL, Drake, ..."""

NEEDLESS = {
    "createData": "there is no data object: every method takes the state",
    "Finalize": "a loaded robot is complete",
    "CreateDefaultContext": "there is no context: every method takes the state",
    "MjData": "there is no data object: every method takes the state",
    "SetPositions": "there is no state inside: every method takes q",
    "set_joint_positions": "there is no state inside: every method takes q",
}

ELSEWHERE = {theirs: ours for ours, names in HERE.items() for theirs in names.split()}
_MOST = 3


SET = {
    "gravity": "robot = robot.with_gravity(gravity)",
    **dict.fromkeys(("lower", "upper"), "robot = robot.with_limits(joint, lower=…, upper=…)"),
    "velocity_limits": "robot = robot.with_limits(joint, velocity=…)",
    "effort_limits": "robot = robot.with_limits(joint, effort=…)",
    "mass": "robot = robot.with_payload(frame, mass)",
}
"""What to write instead of setting an attribute of a robot."""


def no_setting(name: str) -> str:
    """The message for an attribute of a robot that somebody sets.

    >>> no_setting("gravity")
    'robots do not change, so gravity cannot be set; write robot = robot.with_gravity(gravity)'
    """
    advice = f"write {SET[name]}" if name in SET else "sixvec.model.edits make other models"
    return f"robots do not change, so {quoted(name)} cannot be set; {advice}"


def no_attribute(owner: Any, name: str) -> str:
    """The message for an attribute that a robot does not have, with what to write.

    >>> import sixvec
    >>> no_attribute(sixvec.load("panda"), "foward_dynamics").partition("; ")[2]
    'did you mean forward_dynamics?'
    >>> no_attribute(sixvec.load("panda"), "fkine").partition("; ")[2]
    'write robot.pose(q, frame)'
    """
    message = f"{type(owner).__name__} has no attribute {quoted(name)!r}"
    return message if name.startswith("_") else f"{message}; {_advice(name, dir(type(owner)), 'robot')}"


def no_member(module: str, name: str, members: list[str], robot: type) -> str:
    """The message for a name that the package does not have, but perhaps its robots.

    >>> import sixvec
    >>> no_member("sixvec", "rnea", ["load"], sixvec.Robot).partition("; ")[2]
    'robots have it: sixvec.load("panda").rnea'
    """
    message = f"module {module!r} has no attribute {quoted(name)!r}"
    if not name.startswith("_") and name not in ELSEWHERE | ANSWERS and hasattr(robot, name):
        return f'{message}; robots have it: {module}.load("panda").{name}'
    return message if name.startswith("_") else f"{message}; {_advice(name, members, module)}"


def listed(module: str, names: Sequence[str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package: what is meant for users, and advice for names that it does not have.

    >>> listed("sixvec.mobile", ["dubins", "car"])[1]()
    ['car', 'dubins']
    """

    def missing(name: str) -> Any:
        message = f"module {module!r} has no attribute {quoted(name)!r}"
        advice = "" if name.startswith("_") else f"; {_advice(name, [*names], module)}"
        raise AttributeError(message + advice, name=name)

    return missing, lambda: sorted(names)


def _advice(name: str, members: list[str], owner: str) -> str:
    if name in NEEDLESS:
        return NEEDLESS[name]
    if name in ELSEWHERE:
        return f"write {ELSEWHERE[name]}"
    if name in ANSWERS:
        return ANSWERS[name]
    public = [n for n in members if not n.startswith("_")]
    near = difflib.get_close_matches(name, public, n=_MOST, cutoff=0.75)
    return f"did you mean {' or '.join(near)}?" if near else f"dir({owner}) lists what it has"
