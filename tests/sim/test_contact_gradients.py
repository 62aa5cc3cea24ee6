"""Derivatives of rollouts with contacts, against central differences of the same rollouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec import sim
from sixvec.constraints.contacts import Contact, floor, stops
from sixvec.errors import ArgumentError, DtypeError
from sixvec.formats import parse_model
from sixvec.geometry.rigid_body import Sphere
from sixvec.mobile import differential_drive, wheeled_robot
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

torch = pytest.importorskip("torch")
jax = pytest.importorskip("jax")

BY_DIFFERENCES = 1e-6
"""Relative error of central differences of order 4, whose steps are short: states of contacts must not change."""

DT = 0.004


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    """For all threads: JAX calls loops from others."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def text(bodies: str, others: str = "") -> str:
    return f'<mujoco model="m"><worldbody><geom type="plane" size="9 9 1"/>{bodies}</worldbody>{others}</mujoco>'


def robot(bodies: str, others: str = "") -> Any:
    return sv.Robot(parse_model(text(bodies, others), "m.xml"))


def tensor(x: Any) -> Any:
    return torch.tensor(np.asarray(x, float), dtype=torch.float64)


@dataclass
class Case:
    """A rollout whose contacts keep their states."""

    robot: Any
    q: Any
    v: Any
    u: Any
    options: dict[str, Any]
    small: dict[str, float] = field(default_factory=dict)
    """Steps of differences, where the usual ones change states of contacts."""
    rows: Callable[[Any], Any] | None = None
    """The rows of what binds the robot at a position: differences are along motions that it allows."""
    level: tuple[int, ...] = ()
    """Coordinates of q that stay the same."""

    def run(self, q: Any, v: Any, u: Any, dt: Any) -> Any:
        return self.robot.rollout(q, v, u, dt, **self.options)

    def allowed(self, motion: Any) -> Any:
        """The part of a motion that nothing binds."""
        if self.rows is None:
            return motion
        rows = np.concatenate([self.rows(self.q), np.eye(len(motion))[list(self.level)]])
        return motion - np.linalg.pinv(rows, rcond=1e-8) @ (rows @ motion)


def box(spin: float = 0.0) -> Case:
    """It slides in the plane on four corners, with some overlap at the start."""
    made = robot('<body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .15 .1" mass="1.3" friction=".4"/></body>')
    q, v = [0, 0, 0.0999, 1, 0, 0, 0], [0, 0, spin, 0.7, 0.3, 0]
    return Case(made, q, v, np.zeros((12, 6)), {"contacts": "file"})


def ball(condim: int, v: Any) -> Case:
    """It slides, or rolls with resistance to spin and roll."""
    surface = f'friction=".4 .02 .01" condim="{condim}"'
    made = robot(f'<body pos="0 0 .1"><freejoint/><geom type="sphere" size=".1" mass="1.3" {surface}/></body>')
    return Case(made, [0, 0, 0.0999, 1, 0, 0, 0], v, np.zeros((12, 6)), {"contacts": "file"})


def hopper() -> Case:
    """A leg with a motor, in stance."""
    made = robot(
        """<body pos="0 0 .6"><joint type="slide" axis="1 0 0"/> <joint type="slide" axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 0 0 .2" size=".05" mass="2"/>
        <body><joint name="hip" axis="0 1 0" limited="true" range="-60 60" damping=".5" armature=".01"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".03" mass=".5"/></body></body>""",
        '<actuator><motor joint="hip" gear="10" ctrlrange="-1 1"/></actuator>',
    )
    u = 0.3 * np.ones((12, 1))
    return Case(made, [0, -0.1705, 0.02], [0.1, 0, 0.2], u, {"contacts": "file", "actuators": "file", "limits": True})


def pressed() -> Case:
    """A motor presses one joint against its stop, friction holds another, and a third one slips."""
    joint = '<joint name="{}" axis="0 1 0" armature=".02" {}/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/>'
    bodies = '<body pos="0 0 2">{}<body pos=".3 0 0">{}<body pos=".3 0 0">{}</body></body></body>'.format(
        joint.format("a", 'limited="true" range="-20 20"'),
        joint.format("b", 'frictionloss="9"'),
        joint.format("c", 'frictionloss=".1" damping=".3" stiffness="2"'),
    )
    servo = '<position joint="a" kp="80" kv="3"/><motor joint="b"/><position joint="c" kp="4"/>'
    made = robot(bodies, f"<actuator>{servo}</actuator>")
    q, u = [np.deg2rad(20) - 1e-3, 0.3, 0.1], np.tile([1.2, 0.4, 0.9], (12, 1))
    return Case(made, q, [1.0, 0.0, 1.5], u, {"actuators": "file", "limits": True})


def filtered() -> Case:
    """A servo with a filter, whose activation is one more state, and a ball that is pushed along the floor."""
    made = robot(
        """<body pos="0 0 .1"><joint name="x" type="slide" axis="1 0 0"/> <joint type="slide" axis="0 0 1"/>
        <geom type="sphere" size=".1" mass="1" friction=".3"/></body>""",
        '<actuator><general joint="x" dyntype="filter" dynprm=".05" gainprm="9"/></actuator>',
    )
    return Case(made, [0, -1e-4], [0.5, 0], 0.4 * np.ones((12, 1)), {"contacts": "file", "actuators": "file"})


def quadruped() -> Case:
    """It stands on four feet: twelve rows of contacts for fewer motions of its trunk."""
    made = sv.load("solo12")
    feet = [name for name in made.frame_names if name.endswith("FOOT")]
    q = made.neutral()
    q[7:] = [0.0, 0.8, -1.6] * 2 + [0.0, -0.8, 1.6] * 2
    q[2] += 0.015 - 1e-4 - min(made.pose(q, foot)[2, 3] for foot in feet)

    def servos(q: Any, v: Any, u: Any) -> Any:
        return np.concatenate([0.0 * q[:6], 15.0 * (u - q[7:]) - 0.4 * v[6:]])

    u = np.tile(q[7:], (8, 1)) + 0.02 * np.random.default_rng(0).normal(size=(8, 12))
    options = {"contacts": floor(feet, Sphere(0.015)), "control": servos}
    return Case(made, q, np.zeros(18), u, options, {"q": 1e-6})


def bounce() -> Case:
    """It bounces in a plane, with friction, in the middle of the path."""
    made = robot(
        """<body><joint type="slide" axis="1 0 0"/> <joint type="slide" axis="0 0 1"/> <joint axis="0 1 0"/>
        <geom type="sphere" size=".1" mass="1"/></body>"""
    )
    contact = Contact(made.model.bodies[-1].name, Sphere(0.1), friction=0.3, restitution=0.6)
    return Case(made, [0, 0.1 + 0.0171, 0], [2, -1, 0], np.zeros((12, 3)), {"contacts": [contact]})


def stop() -> Case:
    """It hits a stop and rebounds."""
    made = robot(
        '<body pos="0 0 2"><joint name="a" axis="0 0 1" range="-20 20" limited="true"/><geom size=".1"/></body>'
    )
    return Case(made, [0.3], [3.0], np.zeros((12, 1)), {"contacts": stops(made, restitution=0.5)})


def leg_with_a_loop() -> Case:
    """A four-bar below a trunk whose coupler has a foot: it slides on the floor while a motor turns the crank."""
    bar = 'type="capsule" size=".02" mass=".2" contype="0" conaffinity="0"'
    made = robot(
        f"""<body name="trunk"><joint name="x" type="slide" axis="1 0 0"/> <joint name="z" type="slide" axis="0 0 1"/>
        <geom type="box" size=".2 .1 .05" mass="3" contype="0" conaffinity="0"/>
        <body pos="-.1 0 0"><joint name="drive" axis="0 1 0" damping=".02"/> <geom fromto="0 0 0 0 0 -.15" {bar}/>
        <body name="coupler" pos=".02 0 -.15"><joint axis="0 1 0"/> <geom fromto="0 0 0 .2 0 0" {bar}/>
        <geom type="sphere" pos=".1 0 -.15" size=".03" mass=".1" friction=".5"/></body></body>
        <body name="rocker" pos=".13 0 .03"><joint axis="0 1 0"/> <geom fromto="0 0 0 0 0 -.15" {bar}/></body>
        </body>""",
        '<equality><connect body1="coupler" body2="rocker" anchor=".2 0 0"/></equality>',
    )
    q = made.assemble([0.0, 0.0, 0.3, 0.0, 0.3], fixed=["x", "z", "drive"]).q
    q[1] -= made.rollout(q, np.zeros(5), np.zeros((1, 5)), DT, contacts="file").gap[0, 0] + 1e-5
    u = np.tile([0.0, 0.0, 1.0, 0.0, 0.0], (12, 1))
    rows = made.closure_jacobian
    return Case(made, q, [0.6, 0, 0, 0, 0], u, {"contacts": "file"}, {"q": 1e-6}, rows)


def bumper() -> Case:
    """A robot on two wheels that roll slides along a wall with its bumper."""
    slab = RigidInertia.from_center_of_mass(20.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.5, 0.5, 0.8))
    made = wheeled_robot(differential_drive(0.5, 0.1), slab, 1.0)
    wall = Pose(Rotation.about_x(np.pi / 2), Vec3(0.0, 0.3999, 0.0))
    front = Pose(Rotation.identity(), Vec3(0.3, 0.3, 0.1))
    contact = Contact("platform", Sphere(0.1), friction=0.3, placement=front, on_placement=wall)
    rows = lambda q: made.kernel("constraint_jacobian", hold=made.rolling)(q)  # noqa: E731
    q, v = np.array([0.0, 0.0, 0.0, 0.3, -0.2]), np.array([0.5, 0.0, 0.0, 5.0, 5.0])
    return Case(made, q, v, np.tile([0, 0, 0, 0.1, 0.8], (12, 1)), {"contacts": [contact]}, {}, rows, (2,))


CASES: dict[str, Callable[[], Case]] = {
    "box": box,
    "sliding ball": lambda: ball(3, [0, 3, 1, 0.7, 0.3, 0]),
    "rolling ball": lambda: ball(6, [0, 7, 1, 0.7, 0, 0]),
    "spinning ball": lambda: ball(4, [0, 0, 2, 0, 0, 0]),
    "hopper": hopper,
    "pressed": pressed,
    "filtered": filtered,
    "quadruped": quadruped,
    "bounce": bounce,
    "stop": stop,
    "leg with a loop": leg_with_a_loop,
    "bumper": bumper,
}


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow if n == "quadruped" else ()) for n in CASES])
def test_gradients_are_those_of_differences(name: str) -> None:
    case, rng = CASES[name](), np.random.default_rng(0)
    arrays = dict(zip(("q", "v", "u", "dt"), map(np.asarray, (case.q, case.v, case.u, DT)), strict=True))
    tensors = {k: tensor(x).requires_grad_() for k, x in arrays.items()}
    path = case.run(*tensors.values())
    assert int(path.verdict) == 0
    weights = [tensor(rng.normal(size=x.shape)) for x in (path.q, path.v)]

    def value(**changed: Any) -> Any:
        found = case.run(*({k: tensor(x) for k, x in arrays.items()} | changed).values())
        return (found.q * weights[0]).sum() + (found.v * weights[1]).sum()

    ((path.q * weights[0]).sum() + (path.v * weights[1]).sum()).backward()
    for key, x in arrays.items():
        along = rng.normal(size=x.shape) / np.sqrt(max(1, x.size))
        if key == "q":  # quaternions stay unit quaternions
            motion = case.allowed(rng.normal(size=case.robot.nv))
            moved, still = (case.robot.integrate(x, h * motion) for h in (1e-6, 0.0))
            along = (moved - still) * 1e6
        elif key == "v":
            along = case.allowed(along)
        h = case.small.get(key, 1e-7 if key == "dt" else 1e-5)
        steps = ((tensor(x + s * along), tensor(x - s * along), 2 * s) for s in (h, h / 2))
        far, near = ((value(**{key: ahead}) - value(**{key: behind})) / length for ahead, behind, length in steps)
        expected = float((4 * near - far) / 3)
        gradient = float((tensors[key].grad * tensor(along)).sum())
        assert abs(gradient - expected) <= BY_DIFFERENCES * max(1.0, abs(expected)), (key, gradient, expected)


@pytest.mark.parametrize("name", ["leg with a loop", "bumper"])
def test_batches_of_loops_and_wheels(name: str) -> None:
    """A step of a batch from a given state: by friction and controls."""
    case, rng = CASES[name](), np.random.default_rng(0)
    options: dict[str, Any] = {"contacts": case.options["contacts"], "start": (case.q, case.v)}
    env = sim.Batch(case.robot, 1, dt=DT, substeps=8, library="torch", **options)
    state, u = tensor(np.concatenate([case.q, case.v])), tensor(case.u[0])
    weight, along = tensor(rng.normal(size=state.shape)), tensor(rng.normal(size=u.shape))

    def value(x: Any) -> Any:
        return (env.step(u + x[0] * along, state, friction=1.0 + x[1]) * weight).sum()

    gradient = torch.func.grad(value)(tensor([0.0, 0.0]))
    for k, h in ((0, 1e-5), (1, 1e-5)):
        step = tensor(np.eye(2)[k])
        far, near = ((value(s * step) - value(-s * step)) / (2 * s) for s in (h, h / 2))
        assert abs(float(gradient[k] - (4 * near - far) / 3)) <= BY_DIFFERENCES and abs(float(gradient[k])) > 1e-3


def test_values_are_those_of_numpy() -> None:
    for name in ("hopper", "filtered", "pressed"):
        case = CASES[name]()
        expected = case.run(case.q, case.v, case.u, DT)
        for found in (
            case.run(*map(tensor, (case.q, case.v, case.u)), DT),
            case.run(tensor(case.q), case.v, case.u, DT),
            case.run(*(jax.numpy.asarray(x, float) for x in (case.q, case.v, case.u)), DT),
        ):
            assert type(found.force) is type(found.q) and tuple(found.q.shape) == expected.q.shape
            assert np.allclose(found.q, expected.q, atol=1e-6) and np.allclose(found.v, expected.v, atol=1e-4)
            assert np.allclose(found.force, expected.force, atol=0.05) and np.allclose(
                found.gap, expected.gap, atol=1e-6
            )
            assert int(found.verdict) == 0 and str(found.verdict.dtype).endswith("int8")


def test_constant_controls_batches_and_single_precision() -> None:
    case = hopper()
    q = tensor([case.q, np.add(case.q, 0.01)]).requires_grad_()
    path = case.robot.rollout(q, tensor(case.v), tensor(case.u[0]), DT, steps=12, **case.options)
    path.q[:, -1].sum().backward()
    for k in range(2):
        one = tensor(q[k].detach()).requires_grad_()
        alone = case.run(one, tensor(case.v), tensor(case.u), DT)
        alone.q[-1].sum().backward()
        assert np.allclose(q.grad[k], one.grad, atol=1e-12) and np.allclose(path.q[k].detach(), alone.q.detach())
    single = case.run(*(tensor(x).float() for x in (case.q, case.v, case.u)), DT)
    exact = case.run(*(tensor(x).float().double() for x in (case.q, case.v, case.u)), float(np.float32(DT)))
    assert single.q.dtype == torch.float32 and torch.equal(single.q, exact.q.float())


def test_transformations_agree() -> None:
    case = filtered()
    case.u = case.u[:2]
    q, v, u = map(tensor, (case.q, case.v, case.u))

    def end(u: Any) -> Any:
        return case.run(q, v, u, DT).q[-1]

    J = torch.func.jacrev(end)(u)
    assert torch.allclose(torch.func.jacfwd(end)(u), J, atol=1e-12)
    mapped = torch.func.vmap(torch.func.jacrev(end))(torch.stack([u, 0.5 * u]))
    assert torch.allclose(mapped[0], J, atol=1e-12)
    start, velocity, controls = (jax.numpy.asarray(x, float) for x in (case.q, case.v, case.u))

    def last(u: Any) -> Any:
        return case.run(start, velocity, u, DT).q[-1]

    for transform in (jax.jacrev, jax.jacfwd, lambda f: jax.jit(jax.jacrev(f))):
        assert np.allclose(transform(last)(controls), J, atol=1e-12)
    assert np.allclose(jax.vmap(jax.jacrev(last))(jax.numpy.stack([controls, 0.5 * controls])), mapped, atol=1e-12)
    path = jax.jit(lambda u: case.run(start, velocity, u, DT))(controls)
    assert int(path.verdict) == 0 and int(jax.jit(lambda u: case.run(start, velocity, u, DT).verdict)(controls)) == 0


def test_second_derivatives_of_sliding() -> None:
    case = CASES["sliding ball"]()
    q, u, weight = tensor(case.q), tensor(case.u[:4]), tensor(np.random.default_rng(0).normal(size=(4, 7)))

    def cost(v: Any) -> Any:
        return (case.run(q, v, u, DT).q * weight).sum()

    v, h = tensor(case.v), 1e-4
    slope = torch.func.grad(cost)
    expected = torch.stack([(slope(v + h * e) - slope(v - h * e)) / (2 * h) for e in torch.eye(6, dtype=torch.float64)])
    assert torch.allclose(torch.func.hessian(cost)(v), expected, atol=1e-6 * float(expected.abs().max()))


def test_what_is_not_supported_is_named() -> None:
    case = hopper()
    q, v, u = map(tensor, (case.q, case.v, case.u[:, :1] * np.ones(3)))
    for option in ({"hold": {"leg": "point"}}, {"external": {"leg": np.zeros(6)}}, {"prescribed": ["hip"]}):
        with pytest.raises(ArgumentError, match=named(*option)):
            case.robot.rollout(q, v, u, DT, contacts="file", **option)
        with pytest.raises(ArgumentError, match=named(*option)):
            case.robot.rollout(q, v, u, DT, contacts=[], **option)
    bars = sv.load("four_bar")
    with pytest.raises(ArgumentError, match=named("open")):
        bars.rollout(tensor(bars.neutral()), tensor(np.zeros(3)), tensor(np.zeros((2, 3))), DT, contacts=[])
    with jax.enable_x64(False), pytest.raises(DtypeError, match=named("rollout", "jax.config.update")):
        case.run(*(jax.numpy.asarray(x, "float32") for x in (case.q, case.v, case.u)), DT)
