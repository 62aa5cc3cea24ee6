"""Names of what does not exist here, or exists in another form: what to do instead."""

from __future__ import annotations

INSTEAD = {
    "sixvec has no distances between meshes; sixvec.constraints.contacts has spheres, capsules, boxes and planes, and "
    "examples/elbow_avoidance.py keeps a distance from obstacles": "collision collisions collision_check "
    "check_collision in_collision self_collision collide distance distances clearance is_clear World obstacles",
    "sixvec plans no paths around obstacles; robot.track follows a path of poses": "plan plan_path planner path "
    "motion_plan motion_planning rrt",
    "sixvec makes no splines or timed trajectories; robot.track follows poses, robot.rollout simulates, and "
    "robot.integrate(q0, s * robot.difference(q0, q1)) moves straight from q0 to q1": "spline trajectory traj "
    "interpolate slerp jtraj ctraj quintic motion",
    "sixvec has no environments for reinforcement learning; robot.rollout simulates batches of robots": "env Env gym "
    "make_env vector_env make",
    "robots compute where their arrays are: pass arrays of torch, JAX or CuPy on the device; see docs/gpu.md": "gpu "
    "device cuda cpu to set_device",
    "every method takes batches (..., n) and, on arrays of JAX and torch, works inside jit, vmap and grad; see "
    "docs/arrays.md": "batch jit vmap grad autograd torch jax",
    "a robot has no state: every method takes q, v, tau": "q v tau qd state reset set_state get_state",
    "sixvec has no actuators or sensors: tau are joint forces; laws go to robot.rollout(control=…)": "actuators motors "
    "sensors camera",
    "sixvec has no controllers; write a law for robot.rollout(control=…), as examples/operational_space_control.py "
    "does": "control controller pid mpc",
    "which frame is the tool is your choice: robot.frame_names[-1] is often it": "tip ee tcp",
    "robots do not change, so a copy is not needed; sixvec.model.edits make other models": "copy clone deepcopy",
    "sixvec writes no code of other libraries; robot.kernel(name) is a compiled function": "casadi numba",
}
"""What to do, and the names for which that is the answer."""

ANSWERS = {name: answer for answer, names in INSTEAD.items() for name in names.split()}
