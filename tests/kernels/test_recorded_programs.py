"""Operation counts of all kernels on small robots, recorded in tests/golden/programs.txt.

Laws decide whether a program is right.  This record shows which kernels a change makes longer or shorter, and which
combinations of options raise an error.  `SIXVEC_WRITE_GOLDEN=1 pytest tests/kernels/test_recorded_programs.py`
rewrites the file.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import sixvec as sv
from random_trees import random_tree
from sixvec.algorithms import REGISTRY
from sixvec.arguments.binding import REQUIRED
from sixvec.constraints.contacts import floor
from sixvec.errors import SixvecError
from sixvec.geometry.rigid_body.solids import Box, Sphere
from sixvec.model import Closure, JointDynamics, Mimic, Model
from sixvec.model.joints import Cylindrical, Fixed, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from sixvec.sim.impulse_problem import ImpulseProblem
from sixvec.sim.impulse_step import ImpulseStep
from sixvec.sim.integrators import INTEGRATORS
from sixvec.sim.step_options import Pushed, StepOptions
from sixvec.sim.time_step import step_kernel
from sixvec.spatial import Pose, Vec3

FILE = Path(__file__).parent.parent / "golden/programs.txt"
KERNELS = sorted(name for name, a in REGISTRY.items() if a.function.__module__.startswith("sixvec."))


def rough(model: Model) -> Model:
    """With rotors, dampers, springs and dry friction at all joints."""

    def numbers(n: int, first: float) -> tuple[float, ...]:
        return tuple(first + 0.125 * k for k in range(n))

    bodies = (
        replace(
            b,
            dynamics=JointDynamics(
                damping=numbers(b.joint.nv, 0.25),
                friction=numbers(b.joint.nv, 1.0),
                armature=numbers(b.joint.nv, 0.5),
                stiffness=numbers(b.joint.nv, 2.0),
            ),
        )
        for b in model.bodies
    )
    return replace(model, bodies=tuple(bodies))


def following(model: Model, leader: str, follower: str) -> Model:
    bodies = (replace(b, mimic=Mimic(leader, -1.5, 0.25)) if b.name == follower else b for b in model.bodies)
    return replace(model, bodies=tuple(bodies))


def chain(*joints: Any) -> Model:
    """Bodies one after the other, each with the inertia and the placement of one of a random tree."""
    drawn = random_tree(7, bodies=len(joints)).bodies
    names = [f"b{k}" for k in range(len(joints))]
    bodies = tuple(
        replace(b, name=name, parent=parent, joint=joint, joint_name=f"{name}_joint")
        for b, name, parent, joint in zip(drawn, names, [None, *names], joints, strict=False)
    )
    tool = Pose.translation(Vec3(0.25, -0.5, 0.125))
    frames = tuple(sv.model.Frame(n, n, tool) for n in names)
    return Model("chain", bodies, frames, Vec3(0.5, 1.0, -9.0))


@cache
def robots() -> dict[str, sv.Robot]:
    y = Vec3(0.0, 1.0, 0.0)
    three = rough(chain(Revolute(), Prismatic(y), Revolute(y)))
    return {
        "small": sv.Robot(rough(random_tree(4, bodies=4))),
        "floating": sv.Robot(random_tree(2, bodies=2, floating=True)),
        "follower": sv.Robot(following(three, "b0", "b2")),
        "side by side": sv.Robot(following(rough(beside(three)), "b0", "b2")),
        "four_bar": sv.load("four_bar"),
    }


def beside(model: Model) -> Model:
    """All bodies carried by the world."""
    return replace(model, bodies=tuple(replace(b, parent=None) for b in model.bodies))


def frames(robot: sv.Robot) -> tuple[str, str]:
    """The frame behind most joints, and the first."""
    moving = [f for f in robot.model.frames if f.body is not None]
    return max(moving, key=lambda f: len(robot.model.path(f.body))).name, moving[0].name


def variants(robot: sv.Robot, name: str) -> Iterator[dict[str, Any]]:
    """The defaults, then each option with other values."""
    frame, other = frames(robot)
    needed = {"frame": frame, "first": other, "second": frame, "to": other, "priorities": ({frame: "point"},)}
    options = REGISTRY[name].options
    base = {k: needed[k] for k, default in options.items() if default is REQUIRED and k in needed}
    yield base
    more: dict[str, list[Any]] = {
        "reference": ["local", "world"],
        "angles": ["zyz"],
        "passive": [True],
        "hold": [
            {frame: "point"},
            {frame: ("world x", "turn y"), other: "vertical"},
            {(frame, other): ("x", "turn z")},
        ],
        "prescribed": [(0,), (robot.nv - 1,)],
        "damping": [0.125],
        "method": ["recursion", "matrix"],
    }
    if robot.name.startswith("tree2"):
        return  # the joints of the floating robot are what it is for
    for option, values in more.items():
        if option in options and not (option == "hold" and name == "constrained_dynamics_derivatives"):
            yield from ({**base, option: value} for value in values)
    if "external_reference" in options and robot.nv < 5:
        yield {**base, "external": (frame, other), "external_reference": "local_world_aligned"}


def closed(joint: Any) -> sv.Robot:
    """A chain whose end is on the ground, by this joint."""
    model = chain(Revolute(), Prismatic(Vec3(0.0, 1.0, 0.0)), Spherical())
    ground = sv.model.Frame("ground", None, Pose.translation(Vec3(0.5, 0.25, 0.0)))
    loop = Closure("loop", "ground", "b2", joint)
    return sv.Robot(replace(model, frames=(*model.frames, ground), closures=(loop,)))


def loops() -> Iterator[tuple[str, Any]]:
    """The rows of every kind of closure, and of some their derivatives in dynamics."""
    u, w = Vec3(0.6, 0.0, 0.8), Vec3(0.0, 1.0, 0.0)
    joints = (
        Fixed(),
        Revolute(u),
        Prismatic(u),
        Helical(u, 0.25),
        Cylindrical(u),
        Planar(u),
        Spherical(),
        Universal(u, w),
    )
    for joint in joints:
        robot, kind = closed(joint), type(joint).__name__
        for name in ("closure_error", "closure_jacobian", "constraint_bias"):
            yield f"{kind} {name}", robot.kernel(name).program
    for joint in (Helical(u, 0.25), Universal(u, w), Prismatic(u)):
        yield f"{type(joint).__name__} slopes", closed(joint).kernel("constrained_dynamics_derivatives").program


def steps() -> Iterator[tuple[str, Any]]:
    """Steps of rollouts with every integrator, friction, driven joints and loops, and with contacts."""
    none = Pushed((), (), "local")
    known = robots()
    slow = StepOptions("euler", True, (), none, None, 0)
    for robot_name, integrators in (
        ("small", ("symplectic_euler",)),
        ("follower", INTEGRATORS),
        ("four_bar", ("semi_implicit_euler", "midpoint")),
    ):
        robot = known[robot_name]
        for integrator in integrators:
            options = slow._replace(integrator=integrator, width=robot.nv)
            yield f"step of {robot_name}, {integrator}", step_kernel(robot.model, options).program
    robot = known["follower"]
    pushed = StepOptions("euler", True, (1,), Pushed(("b1",), ("b2",), "world"), None, robot.nv)
    yield "step of follower, driven and pushed", step_kernel(robot.model, pushed).program
    ball, box = Sphere(0.125), Box(Vec3(0.5, 0.25, 0.125))
    for robot_name, contacts in (
        ("floating", floor([frames(known["floating"])[0]], ball, friction=0.5, restitution=0.25)),
        ("follower", floor(["b2"], box, friction=0.5)),
    ):
        robot = known[robot_name]
        step = ImpulseStep(ImpulseProblem(robot, tuple(contacts), spreads=True), 50, fine=True)
        staged = step.staged(path=True)
        for k in (0, -1):
            yield f"contact step {k} of {robot_name}", staged.stages[k].function.program


def rows() -> Iterator[tuple[str, str]]:
    """The name of each kernel and its number of operations, or the class of its error."""
    for robot_name, robot in robots().items():
        for name in KERNELS:
            for options in variants(robot, name):
                shown = ", ".join(f"{k}={v}" for k, v in options.items())
                try:
                    row = str(len(robot.kernel(name, **options).program.nodes))
                except SixvecError as problem:
                    row = type(problem).__name__
                yield f"{robot_name}.{name}({shown})", row
    for name, program in (*loops(), *steps()):
        yield name, str(len(program.nodes))


def test_kernels_have_the_recorded_numbers_of_operations() -> None:
    gc.disable()  # graphs have cycles, and looking for them takes as long as tracing
    try:
        counts = dict(rows())
    finally:
        gc.enable()
    if os.environ.get("SIXVEC_WRITE_GOLDEN"):
        FILE.write_text("".join(f"{count:>24}  {name}\n" for name, count in counts.items()))
    recorded = {line[26:]: line[:24].strip() for line in FILE.read_text().splitlines()}
    assert counts.keys() == recorded.keys()
    changed = {name: f"{recorded[name]} -> {counts[name]}" for name in counts if counts[name] != recorded[name]}
    assert changed == {}, "if meant: SIXVEC_WRITE_GOLDEN=1"
