"""placo in an environment of its own, since it needs other versions of Pinocchio and coal than pink.

    python placo_steps.py robot.urdf states.npz

It loads the robot and the states, writes the steps of the first states to standard output as one line of JSON, and then
for each line of standard input makes all steps once and answers with a line.  It imports nothing of this repository.
"""

import json
import sys

import numpy as np
import placo


def main() -> None:
    urdf, states = sys.argv[1:]
    data = np.load(states)
    robot = placo.RobotWrapper(urdf, placo.Flags.ignore_collisions)
    solver = placo.KinematicsSolver(robot)
    solver.mask_fbase(True)
    solver.dt = float(data["dt"])
    solver.enable_velocity_limits(True)
    solver.enable_joint_limits(True)
    frame = solver.add_frame_task(str(data["frame"]), data["goals"][0])
    frame.configure("frame", "soft", 1.0, 1.0)
    posture = solver.add_joints_task()
    names = list(robot.joint_names())
    posture.set_joints(dict(zip(names, map(float, data["rest"]))))
    posture.configure("posture", "soft", float(data["weight"]) ** 2)  # ours is squared
    full = robot.state.q.copy()
    first = len(full) - len(names)

    def step(q, goal):  # type: ignore[no-untyped-def]
        full[first:] = q
        robot.state.q = full
        frame.T_world_frame = goal
        robot.update_kinematics()
        return solver.solve(False)

    pairs = list(zip(data["q"], data["goals"]))
    print(json.dumps([np.asarray(step(*pair))[6:].tolist() for pair in pairs[:50]]), flush=True)
    for _ in sys.stdin:
        for pair in pairs:
            step(*pair)
        print("done", flush=True)


if __name__ == "__main__":
    main()
