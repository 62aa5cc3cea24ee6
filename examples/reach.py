"""A Panda reaches for a pose: forward and inverse kinematics, dynamics, a controlled motion and its film.

python examples/reach.py  # writes reach.gif
"""

import numpy as np

import sixvec as sv

robot = sv.load("panda")  # or a file: sv.load("examples/arm.urdf")
q, v = np.array([0, -0.4, 0, -2.0, 0, 1.6, 0.8]), np.zeros(7)
target = robot.pose(q, "panda_link8")  # forward kinematics: a pose (4, 4) ...
target[:3, 3] += [0.1, 0.3, 0.1]  # ... moved by 0.33 m
goal = robot.ik(target, "panda_link8", q0=q)  # inverse kinematics
torque = robot.inverse_dynamics(q, v, np.ones(7))  # what accelerates all joints by 1 rad/s²
law = lambda q, v, u: robot.inverse_dynamics(q, v, 25 * (u - q) - 10 * v)  # computed torque  # noqa: E731
motion = robot.rollout(q, v, goal.q, dt=0.001, steps=2500, control=law)  # one compiled loop
film = robot.animate(motion, "reach.gif", what="torque", overwrite=True)
print(goal, torque.round(1), film, sep="\n")
