"""Names of what does not exist here, or exists in another form: what to do instead."""

from __future__ import annotations

INSTEAD = {
    "sixvec plans no paths around obstacles; robot.track follows a path of poses, robot.is_clear checks positions": ""
    "plan plan_path planner path planning motion_plan motion_planning rrt ompl",
    "sixvec.motion.spline(robot, waypoints) is a path, sixvec.motion.time_optimal(path) the fastest motion along it; "
    "robot.track follows poses, robot.rollout simulates": "spline trajectory traj "
    "interpolate slerp jtraj ctraj quintic joint_trajectory trapezoidal time_optimal toppra retime timing totg "
    "time_parameterize time_parameterization parameterize SplineInterpolator JointVelocityConstraint "
    "JointAccelerationConstraint",
    "sixvec.motion.rest_to_rest(robot, start, end, acceleration=…, jerk=…) is the motion between two positions, from "
    "rest or from a state (v0, a0)": "ruckig otg InputParameter OutputParameter trapezoid scurve s_curve ptp move_j "
    "minimum_jerk min_jerk point_to_point rest_to_rest",
    "environments for reinforcement learning: sixvec.sim.vector_env(sixvec.sim.Batch(robot, count, dt=dt))": "env "
    "Env gym make_env vector_env make observation observe reward gymnasium envs Environment VectorEnv "
    "SyncVectorEnv rl reinforcement_learning spaces action_space observation_space",
    "robots compute where their arrays are: pass arrays of torch, JAX or CuPy on the device; see docs/gpu.md": "gpu "
    "device cuda cpu to set_device",
    "every method takes batches (..., n) and, on arrays of JAX and torch, works inside jit, vmap and grad; see "
    "docs/arrays.md": "batch jit vmap grad autograd torch jax numpy",
    "a robot has no state: every method takes q, v, tau": "q v tau qd state reset set_state get_state data",
    'tau are joint forces; those of a file\'s actuators: robot.rollout(q, v, u, dt, actuators="file"); see '
    "docs/simulation.md": "actuators motors actuator_gear ctrl act_size MakeActuationMatrix",
    'sixvec has no sensors and no cameras; robot.view(q) shows a robot, robot.animate(path, "motion.gif") a motion': ""
    "sensors camera",
    "write a law for robot.rollout(control=…), as examples/operational_space_control.py does; sixvec.tasks.Stack steps "
    "towards several goals": "control controller pid pd law mpc impedance "
    "setJointMotorControl2 setJointMotorControlArray setPhysicsEngineParameter admittance",
    "sixvec has no filters; robot.linearize(q, v, tau, dt) gives A and B of one, robot.rollout the prediction": ""
    "filter kalman ekf ukf observer estimator",
    "sixvec has no optimiser; robot.kernel(name).derivative(wrt) gives gradients to one of yours": ""
    "optimize optimise optimizer minimize",
    "sixvec has no test of balance; robot.center_of_mass(q) and the forces of contacts give the support polygon": ""
    "zmp cop support_polygon CalcZeroMomentPoint",
    "robots have no method for impacts; robot.rollout(contacts=…) computes them": "impulseDynamics impulse impact",
    "which frame is the tool is your choice: robot.frame_names[-1] is often it": "tip ee tcp",
    "robots do not change, so a copy is not needed; sixvec.model.edits make other models": "copy clone deepcopy",
    "sixvec writes no code of other libraries; robot.kernel(name) is a compiled function": "casadi numba",
}
"""What to do, and the names for which that is the advice."""

ANSWERS = {name: advice for advice, names in INSTEAD.items() for name in names.split()}
