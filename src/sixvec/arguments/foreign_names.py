"""Names of other libraries, and what to write here instead."""

from __future__ import annotations

HERE = {
    "sv.load(file)": "load from_file from_xml buildModelFromUrdf buildModelsFromUrdf buildModelFromMJCF "
    "RobotWrapper MjModel from_xml_path URDF from_urdf load_urdf loadURDF load_model load_robot_description "
    "build_chain_from_urdf treeFromFile treeFromUrdfModel AddModels Parser MultibodyPlant ERobot",
    "sv.load(file, floating=True)": "JointModelFreeFlyer",
    "sv.save(robot, file)": "dump to_mjcf to_sdf save write export_file urdf mjcf to_urdf write_urdf "
    "mj_saveLastXML export_urdf",
    "robot.pose(q, frame)": "fk_batch forward_kinematics_batch batch_fk fkine fkine_path fk forward_kinematics "
    "forward_position JntToCart FKinSpace FKinBody frame_placement framePlacement getFrame transform get_pose "
    "get_frame get_transform EvalBodyPoseInWorld CalcRelativeTransform xpos xquat xmat site_xpos "
    "end_effector_pose ee_pose tool_pose link_pose getLinkState frames_forward fkine_geometry compute_fk fwd_kin "
    "get_transform_frame_to_world CalcBodyToBaseCoordinates CalcPointsPositions GetFramePoseInWorld "
    "ChainFkSolverPos_recursive TreeFkSolverPos_recursive body_pose",
    "robot.poses(q)": "fkine_all fk_all forwardKinematics framesForwardKinematics updateFramePlacements "
    "updateGlobalPlacements computeAllTerms oMf oMi mj_kinematics mj_fwdPosition link_transforms pose_all "
    "all_poses UpdateKinematics UpdateKinematicsCustom EvalKinematics updateFramePlacement computeJointPlacements "
    "x_pos",
    "robot.distance(q), robot.is_clear(q, world)": "collision collisions collision_check check_collision "
    "in_collision self_collision collide clearance clear min_distance nearest computeCollisions computeDistances "
    "getClosestPoints iscollided collided closest_point closest_points getContactPoints is_collision "
    "is_in_collision collides is_colliding collision_free is_collision_free has_collision "
    "minimum_distance signed_distance",
    "world = sv.World(); world.box(size, pose)": "obstacles obstacle add_obstacle scene planning_scene PlanningScene "
    "add_box add_sphere",
    "robot.velocity(q, v, frame)": "getFrameVelocity getVelocity EvalBodySpatialVelocityInWorld mj_objectVelocity "
    "CalcPointVelocity CalcPointVelocity6D CalcSpatialVelocity link_velocity body_velocity twist",
    "robot.acceleration(q, v, a, frame)": "getFrameAcceleration getAcceleration mj_objectAcceleration "
    "CalcPointAcceleration CalcSpatialAcceleration CalcBodyAcceleration",
    "robot.classical_acceleration(q, v, a, frame)": "getFrameClassicalAcceleration getClassicalAcceleration",
    "robot.jacobian(q, frame)": "jacob0 jac jacobian_matrix computeJointJacobians computeFrameJacobian "
    "computeJointJacobian getFrameJacobian getJointJacobian get_jacobian compute_jacobian JntToJac JacobianSpace "
    "CalcJacobianSpatialVelocity mj_jac mj_jacBody mj_jacSite geometric_jacobian computeJacobian J "
    "CalcPointJacobian CalcPointJacobian6D CalcBodySpatialJacobian CalcJacobianTranslationalVelocity "
    "CalcJacobianAngularVelocity ChainJntToJacSolver jac_world spatial_jacobian",
    'robot.jacobian(q, frame, reference="local")': "jacobe jacobn JacobianBody",
    "robot.jacobian_derivative(q, v, frame)": "jacob0_dot jacobian_dot computeJointJacobiansTimeVariation "
    "getFrameJacobianTimeVariation JntToJacDot jacob_dot jac_dot Jdot J_dot dJ ChainJntToJacDotSolver",
    "robot.kinematic_hessian(q, frame)": "hessian0 hessiane jacobm getJointKinematicHessian "
    "computeJointKinematicHessians partial_fkine0",
    "sv.analysis.velocity_manipulability(robot, q, frame, metric)": "manip dexterity manipulability maniplty "
    "vellipse velocity_ellipsoid",
    "robot.ik(pose, frame)": "solve ikine ikine_LM ikine_LMS ikine_GN ikine_NR ikine_QP ikine_a ik_LM ik_GN ik_NR "
    "ik_QP ik_lm_chan ik_solve solve_ik inverse_kinematics CartToJnt IKinSpace IKinBody InverseKinematics "
    "ikine_min ikine_sym ikine6s ikine_mmc calculateInverseKinematics2 InverseKinematicsCS ChainIkSolverPos_LMA "
    "ChainIkSolverPos_NR_JL ChainIkSolverPos_NR compute_ik inv_kin rrmc p_servo position_ik",
    "robot.inverse_dynamics(q, v, a)": "rne id idyn CalcInverseDynamics InverseDynamics qfrc_inverse mj_inverse "
    "mj_rne compute_torques inverse_dynamic torque torques inv_dyn rne_python itorque ChainIdSolver_RNE "
    "ChainIdSolver_Vereshchagin",
    "robot.forward_dynamics(q, v, tau)": "accel fd ForwardDynamics mj_forward qacc fdyn forward dynamics abaLocal "
    "fwd_dyn ForwardDynamicsLagrangian CalcTimeDerivatives",
    "robot.rollout(q, v, tau, dt)": "sim simulation Trajectory step simulate mj_step integrate_dynamics "
    "ForwardDynamicsTrajectory SimulateControl stepSimulation pipeline_init pipeline_step mjx_step setTimeStep "
    "Simulator AdvanceTo dt make_data put_model rolloutPolicy",
    "robot.mass_matrix(q)": "inertia mass_mat M H JntToMass CalcMassMatrix MassMatrix mj_fullM qM inertia_matrix "
    "calcMassMatrix calculateMassMatrix massMatrix mass_matrices CompositeRigidBodyAlgorithm mass_matrix_full",
    "robot.mass_matrix_inverse(q)": "Minv mass_inverse computeMinverse M_inverse minverse CalcInverseMassMatrix "
    "inverse_mass_matrix",
    "robot.coriolis_matrix(q, v)": "coriolis C computeCoriolisMatrix getCoriolisMatrix",
    "robot.gravity_forces(q)": "gravity_torque gravload G g computeGeneralizedGravity gravity_vector gravity_comp "
    "gravity_compensation gravity_torques compute_gravity JntToGravity GravityForces CalcGravityGeneralizedForces "
    "generalized_gravity static_torque static_torques holding_torque holding_torques gravity_force",
    "robot.bias_forces(q, v)": "nle nonlinear_effects nonLinearEffects qfrc_bias bias bias_force coriolis_forces",
    "robot.bias_forces(q, v) - robot.gravity_forces(q)": "JntToCoriolis VelQuadraticForces CalcBiasTerm",
    "robot.passive_forces(q, v)": "nofriction friction qfrc_passive mj_passive damping_forces",
    "robot.inverse_dynamics(q, v, a, external={frame: wrench})": "EndEffectorForces computeStaticTorque "
    "applyExternalForce applyExternalTorque qfrc_applied xfrc_applied wrench",
    "robot.inverse_dynamics_derivatives(q, v, a)": "computeRNEADerivatives id_derivatives "
    "computeGeneralizedGravityDerivatives computeInverseDynamicsDerivatives",
    "robot.forward_dynamics_derivatives(q, v, tau)": "computeABADerivatives mjd_transitionFD fd_derivatives "
    "gravjac computeForwardDynamicsDerivatives",
    "robot.kinetic_energy(q, v)": "computeKineticEnergy CalcKineticEnergy",
    "robot.potential_energy(q)": "computePotentialEnergy CalcPotentialEnergy",
    "robot.center_of_mass(q)": "com centerOfMass compute_com subtree_com CalcCenterOfMassPositionInWorld com_position",
    "robot.center_of_mass_jacobian(q)": "jacobianCenterOfMass Jcom com_jacobian mj_jacSubtreeCom",
    "robot.centroidal_momentum_matrix(q)": "ccrba cmm momentum_matrix computeCentroidalMap Ag",
    "robot.momentum(q, v)": "computeCentroidalMomentum CalcSpatialMomentumInWorldAboutPoint hg subtree_angmom",
    "robot.inverse_dynamics_regressor(q, v, a)": "computeJointTorqueRegressor regressor",
    "robot.constrained_dynamics(q, v, tau, hold={frame: kind})": "constraintDynamics forwardDynamicsConstrained "
    "ForwardDynamicsConstraintsDirect ForwardDynamicsContactsDirect createConstraint initConstraintDynamics",
    "robot.random(rng)": "randn random_state random_configuration randomConfiguration random_q rand sample",
    "robot.neutral()": "zero zeros rest neutral_configuration qz qr q0 qpos qpos0 zero_configuration home init_q "
    "default_q",
    "robot.integrate(q, v * dt)": "mj_integratePos integrate_inplace MapVelocityToQDot dIntegrate",
    "robot.difference(q0, q1)": "mj_differentiatePos dDifference q_difference",
    "np.zeros(robot.nv)": "qvel init_qd",
    "robot.inverse_dynamics(q, v, a), with rows of the path as a batch": "InverseDynamicsTrajectory",
    "robot.nv": "n dof dofs ndof num_dof num_dofs nu n_joints njoints num_joints num_velocities getNrOfJoints "
    "qd_size num_actuated_dofs getNumJoints num_dof_total",
    "robot.nq": "num_positions n_q q_size",
    "robot.joint_names": "joints names getJointNames getJointId getJointName actuated_joint_names joint_map "
    "GetJointByName getJointInfo joint_list",
    "robot.operational_space_inertia(q, frame)": "cinertia lambda_matrix task_inertia Lambda",
    "robot.kernel(name)": "compile",
    "robot.frame_names": "base frames links link_names link_map body_names getFrameId existFrame getBodyId "
    "nframes nbody end_effector end_effectors ee_link ee_links tool bodies body nlinks GetBodyByName "
    "GetFrameByName get_body get_link get_frame_names GetBodyId getNrOfSegments getSegment segments segment_names",
    "robot.lower, robot.upper": "qlim joint_limits position_limits limits lowerPositionLimit upperPositionLimit "
    "GetPositionLowerLimits GetPositionUpperLimits jnt_range islimit qpos_limits joint_limit jnt_limits",
    "robot.velocity_limits": "qdlim velocityLimit GetVelocityUpperLimits max_velocity velocity_max",
    "robot.effort_limits": "effortLimit torque_limits tau_max GetEffortUpperLimits actuator_forcerange max_torque "
    "effort_max max_effort",
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
    "robot.with_gravity(gravity)": "set_gravity setGravity set_gravity_vector",
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
    "robot.symbolic(name)": "to_latex latex sympy equations eom equations_of_motion eq_of_motion eqm sympy_model",
    "sv.theory.lagrange": "lagrangian hamiltonian lagrange euler_lagrange",
    "sv.identification": "identify calibrate",
    "sv.ik.closed_form": "ik_all all_solutions inverse_kinematics_all solutions closed_form postures",
    "sv.ik.redundancy": "null_space nullspace pinv jacobian_inverse jacobian_pinv damped_least_squares rmrc dls "
    "nullspace_projector null_space_projector",
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
    "robot.model": "link_types isspherical isrevolute revolutejoints prismaticjoints nbranches hierarchy "
    "links_info inertia_tensor getDynamicsInfo inertias inertial geom geoms mesh meshes visual visuals root tree",
    "sv.from_dh(convention='classic', a=…, alpha=…, d=…, theta=…)": ""
    "DHRobot RevoluteDH PrismaticDH RevoluteMDH PrismaticMDH DHLink dh "
    "from_dh DH",
    "robot.velocity_product_acceleration(q, v, frame)": "CalcBiasSpatialAcceleration CalcBiasTranslationalAcceleration",
    "robot.analytical_jacobian(q, frame)": "jacob0_analytical analytic_jacobian",
    "robot.mass_matrix_solve(q, tau)": "CalcMInvTimesTau",
    "robot.mass_matrix_ltl(q)": "cholesky",
    "robot.delassus(q, frames)": "computeDelassusMatrix getDelassusMatrix",
    "robot.gravity": "g_vec gravity_acceleration getGravity",
    "np.linalg.norm(robot.gravity)": "gravity_magnitude",
    'robot.kernel("velocity", frame).derivative(wrt)': "computeForwardKinematicsDerivatives "
    "getFrameVelocityDerivatives getFrameAccelerationDerivatives",
    "robot.mass": "total_mass mass_total",
    "[body.inertia.mass for body in robot.model.bodies]": "masses link_masses computeSubtreeMasses",
    "robot.center_of_mass_jacobian(q) @ v": "com_velocity",
    "robot.joint_wrenches(q, v, a)": "joint_reactions reaction_forces joint_forces cfrc_int",
    "robot.with_limits(joint, lower=…, upper=…)": "set_joint_limits set_limits",
    "(robot.lower <= q) & (q <= robot.upper)": "check_limits within_limits in_limits islimit_all",
    "sv.tasks.Frame(frame, pose)": "FrameTask SE3Task",
    "sv.ik.redundancy.Gap(sv.tasks.Frame(frame), target)": "PoseGap",
    "sv.ik.redundancy.Gap(sv.tasks.RelativeFrame(first, second), np.eye(4))": "LoopGap",
    "sv.tasks.Posture": "PostureTask",
    "sv.tasks.CenterOfMass": "ComTask",
    "sv.tasks.RelativeFrame": "RelativeFrameTask",
    "sv.tasks.Damping": "DampingTask",
    "sv.tasks.Stack": "build_ik limits_qp Tasks pink mink qp qp_ik wbc whole_body whole_body_control differential_ik "
    "diff_ik diffik osc ConfigurationLimit VelocityLimit",
    "sv.tasks.Stack(robot, *tasks, clearance=(world, gap))": "barrier barriers cbf Barrier ControlBarrier "
    "BodySphericalBarrier SelfCollisionBarrier CollisionAvoidanceLimit collision_avoidance",
    "sv.tasks.Posture, sv.tasks.Damping": "LowAccelerationTask",
    "np.clip(q, robot.lower, robot.upper)": "clip saturate clamp",
    "sv.analysis.force_manipulability(robot, q, frame)": "fellipse force_ellipsoid",
    "sv.analysis.load_capacity": "paycap payload_capacity",
    "sv.model.edits": "WeldFrames AddJoint AddBody AppendBody addSegment addJoint changeDynamics perturb",
    "sv.spatial.Quaternion, sv.geometry.orientation": "quat quaternions quat2mat rpy2r euler2mat matrixToRpy",
}
"""What to write here, and the names for it in other libraries: Pinocchio, MuJoCo, Robotics Toolbox, KDL, Drake, ..."""

_NOT_NEEDED = {
    "there is no data object: every method takes the state": "createData MjData make_mjdata",
    "a loaded robot is complete": "Finalize finalize",
    "there is no context: every method takes the state": "CreateDefaultContext",
    "there is no state inside: every method takes q": "SetPositions set_joint_positions getJointState getJointStates "
    "resetJointState resetJointStates SetFreeBodyPose getBasePositionAndOrientation resetBasePositionAndOrientation "
    "getBaseVelocity get_q set_q update joint_angles "
    "angles Configuration",
    "vectors are NumPy arrays": "JntArray JntArrayVel Twist Wrench",
    "each method takes its own options": "opt sys integrator",
}

NEEDLESS = {theirs: reason for reason, names in _NOT_NEEDED.items() for theirs in names.split()}
"""Foreign names for what is not needed here, with the reason."""

ELSEWHERE = {theirs: ours for ours, names in HERE.items() for theirs in names.split()}
"""Each foreign name with what to write here."""
