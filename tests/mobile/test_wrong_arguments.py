"""Whatever is wrong with an argument of a function of wheels: an error of the library, never a raw one from within."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, DegenerateError, DtypeError, ModelError, ShapeError, SixvecError
from sixvec.mobile import (
    Ackermann,
    Caster,
    FixedWheel,
    OmniWheel,
    PlanarPose,
    PlanarTwist,
    Platform,
    Rolling,
    SteeredWheel,
    Trailer,
    Truck,
    VectorField,
    approach,
    bicycle,
    calibrate_drive,
    car,
    chained_form,
    commutator,
    controllability,
    differential_drive,
    dubins,
    follow,
    lie_bracket,
    mecanum,
    mount,
    omni3,
    reduced,
    reeds_shepp,
    rotate_drive_rotate,
    slipping_rollout,
    swerve,
    wheeled_robot,
)  # fmt: skip
from sixvec.spatial import RigidInertia, Sym3, Vec3

SLAB = RigidInertia.from_center_of_mass(60.0, Vec3(0.0, 0.0, 0.15), Sym3.diagonal(2.0, 3.0, 4.0))
DRIVE, CAR = differential_drive(0.5, 0.1), car(1.3, 0.8)
CART = Platform([*DRIVE.wheels, Caster(-0.3, 0.1, radius=0.05), Caster(0.3, 0.1, radius=0.05)])
ARM = sv.load("planar_2r")
TIP = ARM.frame_names[-1]
ROBOT, WHEELED = mount(ARM, CART, np.eye(4), inertia=SLAB), wheeled_robot(DRIVE, SLAB, 1.0)
TRUCK = DRIVE.with_trailer(hitch=0.0, length=0.8)
PATH = reeds_shepp([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], 1.0)
GO, TURN = DRIVE.operators["drive"], DRIVE.operators["rotate"]
BIKE = bicycle(1.3).operators
RUNS = np.array([[[5.0, 9.0]] * 5, [[8.0, 4.0]] * 5, [[6.0, 6.0]] * 5])
POSE, TWIST, FIVE = [0.0, 0.0, 0.0], [0.1, 1.0, 0.0], np.zeros(5)

CALLS: dict[Callable[..., Any], dict[str, Any]] = {
    FixedWheel: {"x": 0.0, "y": 0.0, "heading": 0.0, "radius": 0.1, "driven": True, "name": "a"},
    SteeredWheel: {"x": 0.0, "y": 0.0, "heading": 0.0, "radius": 0.1, "limit": 1.0},
    OmniWheel: {"x": 0.0, "y": 0.0, "radius": 0.1, "roller_angle": 0.1},
    Caster: {"x": 0.0, "y": 0.0, "radius": 0.1, "offset": 0.1},
    Platform: {"wheels": list(DRIVE.wheels), "steering": Ackermann(1.0), "name": "p"},
    Ackermann: {"wheelbase": 1.0, "axle": 0.0},
    differential_drive: {"track": 0.5, "radius": 0.1},
    car: {"wheelbase": 1.0, "track": 0.5, "radius": 0.1},
    bicycle: {"wheelbase": 1.0, "radius": 0.1},
    mecanum: {"wheelbase": 1.0, "track": 0.5, "radius": 0.1},
    swerve: {"wheelbase": 1.0, "track": 0.5, "radius": 0.1},
    omni3: {"distance": 1.0, "radius": 0.1},
    reduced: {"platform": CAR},
    CAR.wrench_basis: {"steer": [0.1]},
    CAR.forward_velocity: {"rates": [1.0, 1.0], "steer": [0.1]},
    CAR.inverse_velocity: {"twist": TWIST, "steer": [0.1]},
    CAR.filter: {"twist": TWIST, "weight": [1.0, 1.0, 1.0], "steer": [0.1]},
    CAR.icr: {"twist": TWIST},
    CAR.rolling_twist: {"steer": [0.1]},
    DRIVE.forward_force: {"forces": [1.0, 1.0, 1.0, 1.0]},
    CAR.inverse_force: {"wrench": TWIST, "steer": [0.1], "weight": None},
    CAR.equivalent_legs: {"steer": [0.1]},
    CART.caster_rates: {"twist": TWIST, "angles": [0.1, 0.1]},
    DRIVE.odometry: {"rates": [[1.0, 2.0]] * 4, "dt": 0.1, "pose0": POSE, "covariance": np.eye(3), "noise": 0.1},
    CAR.odometry: {"rates": [[1.0, 1.0]] * 4, "dt": [0.1] * 4, "pose0": POSE, "steer": [[0.1]] * 4},
    CAR.controllability: {"q": [0.0, 0.0, 0.0, 0.0]},
    DRIVE.with_trailer: {"hitch": 0.0, "length": 1.0},
    Truck: {"platform": DRIVE, "trailers": (Trailer(0.0, 1.0),)},
    TRUCK.angle_rates: {"angles": [0.1], "twist": TWIST},
    TRUCK.poses: {"pose": POSE, "angles": [0.1]},
    TRUCK.steady_angles: {"curvature": 0.1},
    TRUCK.steady_radii: {"curvature": 0.1},
    TRUCK.jackknifed: {"angles": [0.1], "limit": 1.0},
    TRUCK.odometry: {"rates": [[1.0, 2.0]] * 3, "dt": 0.1, "pose0": POSE, "angles0": [0.1]},
    commutator: {"f": GO, "g": TURN, "q": POSE, "a": 0.1, "b": 0.1},
    lie_bracket: {"f": GO, "g": TURN},
    controllability: {"fields": [GO, TURN], "q": POSE, "depth": 4},
    VectorField(lambda q: [1.0, 0.0, q[2]]): {"q": POSE},
    chained_form: {"drive": BIKE["drive"], "turn": BIKE["steer"], "n": 4},
    calibrate_drive: {"platform": DRIVE, "rates": RUNS, "dt": 0.1, "pose0": POSE,
                      "measured": DRIVE.odometry(RUNS, 0.1).end, "weight": [1.0, 1.0, 1.0]},
    dubins: {"start": POSE, "goal": [1.0, 1.0, 1.0], "radius": 1.0},
    reeds_shepp: {"start": POSE, "goal": [1.0, 1.0], "radius": 1.0},
    rotate_drive_rotate: {"start": POSE, "goal": [1.0, 1.0, 1.0]},
    PATH.at: {"distance": 0.5},
    PATH.samples: {"n": 5},
    approach: {"platform": DRIVE, "start": POSE, "goal": [1.0, 1.0, 1.0], "dt": 0.1, "steps": 5, "rate": 1.0},
    follow: {"platform": DRIVE, "start": POSE, "references": PATH.samples(5), "dt": 0.1, "gain": 2.0},
    mount: {"arm": ARM, "platform": DRIVE, "pose": np.eye(4), "inertia": SLAB, "prefix": "", "steering_inertia": 0.0},
    wheeled_robot: {"platform": DRIVE, "inertia": SLAB, "wheel_mass": 1.0, "fork_mass": 0.0},
    slipping_rollout: {"robot": WHEELED, "q": FIVE, "v": FIVE, "tau": np.zeros((3, 5)), "dt": 0.1,
                       "friction": {"left": 1.0, "right": 1.0}, "hold": WHEELED.rolling},
    Rolling: {"radius": 0.1, "directions": ("side",), "roller_angle": 0.1},
    WHEELED.rollout: {"q": FIVE, "v": FIVE, "tau": np.zeros((3, 5)), "dt": 0.1, "hold": {}},
    WHEELED.forward_dynamics: {"q": FIVE, "v": FIVE, "tau": FIVE},
    WHEELED.inverse_dynamics: {"q": FIVE, "v": FIVE, "a": FIVE},
    WHEELED.rolling_velocity: {"q": FIVE, "v": FIVE},
    WHEELED.slip: {"q": FIVE, "v": FIVE},
    ROBOT.input_jacobian: {"q": FIVE, "frame": TIP, "reference": "local"},
    ROBOT.inverse_rates: {"q": FIVE, "twist": np.zeros(6), "frame": TIP, "weight": np.ones(4), "preferred": [0.0] * 4},
    ROBOT.follow: {"q0": FIVE, "twists": np.zeros((3, 6)), "frame": TIP, "dt": 0.1},
    ROBOT.reach: {"pose": ROBOT.pose(FIVE + 0.1, TIP), "frame": TIP, "q0": FIVE, "radius": 1.0},
    ROBOT.support: {"q": FIVE, "v": FIVE, "a": FIVE, "external": {}},
    ROBOT.inverse_force: {"q": FIVE, "external": {}, "v": FIVE, "a": FIVE, "weight": None},
    PlanarPose.of: {"three": POSE},
    PlanarTwist.of: {"three": TWIST},
}  # fmt: skip

WRONG: list[Any] = [
    "a b", object(), 1j, [None, 1.0], ["a", "b", "c"], {"x": 1}, -1.0, None, np.nan, [1.0, 2.0], np.zeros((2, 2, 2)),
]  # fmt: skip
NEVER = WRONG[:5]
"""What no argument can be, but a text for a name."""


@pytest.mark.parametrize(
    "call",
    CALLS,
    ids=lambda f: str(getattr(f, "__qualname__", None) or getattr(f, "__name__", None) or type(f).__name__),
)
def test_errors_are_those_of_the_library(call: Callable[..., Any]) -> None:
    given = CALLS[call]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call(**given)
        for name, right in given.items():
            for wrong in WRONG:
                try:
                    call(**given | {name: wrong})
                except SixvecError:
                    continue
                assert not any(wrong is x for x in NEVER) or isinstance(right, str), f"{name}={wrong!r} is accepted"


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: differential_drive(1.0, "a"), DtypeError, named("radius", "a")),  # type: ignore[arg-type]
        (lambda: Platform(5), ModelError, named("platform", "wheels")),  # type: ignore[arg-type]
        (lambda: mount(ARM, DRIVE, inertia=5), SixvecError, named("mount", "inertia", "sixvec.spatial.RigidInertia")),  # type: ignore[arg-type]
        (
            lambda: DRIVE.odometry([[1.0, 2.0]], 0.1, noise=[1, 2, 3]),
            ShapeError,
            "noise",
        ),
        (lambda: DRIVE.odometry([["fast", 2.0]], 0.1), DtypeError, named("rates", "fast")),
        (lambda: DRIVE.odometry([[1.0, 2.0]], 0.1, covariance=-np.eye(3)), SixvecError, "covariance"),
    ],
)
def test_errors_name_the_argument(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_degrees_are_warned_of() -> None:
    with pytest.warns(UserWarning, match=named("math.radians")):
        FixedWheel(0.0, 0.0, 22.5, radius=0.1)
    with pytest.warns(UserWarning, match="front"):
        SteeredWheel(0.0, 0.0, radius=0.1, limit=60.0, name="front")
    with pytest.warns(UserWarning, match="heading"):
        DRIVE.odometry([[1.0, 1.0]], 0.1, [0.0, 0.0, 90.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DRIVE.odometry([[1.0, 1.0]], 0.1, [0.0, 0.0, 7.3])  # a heading that counts turns


def test_what_has_no_derivative_on_wheels_says_so_to_torch() -> None:
    torch = pytest.importorskip("torch")
    body = RigidInertia.from_center_of_mass(20.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.5, 0.5, 0.8))
    robot = sv.mobile.wheeled_robot(sv.mobile.differential_drive(0.5, 0.1), body, 1.0)
    still = torch.zeros(5, dtype=torch.float64)
    asked = still.clone().requires_grad_()
    assert "residual" in repr(robot.driving_forces(still, still, still))
    for found in (robot.slip(still, still), robot.rolling_velocity(still, still), robot.inverse_dynamics(*[still] * 3)):
        assert found.dtype == torch.float64
    for call in (lambda: robot.slip(still, asked), lambda: robot.inverse_dynamics(still, still, asked)):
        with pytest.raises(ArgumentError):
            call()


def test_masses_and_covariances_that_nothing_has_raise() -> None:
    body = RigidInertia.from_center_of_mass(20.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.5, 0.5, 0.8))
    with pytest.raises(ModelError, match="fork_mass"):
        sv.mobile.wheeled_robot(sv.mobile.swerve(0.6, 0.4, 0.05), body, 1.0, -1.0)
    base, indefinite = sv.mobile.differential_drive(0.5, 0.1), np.eye(3)
    indefinite[0, 1] = indefinite[1, 0] = 2.0
    for bad, why in ((indefinite, "covariance"), (np.full((3, 3), np.nan), "finite")):
        with pytest.raises(ArgumentError, match=why):
            base.odometry([[1.0, 1.0]], 0.1, covariance=bad)
    assert base.odometry(np.ones((0, 5000, 2)), 0.1).pose.shape == (0, 5000, 3)


def test_inputs_of_a_chained_form_whose_batches_differ() -> None:
    form = sv.mobile.chained_form(*sv.mobile.bicycle(1.3).operators.values(), 4)
    with pytest.raises(ShapeError, match="inputs"):
        form.inputs(np.zeros((3, 4)), np.ones(2), 0.0)
    with pytest.raises(ShapeError, match=named("at")):
        sv.mobile.dubins(np.zeros((2, 3)), np.ones(3), 1.0).at(np.ones(3))


def test_single_precision_is_returned_for_arrays_of_single_precision() -> None:
    base = sv.mobile.differential_drive(0.5, 0.1)
    rates = np.ones((4, 2), np.float32)
    assert base.odometry(rates, 0.1).pose.dtype == base.forward_velocity(rates).twist.dtype == np.float32
    assert base.inverse_velocity(np.ones(3, np.float32)).rates.dtype == np.float32
    assert base.odometry(rates, 0.1, np.zeros(3)).pose.dtype == base.forward_velocity([1.0, 1.0]).twist.dtype == float


def test_platforms_and_laws_that_cannot_be() -> None:
    side = Platform([FixedWheel(0.0, 0.2, radius=0.1), SteeredWheel(0.0, -0.3, radius=0.1)])
    with pytest.raises(DegenerateError, match="wheel1"):
        _ = side.operators
    with pytest.raises(ArgumentError, match="omni3"):
        omni3(0.5, 0.1).rolling_twist()
    with pytest.raises(ArgumentError, match=named("slipping_rollout", "planar_2r")):
        slipping_rollout(ARM, np.zeros(2), np.zeros(2), np.zeros((3, 2)), 0.1, {})
    with pytest.raises(ArgumentError, match=named("chained_form", "output", "x")):
        chained_form(BIKE["drive"], BIKE["steer"], 4, output="x")  # type: ignore[arg-type]

    def raising_field(q: Any) -> Any:
        raise ArgumentError("not here")

    with pytest.raises(ArgumentError):
        VectorField(raising_field).at([0.0, 0.0, 0.0])
    assert repr(GO) == "<MotionOperator drive>"
    assert repr(dubins([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [1.0, 1.0, 1.0], 1.0)) == "<CurvePath: 2 paths>"


def test_samples_of_paths_that_are_followed_for_derivatives() -> None:
    torch = pytest.importorskip("torch")
    start, goal = [0.1, -0.2, 0.3], [3.0, 2.0, 1.0]
    for plan in (dubins, reeds_shepp):
        path = plan(torch.tensor(start, dtype=torch.float64, requires_grad=True), goal, 0.8)
        plain = plan(start, goal, 0.8)
        assert path.samples(5).requires_grad and np.allclose(path.samples(5).detach(), plain.samples(5), atol=1e-12)
        assert np.allclose(path.at(1.7).detach(), plain.at(1.7), atol=1e-12) and abs(plain.length - 1.0) > 0.5
        assert np.allclose(path.segments.detach(), plain.segments) and np.allclose(
            path.curvature.detach(), plain.curvature
        )
