"""Unitree's G1 stands on its feet with servos in all joints, and is pushed from all sides: which pushes does it stand?

All pushes are one batch: twelve directions and eight sizes.  A push changes the velocity of the whole robot at once,
like a blow on its centre of mass.  Nothing but the servos, which hold the posture, keeps the robot upright, so it has
to stay within its feet; motors are as strong as the servos ask.  Only the feet touch the floor.

    python examples/g1_pushed.py [g1.urdf]           # pip install example-robot-data, or give a file
    python examples/g1_pushed.py g1_pushed.gif       # a film of one push (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import sixvec as sv
from sixvec import sim
from sixvec.constraints.contacts import Contact

FILE, FOOT, FRICTION = "g1_29dof_rev_1_0.urdf", "ankle_roll_link", 0.8
POSTURE = {"hip_pitch": -0.3, "knee": 0.6, "ankle_pitch": -0.3, "elbow": 0.6}
STIFFNESS = {"hip": 250.0, "knee": 250.0, "ankle": 200.0, "waist": 200.0}
ARMS, DAMPING, ROTOR = 40.0, 0.03, 0.02
"""The stiffness of the servos of the arms in N m/rad, damping per stiffness in s, and inertia of rotors in kg m²."""

DT, WHEN, SECONDS = 0.002, 0.5, 2.5
DIRECTIONS, SIZES = 12, np.arange(4.0, 36.0, 4.0)
"""Sizes in N s."""

FILMED = np.array([[0.0, 15.0]])

FALLEN = 0.15
"""The height in m by which the pelvis of a robot that falls is lower."""


def file() -> Path:
    """The URDF file of the command line, or that of example-robot-data."""
    if len(sys.argv) > 1 and sys.argv[1].endswith(".urdf"):
        return Path(sys.argv[1])
    try:
        known = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        raise SystemExit("pip install example-robot-data, or give the URDF file of the robot") from None
    return Path(str(next(f for f in known if f.name == FILE).locate()))


def stiffness(joint: str) -> float:
    return next((k for part, k in STIFFNESS.items() if part in joint), ARMS)


def robot_of(path: Path) -> sv.Robot:
    """The robot with the damping of its servos, which acts at the end of a step, and with rotors."""
    model = sv.load(path, floating=True).model
    bodies = [
        replace(b, dynamics=replace(b.dynamics, armature=(ROTOR,), damping=(DAMPING * stiffness(b.joint_name),)))
        if b.joint.nv == 1
        else b
        for b in model.bodies
    ]
    return sv.Robot(replace(model, bodies=tuple(bodies)))


def standing(robot: sv.Robot) -> tuple[np.ndarray, list[Contact]]:
    """The posture with its feet on the floor, and their contacts."""
    q = robot.neutral()
    for i, b in enumerate(robot.model.moving[1:]):
        q[7 + i] = next((x for part, x in POSTURE.items() if part in b.joint_name), 0.0)
    soles = [g for g in robot.model.geoms if g.collision and FOOT in g.frame]
    contacts = [Contact(g.frame, g.shape, friction=FRICTION, placement=g.placement) for g in soles]
    places = [robot.pose(q, g.frame) @ np.array(g.placement.as_matrix()) for g in soles]
    q[2] -= min(X[2, 3] - getattr(g.shape, "radius", 0.0) for X, g in zip(places, soles, strict=True))
    return q, contacts


def pushed(robot: sv.Robot, pushes: np.ndarray) -> Any:
    """Positions (steps, pushes, nq) and the environments at the end; pushes are horizontal impulses (n, 2) in N s."""
    q, contacts = standing(robot)
    env = sim.Batch(robot, len(pushes), dt=DT, contacts=contacts, start=(q, np.zeros(robot.nv)))
    mass = sum(b.inertia.mass for b in robot.model.bodies)
    gains = np.array([stiffness(b.joint_name) for b in robot.model.moving[1:]])
    force, path = np.zeros((len(pushes), robot.nv)), []
    for k in range(round(SECONDS / DT)):
        if k == round(WHEN / DT):
            env.v[:, 3:5] += pushes / mass
        force[:, 6:] = gains * (q[7:] - env.q[:, 7:])
        env.step(force)
        path.append(env.q.copy())
    return np.array(path), env


def main() -> dict[str, float]:
    robot = robot_of(file())
    angles = np.linspace(0.0, 2.0 * np.pi, DIRECTIONS, endpoint=False)
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    pushes = (SIZES[:, None, None] * directions).reshape(-1, 2)
    path, env = pushed(robot, pushes)
    before, after = path[round(WHEN / DT) - 1, :, 2], path[-1, :, 2]
    stands = (before - after < FALLEN).reshape(len(SIZES), DIRECTIONS)
    most = [max((x for x, fine in zip(SIZES, column, strict=True) if fine), default=0.0) for column in stands.T]
    for angle, size in zip(angles, most, strict=True):
        print(f"pushed {np.rad2deg(angle):4.0f} degrees to the left of straight ahead: stands up to {size:3.0f} N s")
    return {
        "least of the largest pushes, N s": float(min(most)),
        "largest push, N s": float(max(most)),
        "sinks before the push, mm": float(1e3 * (path[0, :, 2] - before).max()),
        "speed at the end of what stands, m/s": float(np.abs(env.v[stands.ravel()]).max(initial=0.0)),
        "largest residual of what stands, m/s": float(env.residual[stands.ravel()].max(initial=0.0)),
        "differs between left and right, N s": float(np.abs(np.array(most[1:]) - np.array(most[:0:-1])).max()),
    }


def film(to: str) -> None:
    """One push to the left."""
    robot = robot_of(file())
    path, _ = pushed(robot, FILMED)
    robot.animate(path[round(0.8 * WHEN / DT) : round(2.0 / DT) : 20, 0], to, dt=20 * DT, overwrite=True)


if __name__ == "__main__":
    films = [x for x in sys.argv[1:] if x.endswith((".gif", ".mp4", ".html"))]
    film(films[0]) if films else print(main())
