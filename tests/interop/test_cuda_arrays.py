"""Arrays on a CUDA device: the CPU's answers, gradients, streams and CUDA graphs.  Skipped where there is no device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.compiler.interpret import interpret
from sixvec.errors import ArgumentError, DtypeError, SixvecError
from sixvec.parallel import StewartGough
from sixvec.spatial import RigidInertia, Sym3, Vec3

cupy = pytest.importorskip("cupy")
try:
    HAS_DEVICE = cupy.cuda.runtime.getDeviceCount() > 0
except cupy.cuda.runtime.CUDARuntimeError:
    HAS_DEVICE = False
pytestmark = pytest.mark.skipif(not HAS_DEVICE, reason="no CUDA device")

PANDA = sv.load("panda")
LAST = "panda_link8"
NAMES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces")


def state(name: str, *batch: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=(*batch, 7)) for _ in range({"mass_matrix": 1, "bias_forces": 2}.get(name, 3))]


@pytest.mark.parametrize("name", NAMES)
def test_cupy_arrays(name: str) -> None:
    given = state(name, 3, 50)
    given[0] = given[0][:1, :1]  # batch axes broadcast
    found = getattr(PANDA, name)(*map(cupy.asarray, given))
    assert isinstance(found, cupy.ndarray)
    program = PANDA.kernel(name).program
    rows = {
        p.name: np.broadcast_to(x, (3, 50, 7) if len(given) > 1 else x.shape).reshape(-1, 7)
        for p, x in zip(program.inputs, given, strict=True)
    }
    (expected,) = interpret(program, rows)
    assert np.allclose(found.get().reshape(expected.shape), expected, rtol=1e-11, atol=1e-11)


def test_arrays_that_are_not_in_order() -> None:
    q, v, a = (cupy.asarray(x) for x in state("inverse_dynamics", 40))
    plain = PANDA.inverse_dynamics(q, v, a)
    turned = PANDA.inverse_dynamics(cupy.asfortranarray(q), v[::-1][::-1], a)
    assert bool((plain == turned).all())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_component_major_arrays_and_slices(dtype: str) -> None:
    whole = cupy.asarray(np.random.default_rng(5).normal(size=(1000, 21)).astype(dtype))
    given = [whole[:, 7 * k : 7 * k + 7] for k in range(3)]
    expected = PANDA.forward_dynamics(*map(cupy.ascontiguousarray, given))
    turned = [cupy.asfortranarray(x) for x in given]
    for some in (given, turned, [turned[0], given[1], cupy.ascontiguousarray(given[2])]):
        assert bool((PANDA.forward_dynamics(*some) == expected).all())
    one = PANDA.forward_dynamics(cupy.broadcast_to(turned[0][3], (1000, 7)), *given[1:])
    assert bool((one[3] == expected[3]).all())
    torch = pytest.importorskip("torch")
    tensors = [torch.as_tensor(x, device="cuda") for x in turned]
    assert tensors[0].stride() == (1, 1000)
    found = PANDA.forward_dynamics(*tensors)
    assert found.is_contiguous() and bool((cupy.asarray(found) == expected).all())


def hexapod() -> sv.Robot:
    """A Stewart platform with masses."""
    body = RigidInertia.from_center_of_mass(0.5, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.01, 0.01, 0.005))
    home = np.eye(4)
    home[2, 3] = 0.9
    dynamics = StewartGough(*points()).dynamics((body, body), body, home)
    robot: sv.Robot = dynamics.robot
    return robot


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("made", [lambda: sv.load("four_bar"), hexapod])
def test_robots_with_loops_and_parallel_robots(made: Any, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    robot = made()
    q = robot.assemble(robot.neutral()).q
    rng = np.random.default_rng(0)
    v, tau = (rng.normal(size=(70, robot.nv)) for _ in range(2))
    given = [x.astype(dtype) for x in (np.repeat(q[None], 70, axis=0), v, tau)]
    expected = robot.forward_dynamics(*given)
    tensors = [torch.tensor(x, device="cuda") for x in given]
    for _ in range(2):
        found = robot.forward_dynamics(*tensors)
        assert found.dtype == tensors[0].dtype and np.array_equal(found.cpu().numpy(), expected)
    assert np.array_equal(robot.forward_dynamics(*map(cupy.asarray, given)).get(), expected)


def test_bad_input_on_the_device() -> None:
    q, v, a = (cupy.asarray(x) for x in state("inverse_dynamics", 4))
    with pytest.raises(ArgumentError, match="one library"):
        PANDA.inverse_dynamics(q, v, a.get())
    with pytest.raises(DtypeError, match=named("float32", "float64")):
        PANDA.inverse_dynamics(q.astype("float16"), v, a)
    with pytest.raises(SixvecError, match=named("inverse_dynamics", "q", "v")):
        PANDA.inverse_dynamics(q[:3], v, a)
    with pytest.raises(DtypeError, match=named("float32", "float64")):
        PANDA.rollout(q.astype("float16"), v, a, dt=1e-3, steps=5)
    with pytest.raises(SixvecError, match=named("tau")):
        PANDA.rollout(q, v, a[..., :6], dt=1e-3, steps=5)
    with pytest.raises(ArgumentError, match=named("CPU")):
        PANDA.ik(PANDA.pose(q, LAST), LAST, method="closed_form")
    with pytest.raises(ArgumentError, match=named("ik", "pose[0]")):
        PANDA.ik(cupy.ones((3, 4, 4)), LAST)


def test_torch_tensors() -> None:
    torch = pytest.importorskip("torch")
    given = [torch.tensor(x, device="cuda") for x in state("forward_dynamics", 20)]
    on_device = PANDA.forward_dynamics(*given)
    assert on_device.device.type == "cuda" and on_device.dtype == torch.float64
    through_cupy = PANDA.forward_dynamics(*(cupy.asarray(x) for x in given))
    assert np.array_equal(on_device.cpu().numpy(), through_cupy.get())
    single = PANDA.forward_dynamics(*(x.float() for x in given))
    assert single.dtype == torch.float32
    assert torch.allclose(single.double(), on_device, rtol=1e-3, atol=1e-2)


def test_gradients_of_torch() -> None:
    torch = pytest.importorskip("torch")
    few = [torch.tensor(x, device="cuda", requires_grad=True) for x in state("inverse_dynamics", 2)]
    assert torch.autograd.gradcheck(PANDA.inverse_dynamics, few)


def test_streams_and_graphs_of_torch() -> None:
    torch = pytest.importorskip("torch")
    given = [torch.tensor(x, device="cuda") for x in state("forward_dynamics", 1000)]
    expected = PANDA.forward_dynamics(*given)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), torch.no_grad():
        beside = PANDA.forward_dynamics(*given)
    stream.synchronize()
    assert torch.equal(beside, expected)
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        recorded = PANDA.forward_dynamics(*given)
    given[2].neg_()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(recorded, PANDA.forward_dynamics(*given))


def test_rollouts_in_graphs_of_torch() -> None:
    torch = pytest.importorskip("torch")
    q, v, tau = (torch.tensor(x, device="cuda") for x in state("forward_dynamics", 100))
    PANDA.rollout(q, v, tau, 1e-3, steps=20)
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        recorded = PANDA.rollout(q, v, tau, 1e-3, steps=20)
    tau.neg_()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(recorded.q, PANDA.rollout(q, v, tau, 1e-3, steps=20).q)


@pytest.mark.parametrize("name", [*NAMES, "inverse_dynamics_derivatives"])
def test_the_answer_is_all_the_memory_that_a_call_takes(name: str) -> None:
    torch = pytest.importorskip("torch")
    given = [torch.tensor(x, device="cuda") for x in state(name, 1_000_000)]
    call = getattr(PANDA, name)
    call(*given)
    torch.cuda.synchronize()
    pool = cupy.get_default_memory_pool()
    before, held = torch.cuda.memory_allocated(), pool.used_bytes()
    torch.cuda.reset_peak_memory_stats()
    found = call(*given)
    parts = [found] if isinstance(found, torch.Tensor) else list(found)
    rounding = 2**21 * len(parts)  # torch's allocator hands out whole stretches of two megabytes
    assert torch.cuda.max_memory_allocated() - before <= sum(x.nbytes for x in parts) + rounding
    assert pool.used_bytes() == held


def test_arrays_in_different_places_are_named() -> None:
    torch = pytest.importorskip("torch")
    q, v, a = (torch.tensor(x, device="cuda") for x in state("inverse_dynamics", 4))
    poses = PANDA.pose(q, LAST)
    for call in (
        lambda: PANDA.inverse_dynamics(q, v.cpu(), a),
        lambda: PANDA.rollout(q, v.cpu(), a, 1e-3, steps=3),
        lambda: PANDA.inverse_dynamics_second_derivatives(q, v.cpu(), a),
    ):
        with pytest.raises(ArgumentError, match=named("q", "cuda:0", "v", "cpu")):
            call()
    with pytest.raises(ArgumentError, match=named("q0", "cpu", "poses", "cuda:0")):
        PANDA.track(q.cpu(), poses[:, None], LAST)
    with pytest.raises(ArgumentError, match="one library"):
        PANDA.inverse_dynamics(q, cupy.asarray(v), a)


def test_methods_of_torch_and_jax() -> None:
    """Tracks, assemblies, second derivatives and maps of parallel robots, of which CuPy's are those of the CPU."""
    torch = pytest.importorskip("torch")
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    _, v, a = state("inverse_dynamics", 3)
    q = PANDA.random(0, 3)
    poses = np.repeat(PANDA.pose(q, LAST)[:, None], 4, axis=1)
    poses[:, :, 0, 3] += np.linspace(0.0, 0.01, 4)
    bars, hexapod_ = sv.load("four_bar"), StewartGough(*points())
    X = np.eye(4)[None].repeat(3, 0)
    X[:, 2, 3] = 0.9
    makers = [lambda x: torch.tensor(x, device="cuda"), cupy.asarray]
    makers += [jax.numpy.asarray] if jax.default_backend() == "gpu" else []
    for made in makers:
        kind = type(made(q))
        track = PANDA.track(made(q), made(poses), LAST)
        second = PANDA.inverse_dynamics_second_derivatives(made(q), made(v), made(a))
        closed = bars.assemble(made(np.array([[0.7, 0.0, 1.0]])), fixed=["drive"])
        lengths = hexapod_.inverse_position(made(X))
        near = hexapod_.forward_position(lengths, made(X))
        expected = (
            PANDA.track(q, poses, LAST).q, PANDA.inverse_dynamics_second_derivatives(q, v, a).dqdq,
            bars.assemble([[0.7, 0.0, 1.0]], fixed=["drive"]).q, hexapod_.inverse_position(X),
        )  # fmt: skip
        for x, y in zip((track.q, second.dqdq, closed.q, lengths), expected, strict=True):
            assert isinstance(x, kind) and "cpu" not in str(getattr(x, "device", "")).lower()
            assert np.array_equal(np.asarray(x.get() if kind is cupy.ndarray else cupy.asarray(x).get()), y)
        assert bool(track) and bool(closed) and bool((near.verdict == 0).all()) and not bool(track.switched.any())
        single = PANDA.inverse_dynamics_second_derivatives(*(made(x.astype("float32")) for x in (q, v, a)))
        assert "float32" in str(single.dvdv.dtype)
        assert all(str(x) and repr(x) for x in (track, second, closed, near))


def points() -> tuple[np.ndarray, np.ndarray]:
    """The pivots of a Stewart platform."""
    angles = np.repeat(2.0 * np.pi * np.arange(3) / 3, 2) + 0.2 * np.tile([-1.0, 1.0], 3)
    circle = np.stack([np.cos(angles), np.sin(angles), np.zeros(6)], axis=-1)
    return circle, 0.6 * np.roll(circle, 1, axis=0)


def on_cpu(call: Any, *arrays: Any, **options: Any) -> Any:
    return call(*(x.get() for x in arrays), **options)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rollouts_are_those_of_the_cpu(dtype: str) -> None:
    q, v, tau = (cupy.asarray(x.astype(dtype)) for x in state("forward_dynamics", 100))
    changing = cupy.asarray(np.random.default_rng(1).normal(size=(100, 9, 7)).astype(dtype))
    for given, options in (((q, v, changing), {}), ((q, v[0], tau), {"steps": 9}), ((q[0], v, changing[0]), {})):
        found, expected = PANDA.rollout(*given, 1e-3, **options), on_cpu(PANDA.rollout, *given, dt=1e-3, **options)
        assert isinstance(found.q, cupy.ndarray) and found.q.dtype == dtype
        assert np.array_equal(found.q.get(), expected.q) and np.array_equal(found.v.get(), expected.v)


def test_rollouts_with_wrenches() -> None:
    q, v, tau = (cupy.asarray(x) for x in state("forward_dynamics", 10))
    for wrench in (np.arange(6.0), np.random.default_rng(2).normal(size=(10, 5, 6))):
        options = {"steps": 5, "integrator": "rk4"}
        found = PANDA.rollout(q, v, tau, 1e-3, external={LAST: cupy.asarray(wrench)}, **options)
        expected = PANDA.rollout(q.get(), v.get(), tau.get(), 1e-3, external={LAST: wrench}, **options)
        assert np.array_equal(found.q.get(), expected.q)


def test_inverse_kinematics_is_that_of_the_cpu() -> None:
    poses = PANDA.pose(PANDA.random(3, 400), LAST)
    poses[5, 0, 3] += 9.0
    poses[6, 0, 3] = np.nan
    for starts in (1, 4, 240):
        options = {"method": "numerical", "starts": starts, "tolerance": (1e-5, 1e-7)}
        found, expected = PANDA.ik(cupy.asarray(poses), LAST, **options), PANDA.ik(poses, LAST, **options)
        for field in ("verdict", "q", "starts", "joint"):
            assert np.array_equal(getattr(found, field).get(), getattr(expected, field), equal_nan=field == "q"), field
        assert not bool(found)
    with pytest.raises(TypeError, match="no argument"):
        PANDA.ik(cupy.asarray(poses), LAST, speed=3)
    near = PANDA.random(4, 400)
    found = PANDA.ik(cupy.asarray(poses), LAST, q0=cupy.asarray(near))
    expected = PANDA.ik(poses, LAST, q0=near, method="numerical")
    assert np.array_equal(found.q.get(), expected.q, equal_nan=True)


def test_fast_kernels_are_close() -> None:
    given = [cupy.asarray(x.astype("float32")) for x in state("inverse_dynamics", 500)]
    exact = PANDA.inverse_dynamics(*given)
    fast = PANDA.kernel("inverse_dynamics", fast=True)(*given)
    assert 0.0 < float(cupy.abs(fast - exact).max()) < 1e-4 * float(cupy.abs(exact).max())


def test_rollouts_and_gradients_of_torch() -> None:
    torch = pytest.importorskip("torch")
    plain = state("forward_dynamics", 6)
    grads = []
    for device in ("cpu", "cuda"):
        q, v, tau = (torch.tensor(x, device=device, requires_grad=True) for x in plain)
        path = PANDA.rollout(q, v, tau, 1e-2, steps=8)
        (path.q.square().sum() + path.v[:, -1].sum()).backward()
        grads.append([x.grad.cpu() for x in (q, v, tau)])
    for one, other in zip(*grads, strict=True):
        assert torch.equal(one, other)


def test_inverse_kinematics_of_torch() -> None:
    torch = pytest.importorskip("torch")
    poses = torch.tensor(PANDA.pose(PANDA.random(3, 20), LAST), device="cuda", requires_grad=True)
    found = PANDA.ik(poses, LAST)
    assert found.q.device.type == "cuda" and bool(found)
    found.q.sum().backward()
    assert poses.grad.isfinite().all()


def test_arrays_of_jax() -> None:
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no CUDA device")
    jax.config.update("jax_enable_x64", True)
    given = state("forward_dynamics", 30)
    arrays = [jax.numpy.asarray(x) for x in given]
    found = PANDA.forward_dynamics(*arrays)
    assert next(iter(found.devices())).platform == "gpu"
    assert np.array_equal(np.asarray(found), PANDA.forward_dynamics(*given))
    gradient = jax.jit(jax.grad(lambda q: PANDA.forward_dynamics(q, *arrays[1:]).sum()))(arrays[0])
    small = 1e-6 * np.eye(7)[2]
    ahead, behind = (PANDA.forward_dynamics(given[0] + s * small, *given[1:]) for s in (1.0, -1.0))
    slope = (ahead - behind) / 2e-6
    assert np.allclose(np.asarray(gradient)[:, 2], slope.sum(axis=1), rtol=1e-5, atol=1e-4)
    path = PANDA.rollout(*arrays[:2], arrays[2][:, None].repeat(4, 1), 1e-3)
    assert np.array_equal(np.asarray(path.q), PANDA.rollout(*given, 1e-3, steps=4).q)
    found = PANDA.ik(jax.numpy.asarray(PANDA.pose(PANDA.random(3, 20), LAST)), LAST)
    assert next(iter(found.q.devices())).platform == "gpu" and bool(found)
