"""Functions that compute in NumPy answer in the library and precision of their arguments, differentiably or not."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, CallError, DtypeError, ShapeError
from sixvec.kernels.any_arrays import _are_single, _double, _is_choice, alike, any_arrays_same_dtype, flat
from sixvec.parallel import Delta, Planar3RPR, quality, tetrahedron_apex

torch = pytest.importorskip("torch")
jax = pytest.importorskip("jax")

DRIVE, CAR, SWERVE = sv.mobile.differential_drive(0.5, 0.1), sv.mobile.car(1.3, 0.8), sv.mobile.swerve(0.6, 0.4, 0.05)
TRUCK, DELTA = DRIVE.with_trailer(0.1, length=0.8), Delta(0.2, 0.05, 0.25, 0.6)
PANDA, RPR = sv.load("panda"), Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]])
P, T, Q = [0.02, 0.01, -0.5], [0.1, 0.3, 0.05], [[0.3, 0.2, 0.1], [0.1, 0.0, 0.2]]
START, GOAL = [0.0, 0.0, 0.3], [[1.0, 2.0, 1.0], [-1.0, 0.5, 3.0]]
CORNERS = ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.5, 1.4, 1.3])

Of = Callable[[Any], Any]
FOLLOWED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "forward_velocity": (lambda r: DRIVE.forward_velocity(r).twist, ([7.0, 12.0],)),
    "inverse_velocity": (lambda t: SWERVE.inverse_velocity(t).rates, (T,)),
    "steer": (lambda t: CAR.inverse_velocity(t).steer, (T,)),
    "given steer": (lambda t, s: CAR.inverse_velocity(t, s).slip, (T, [0.2])),
    "wrench_basis of wheels": (lambda s: CAR.wrench_basis(s), ([0.2],)),
    "angle_rates": (lambda a, t: TRUCK.angle_rates(a, t), ([0.2], T)),
    "field": (lambda q: DRIVE.operators["drive"](q), (START,)),
    "move": (lambda q, a: DRIVE.operators["drive"].move(q, a), (START, 0.3)),
    "dubins": (lambda a, b: sv.mobile.dubins(a, b, 0.5).length, (START, GOAL)),
    "samples": (lambda a, b: sv.mobile.dubins(a, b, 0.5).samples(4), (START, GOAL)),
    "inverse_position": (lambda p: DELTA.inverse_position(p).q, (P,)),
    "wrench_basis": (lambda p: DELTA.wrench_basis(p), (P,)),
    "inverse velocity of a platform": (lambda p, t: DELTA.inverse_velocity(p, t), (P, T)),
    "forward velocity of a platform": (lambda p, t: DELTA.forward_velocity(p, t), (P, T)),
    "forward_force": (lambda p, t: DELTA.forward_force(p, t), (P, T)),
    "inverse_force": (lambda p, t: DELTA.inverse_force(p, t), (P, T)),
    "in the plane": (lambda p, t: RPR.forward_velocity(p, t), ([1.5, 0.8, 0.3], T)),
    "tetrahedron_apex": (tetrahedron_apex, CORNERS),
}
"""With derivatives."""

TRACED = ("forward_velocity", "samples", "inverse_force")
"""Those that JAX traces in tests: each is compiled several times."""

ANSWERED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "odometry": (lambda r: DRIVE.odometry(r, 0.1).pose, ([[7.0, 12.0], [8.0, 3.0]],)),
    "icr": (DRIVE.icr, (T,)),
    "filter": (DRIVE.filter, (T,)),
    "inverse_force of wheels": (DRIVE.inverse_force, ([1.0, 0.5, 0.0],)),
    "poses of trailers": (TRUCK.poses, (START, [0.2])),
    "truck": (lambda r, a: TRUCK.odometry(r, 0.1, a, a[..., :1]).angles, ([[7.0, 12.0]], START)),
    "approach": (lambda a, b: sv.mobile.approach(DRIVE, a, b, 0.1, 5), (START, GOAL)),
    "rotate_drive_rotate": (sv.mobile.rotate_drive_rotate, (START, GOAL)),
    "convert": (lambda q: sv.convert(q, PANDA, to="drake"), ([0.1] * 7,)),
    "forward_position": (lambda q: DELTA.forward_position(q).pose, (Q,)),
    "assembly_modes": (lambda q: DELTA.assembly_modes(q).poses, (Q,)),
    "quality": (lambda p: quality(DELTA, p).dexterity, (P,)),
    "singularity": (lambda p: DELTA.singularity(p).values, (P,)),
}
"""Without."""


@pytest.mark.parametrize("name", [*FOLLOWED, *ANSWERED])
def test_results_are_of_the_library_and_precision_of_the_arguments(name: str) -> None:
    function, given = {**FOLLOWED, **ANSWERED}[name]
    expected = np.asarray(function(*(np.array(x) for x in given)))
    assert expected.dtype == np.float64
    kinds: dict[str, tuple[Of, Any, Any, float]] = {
        "numpy": (lambda x: np.array(x, np.float32), np.ndarray | np.float32, np.float32, 1e-5),
        "torch": (lambda x: torch.tensor(x, dtype=torch.float64), torch.Tensor, torch.float64, 1e-12),
        "torch single": (lambda x: torch.tensor(x, dtype=torch.float32), torch.Tensor, torch.float32, 1e-5),
        "jax": (lambda x: jax.numpy.array(x, np.float32), jax.Array, np.float32, 1e-5),
    }
    for kind, (of, array, dtype, tolerance) in kinds.items():
        found = function(*map(of, given))
        assert isinstance(found, array) and found.dtype == dtype, kind
        assert np.allclose(np.asarray(found), expected, atol=tolerance * (1.0 + np.abs(expected).max())), kind


@pytest.mark.parametrize("name", FOLLOWED)
def test_gradients_are_those_of_differences(name: str) -> None:
    function, given = FOLLOWED[name]
    leaves = tuple(torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in given)
    assert torch.autograd.gradcheck(function, leaves, atol=1e-6)
    if name not in TRACED:
        return
    with jax.enable_x64(True):
        exact = jax.jacfwd(function)(*map(jax.numpy.array, given))
        back = jax.jit(jax.jacrev(function))(*map(jax.numpy.array, given))
    slope = torch.autograd.functional.jacobian(lambda x: function(x, *leaves[1:]), leaves[0])
    assert np.allclose(exact, slope.detach(), atol=1e-9) and np.allclose(back, exact, atol=1e-9)


@pytest.mark.parametrize("name", ANSWERED)
def test_what_has_no_derivative_says_so(name: str) -> None:
    function, given = ANSWERED[name]
    leaves = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in given]
    with pytest.raises(ArgumentError, match=named("detach")):
        function(*leaves)
    with torch.no_grad():
        assert not function(*leaves).requires_grad
    with pytest.raises(ArgumentError, match=named("JAX")):
        jax.jit(function)(*map(jax.numpy.array, given))


def test_singular_poses_and_poses_that_are_not_rigid_have_no_number_where_values_are_unknown() -> None:
    stretched = np.array([0.15 + 0.85, 0.0, 0.0])  # the first arm points at its pivot
    with jax.enable_x64(True):
        forces = jax.jit(DELTA.forward_force)(jax.numpy.array([stretched, P]), jax.numpy.ones(3))
        bent = jax.jit(lambda X: DELTA.inverse_position(X).q)(jax.numpy.array(np.diag([1.0, 2.0, 1.0, 1.0])))
    assert np.isnan(forces[0]).all() and np.isfinite(forces[1]).all() and np.isnan(bent).all()
    with pytest.raises(ArgumentError, match=named("inverse_position", "X")):
        DELTA.inverse_position(torch.diag(torch.tensor([1.0, 2.0, 1.0, 1.0], dtype=torch.float64, requires_grad=True)))


def test_transformations_of_torch_and_of_jax_in_single_precision() -> None:
    points = torch.tensor([P, [0.0, 0.03, -0.45]], dtype=torch.float64)
    tau = torch.ones(3, dtype=torch.float64)
    many = torch.func.vmap(lambda p: DELTA.forward_force(p, tau))(points)
    assert torch.equal(many, DELTA.forward_force(points, tau))
    with pytest.raises(ArgumentError, match=named("icr", "twist", "torch")):
        torch.func.vmap(DRIVE.icr)(points)
    twist = jax.jit(lambda r: DRIVE.forward_velocity(r).twist)(jax.numpy.array([7.0, 12.0]))
    assert twist.dtype == np.float32 and np.allclose(twist, [1.0, 0.95, 0.0], atol=1e-6)
    with pytest.raises(DtypeError, match=named("forward_force", "jax.config.update")):
        jax.jit(DELTA.forward_force)(jax.numpy.array(P), jax.numpy.ones(3))


def test_verdicts_and_words_are_those_of_the_numbers() -> None:
    rates = torch.tensor([[7.0, 12.0, 7.0, 12.0], [7.0, 12.0, 7.0, 9.0]], dtype=torch.float64, requires_grad=True)
    found = sv.mobile.mecanum(0.6, 0.4, 0.05).forward_velocity(rates)
    assert repr(found) == "<PlatformVelocity: 1 of 2 roll>" and not found and "slip" not in found.explain(0)
    assert found.explain(1).startswith("the wheels cannot roll together: ")
    path = sv.mobile.dubins(torch.tensor(START), torch.tensor([4.0, 2.0, 0.3]), 1.0)
    assert repr(path).startswith("<CurvePath: LS") and path.at(0.1).dtype == torch.float32
    free = torch.tensor([4.0, 2.0], requires_grad=True)
    with pytest.raises(ArgumentError, match=named("dubins", "goal")):
        sv.mobile.dubins(START, free, 1.0)
    assert DELTA.inverse_position(torch.tensor([5.0, 0.0, 0.0], requires_grad=True)).leg == 0


def test_mixtures_and_what_does_not_fit_are_named() -> None:
    with pytest.raises(ArgumentError, match=named("start", "goal", "torch", "JAX")):
        sv.mobile.dubins(torch.zeros(3), jax.numpy.ones(3), 1.0)
    with pytest.raises(ArgumentError, match=named("rates[0]", "rates[1]", "torch", "JAX")):
        DRIVE.forward_velocity([torch.tensor(1.0), jax.numpy.ones(())])
    with pytest.raises(DtypeError, match=named("convert", "value", "torch.float16", "value.double()")):
        sv.convert(torch.zeros(7, dtype=torch.float16), PANDA, to="drake")
    with pytest.raises(ArgumentError, match=named("odometry", "rates", "meta", "rates.cpu()")):
        DRIVE.odometry(torch.zeros(2, 2, device="meta"), 0.1)
    with pytest.raises(CallError, match=named("icr", "speed")):
        DRIVE.icr(torch.zeros(3), speed=1.0)
    stacked = DRIVE.icr([torch.tensor(1.0), torch.tensor(0.5), torch.tensor(0.0)])
    assert stacked.dtype == torch.float32 and stacked.tolist() == [0.0, 0.5]
    branch = np.array([0, 1, 0])
    assert isinstance(DELTA.inverse_position(torch.tensor(P), branch).q, torch.Tensor)  # choices are of every library


def test_arrays_of_floats_alone_decide_on_the_precision() -> None:
    @any_arrays_same_dtype
    def total(*values: Any) -> Any:
        return np.sum([np.sum(np.asarray(x, float)) for x in values])

    single, double = np.ones(2, np.float32), np.ones(2)
    assert total(single).dtype == np.float32 and total(single, 1.0, 2).dtype == np.float32
    assert total(single, double).dtype == total(single, [double]).dtype == total([1.0]).dtype == np.float64
    assert total(single, np.ones(2, int)).dtype == total(single, [1.0], (2, 3.0)).dtype == np.float32
    assert total(single.astype(">f4")).dtype == np.float32 and total(single.astype(np.float16)).dtype == np.float64
    assert [type(x) for x in alike([1.0], torch.ones(2))] == [torch.Tensor] * 2


def test_importing_all_of_it_imports_no_array_library() -> None:
    code = "import sixvec as sv, sys; sv.mobile, sv.parallel, sv.constraints.grasps; "
    code += "print({'torch', 'jax'} & {*sys.modules})"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert said.stdout.strip() == "set()"


def test_results_as_arguments_keep_their_library_and_derivatives() -> None:
    rates = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    moving = DRIVE.forward_velocity(rates)
    back = DRIVE.inverse_velocity(moving).rates
    assert back.requires_grad and torch.allclose(back, rates)
    assert torch.autograd.gradcheck(lambda r: DRIVE.inverse_velocity(DRIVE.forward_velocity(r)).rates, (rates,))
    with pytest.raises(ArgumentError, match=named("icr", "twist")):
        DRIVE.icr(moving)
    for of in (lambda x: np.array(x, np.float32), lambda x: torch.tensor(x, dtype=torch.float32), jax.numpy.array):
        centre = DRIVE.icr(DRIVE.forward_velocity(of(Q[0][:2])))
        assert type(centre) is type(of(Q[0])) and str(centre.dtype).endswith("float32")


@pytest.mark.parametrize("kind", ["torch", "jax", "single"])
def test_platforms_in_results_stay_platforms(kind: str) -> None:
    kinds: dict[str, Of] = {"torch": torch.tensor, "jax": jax.numpy.array, "single": lambda x: np.array(x, np.float32)}
    true = sv.mobile.differential_drive(0.52, 0.099, 0.101)
    rates = np.array([[[5.0, 9.0]] * 50, [[8.0, 4.0]] * 50, [[6.0, 6.0]] * 50])
    ends = true.odometry(rates, 0.1, [0.0, 0.0, 0.0]).end
    found = sv.mobile.calibrate_drive(DRIVE, kinds[kind](rates), 0.1, [0.0] * 3, kinds[kind](ends))
    assert type(found.parameters) is type(kinds[kind](ends)) and "track 0.52" in repr(found)
    again = found.platform.odometry(rates, 0.1, [0.0, 0.0, 0.0]).end
    assert again.dtype == np.float64 and np.allclose(again, ends, atol=1e-5)


@pytest.mark.parametrize("of", [lambda x: np.array(x, np.float32), torch.tensor])
def test_paths_to_points_end_there(of: Of) -> None:
    for planned in (sv.mobile.dubins, sv.mobile.reeds_shepp):
        path = planned(of([0.0, 0.0, 0.0]), of([1.0, 1.0]), 1.0)
        end, length = np.asarray(path.samples(3))[-1], float(np.abs(np.asarray(path.segments)).sum())
        assert np.allclose(end[:2], 1.0, atol=1e-6) and np.isclose(length, float(path.length))
        assert np.allclose(np.asarray(path.at(path.length)), end, atol=1e-6)


def test_steering_of_none_and_of_one_number_where_derivatives_are_needed() -> None:
    rates, twist = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in ([1.0, 2.0], T))
    assert torch.allclose(DRIVE.forward_velocity(rates, None).twist, DRIVE.forward_velocity(rates).twist)
    one, array = 0.1, torch.tensor([0.1], dtype=torch.float64, requires_grad=True)
    for f in (lambda s: CAR.forward_velocity(rates, s).twist, lambda s: CAR.inverse_velocity(twist, s).rates):
        assert torch.allclose(f(one), f(array)) and torch.allclose(f(array[0]), f(array)) and f(one).requires_grad
    assert torch.allclose(CAR.wrench_basis(array[0]), CAR.wrench_basis(array))
    assert torch.allclose(CAR.inverse_velocity(twist, None).rates, CAR.inverse_velocity(twist).rates)
    moved = jax.jit(lambda r, s: CAR.forward_velocity(r, s).twist)(jax.numpy.array([1.0, 2.0]), jax.numpy.array(0.1))
    assert np.allclose(moved, CAR.forward_velocity([1.0, 2.0], 0.1).twist, atol=1e-6)
    with pytest.raises(ArgumentError, match=named("car", "steer=")):
        jax.jit(lambda r: CAR.forward_velocity(r, None).twist)(jax.numpy.array([1.0, 2.0]))


def test_branches_that_are_traced() -> None:
    several = np.array([[0, 1, 0], [1, 1, 1]])
    with jax.enable_x64(True):
        point, branch = jax.numpy.array(P), jax.numpy.array(several)
        expected = DELTA.inverse_position(P, several)
        found = jax.jit(lambda p, b: DELTA.inverse_position(p, b).q)(point, branch)
        constant = jax.jit(lambda p: DELTA.inverse_position(p, jax.numpy.array(several)).q)(point)
        assert np.allclose(found, expected.q) and np.allclose(constant, expected.q)
        chosen = jax.jit(lambda p, b: DELTA.inverse_position(p, b).branch)(point, branch)
        assert np.array_equal(chosen, expected.branch)
        none = jax.jit(DELTA.wrench_basis)(point, branch.at[0, 1].set(2))  # there is no such branch
        assert np.isnan(none[0]).all() and np.allclose(none[1], DELTA.wrench_basis(P, several[1]))
        with pytest.raises(ShapeError, match=named("(..., 3)", "leg")):
            jax.jit(DELTA.wrench_basis)(point, branch[:, :2])
    leaf = torch.tensor(P, requires_grad=True)
    assert np.allclose(DELTA.inverse_position(leaf, torch.tensor(several)).q.detach(), expected.q, atol=1e-6)


def test_words_and_pictures_of_results_in_every_library() -> None:
    cart = sv.mobile.mount(sv.load("planar_2r"), sv.mobile.mecanum(0.6, 0.4, 0.05), np.eye(4))
    for of in (np.array, torch.tensor, jax.numpy.array):
        assert repr(quality(DELTA, of(P))).startswith("<PoseQuality of 1 poses, dexterity 0.")
        motion = cart.inverse_rates(of(np.zeros(5)), of(np.full(6, 0.1)), "tip")
        assert repr(motion).startswith("<InputMotion: residual up to 0.")
        room = sv.parallel.workspace(DELTA, of([(-0.3, 0.3), (-0.3, 0.3), (-0.7, -0.3)]), count=3)
        assert "of 27 points" in repr(room) and type(room.centers) is type(of(P))
        assert repr(cart.supports.bears(of([[0.0, 0.0, 0.0, 0.0, 0.0, 9.0]]))) == "<Support: 1 of 1 stable>"


def test_pictures_of_results_in_every_library() -> None:
    pytest.importorskip("matplotlib").use("agg")
    room = sv.parallel.workspace(DELTA, torch.tensor([(-0.3, 0.3), (-0.3, 0.3), (-0.7, -0.3)]), count=3)
    assert room.draw_slice().get_title() == "z = -0.5 m" and room.draw() is not None


def test_how_a_choice_is_written_does_not_matter() -> None:
    kinds: list[Of] = [lambda x: np.array(x, np.float32), torch.tensor, jax.numpy.array]
    for of in kinds:
        point, rates = of(P), of(T)
        for branch in ([0, 1, 0], np.array([0, 1, 0]), (0, 1, 0), None):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = DELTA.inverse_velocity(point, rates, branch)
            assert str(found.dtype).endswith("float32")


def test_calls_that_do_not_fit_are_call_errors_for_every_library() -> None:
    for point in (np.array(P), np.array(P, np.float32), P, torch.tensor(P)):
        with pytest.raises(CallError, match=named("inverse_position")):
            DELTA.inverse_position(point, None, 3)


def test_parts_of_arguments_by_kind() -> None:
    single, double, whole = np.ones(2, np.float32), np.ones(2), np.ones(2, int)
    assert _double(single).dtype == np.float64 and _double(np.ones(2, np.float16)).dtype == np.float64
    assert _double(double) is double and _double(whole) is whole and _double("word") == "word"
    assert _double(np.ones(1, np.longdouble)).dtype == np.longdouble
    assert _double({"a": single, "b": whole})["a"].dtype == np.float64
    half, nested = np.ones(1, np.float16), [[single, (single,)], {"a": single}]
    for values, expected in (
        ([single], True), ([single, whole], True), ([single, double], False), ([double], False), ([whole], False),
        ([], False), (nested, True), ([{"a": [double]}, single], False), ([half], False),
    ):  # fmt: skip
        assert _are_single(values) == expected
    assert _is_choice(whole) and _is_choice(np.array([True])) and _is_choice(np.ones(1, np.uint8))
    assert not _is_choice(double) and not _is_choice(3) and not _is_choice([1, 2])
    assert [*flat([("a", 1), ("b", {"x": 2, "y": 3})])] == [("a", 1), ("b[x]", 2), ("b[y]", 3)]
    assert [x.dtype for x in alike(single, 1.0)] == [np.float32] * 2
    assert [x.dtype for x in alike(whole, 1.0)] == [np.float64] * 2
