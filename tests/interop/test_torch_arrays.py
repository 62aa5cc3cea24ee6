"""torch tensors in the same calls: in kind, without copies, with gradients; skipped where torch is missing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.errors import ArgumentError, CallError, DtypeError, ShapeError

torch = pytest.importorskip("torch")
interop = pytest.importorskip("sixvec.interop.torch")

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")


@pytest.fixture(scope="module")
def robot() -> Robot:
    return sixvec.load("double_pendulum")


def _state(robot: Robot, count: int = 3, grad: bool = True) -> list[Any]:
    rng = np.random.default_rng(0)
    arrays = robot.random(rng, count), *rng.normal(size=(2, count, robot.nv))
    return [torch.from_numpy(x).requires_grad_(grad) for x in arrays]


def test_results_are_tensors_with_the_bits_of_numpy(robot: Robot) -> None:
    given = _state(robot, grad=False)
    found = robot.forward_dynamics(*given)
    assert found.dtype == torch.float64 and found.device.type == "cpu"
    assert np.array_equal(found.numpy(), robot.forward_dynamics(*(x.numpy() for x in given)))
    single = robot.forward_dynamics(*(x.float() for x in given))
    assert single.dtype == torch.float32
    parts = robot.forward_dynamics_derivatives(*given)
    assert all(isinstance(x, torch.Tensor) for x in parts) and parts.dq.shape == (3, 2, 2)


def test_nothing_is_copied(robot: Robot) -> None:
    """The kernel reads the memory of the tensor itself, and the result is the memory that it wrote."""
    out, given = torch.zeros(3, 2, dtype=torch.float64), _state(robot, grad=False)
    place = out.data_ptr()
    assert robot.forward_dynamics(*given, out=out) is out and out.data_ptr() == place
    assert torch.equal(out, robot.forward_dynamics(*given))
    strided = torch.stack([given[0], given[0]], dim=-1)[..., 0]
    assert not strided.is_contiguous() and torch.equal(robot.gravity_forces(strided), robot.gravity_forces(given[0]))


@pytest.mark.covers("DYN-05")
def test_gradients(robot: Robot) -> None:
    q, v, tau = _state(robot, 2)
    assert torch.autograd.gradcheck(robot.forward_dynamics, (q, v, tau), check_forward_ad=True)
    one = q[0].detach().requires_grad_()
    assert torch.autograd.gradcheck(robot.forward_dynamics, (one, v, tau)), "what was broadcast is added up"
    assert torch.autograd.gradgradcheck(robot.mass_matrix, (one,))


def test_gradients_of_a_floating_base() -> None:
    """Quaternions are four numbers here, and the gradient has nq entries."""
    solo = sixvec.load("solo12")
    q = torch.from_numpy(solo.random(0)).requires_grad_()
    assert torch.autograd.gradcheck(solo.center_of_mass, (q,))
    assert torch.autograd.gradcheck(solo.gravity_forces, (q,))


def test_functional_transformations(robot: Robot) -> None:
    q, v, tau = _state(robot, grad=False)
    parts = robot.forward_dynamics_derivatives(q, v, tau)
    for jacobian in (torch.func.jacrev, torch.func.jacfwd):
        found = torch.func.vmap(jacobian(robot.forward_dynamics, 1))(q, v, tau)
        torch.testing.assert_close(found, parts.dv)
    shared = torch.func.vmap(robot.forward_dynamics, (None, 0, 0))(q[0], v, tau)
    assert torch.equal(shared, robot.forward_dynamics(q[0], v, tau))


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # of tensors that are not leaves, read by torch itself
def test_the_operator_keeps_what_torch_asks_of_operators(robot: Robot) -> None:
    from sixvec.interop.written_function import written

    given = _state(robot)
    found = torch.library.opcheck(torch.ops.sixvec.kernel, (given, *written(robot.kernel("forward_dynamics"))))
    assert set(found.values()) == {"SUCCESS"}


def test_inside_torch_compile(robot: Robot) -> None:
    q, v, tau = _state(robot)

    def loss(q: Any) -> Any:
        return (robot.forward_dynamics(2.0 * q, v, tau) ** 2).sum()

    torch.compiler.allow_in_graph(robot.forward_dynamics.func)
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    expected, found = (torch.autograd.grad(f(q), q)[0] for f in (loss, compiled))
    torch.testing.assert_close(found, expected)


def test_rollouts(robot: Robot) -> None:
    q, v, _ = _state(robot, 2)
    tau = torch.zeros(3, 2, dtype=torch.float64, requires_grad=True)
    dt = torch.tensor(0.01, dtype=torch.float64, requires_grad=True)
    path = robot.rollout(q, v, tau, dt)
    assert np.array_equal(path.q.detach(), robot.rollout(*(x.detach().numpy() for x in (q, v, tau)), 0.01).q)

    def states(*x: Any) -> Any:
        found = robot.rollout(*x)
        return found.q, found.v

    assert torch.autograd.gradcheck(states, (q, v, tau, dt))
    mapped = torch.func.vmap(lambda q: robot.rollout(q, v[0], tau[0], 0.01, steps=3))(q)
    assert mapped.v.shape == (2, 3, 2)


def test_inverse_kinematics_follows_the_pose() -> None:
    """Central differences along a motion of the pose; an arm of six joints has one way to follow."""
    arm = sixvec.load("ur5e")
    frame, q = arm.frame_names[-1], arm.random(1, 2)
    X = arm.pose(q, frame)
    turn = np.array([[0.0, -0.1, 0.2], [0.1, 0.0, -0.3], [-0.2, 0.3, 0.0]])
    along = np.zeros((4, 4))
    along[:3, :3], along[:3, 3] = turn, [0.05, 0.02, -0.04]

    def moved(h: float) -> np.ndarray:
        step = np.eye(4) + h * along + h * h / 2 * along @ along
        u, _, w = np.linalg.svd(step[:3, :3])
        step[:3, :3] = u @ w
        return arm.ik(X @ step, frame, q0=q).q

    h = 1e-4
    expected = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)
    pose = torch.from_numpy(X).requires_grad_()
    answer = arm.ik(pose, frame, q0=torch.from_numpy(q))
    weight = np.random.default_rng(0).normal(size=(2, 6))
    (answer.q * torch.from_numpy(weight)).sum().backward()
    found = (pose.grad.numpy() * (X @ along)).sum()
    assert abs(found - (weight * expected).sum()) < 1e-5 * np.abs(expected).max()
    with torch.no_grad():
        assert arm.ik(pose.float(), frame).q.dtype == torch.float32


def test_loads_and_wrenches(robot: Robot) -> None:
    q, v, tau = _state(robot, grad=False)
    frame = robot.frame_names[-1]
    wrench = torch.ones(6, dtype=torch.float64, requires_grad=True)
    loaded = robot.with_payload(frame, 2.0)
    found = loaded.forward_dynamics(q, v, tau, external={frame: wrench})
    found.sum().backward()
    expected = loaded.forward_dynamics(q.numpy(), v.numpy(), tau.numpy(), external={frame: np.ones(6)})
    assert np.array_equal(found.detach(), expected) and wrench.grad.abs().sum() > 0


def test_mixtures_say_which_argument_is_where(robot: Robot) -> None:
    q, v, tau = _state(robot, grad=False)
    jax = pytest.importorskip("jax")
    with pytest.raises(ArgumentError, match=named("forward_dynamics", "v", "tau")):
        robot.forward_dynamics(q, jax.numpy.asarray(v.numpy()), tau)
    with pytest.raises(ArgumentError, match=named("forward_dynamics", "v", "tau")):
        robot.forward_dynamics(q, v.to("meta"), tau)
    with pytest.raises(ArgumentError, match=named("gravity_forces", "q")):
        robot.gravity_forces(q.to("meta"))
    with pytest.raises(ArgumentError, match=named("ik", "q0")):
        robot.ik(torch.eye(4), robot.frame_names[-1], q0=jax.numpy.zeros(2))


def test_bad_tensors(robot: Robot) -> None:
    q, v, tau = _state(robot)
    with pytest.raises(DtypeError, match=named("gravity_forces", "torch.float16", "q.double")):
        robot.gravity_forces(q.half())
    with pytest.raises(DtypeError, match=named("gravity_forces", "q", "torch.int64")):
        robot.gravity_forces(torch.zeros(2, dtype=torch.int64))
    with pytest.raises(ShapeError, match=named("gravity_forces", "q")):
        robot.gravity_forces(torch.zeros(3))
    with pytest.raises(ArgumentError, match="out"):
        robot.forward_dynamics(q, v, tau, out=torch.zeros(3, 2, dtype=torch.float64))
    with pytest.raises(ArgumentError, match=named("assemble", "q.detach")):
        sixvec.load("four_bar").assemble(torch.zeros(3, requires_grad=True))


def test_arguments_that_are_too_many_or_given_twice_are_not_dropped(robot: Robot) -> None:
    pose, frame = torch.eye(4, dtype=torch.float64), robot.frame_names[-1]
    with pytest.raises(CallError, match=named("ik")):
        robot.ik(pose, frame, None, "auto", True, None, "one more")
    with pytest.raises(TypeError, match=named("ik")):
        robot.ik(pose, frame, frame=frame)


def test_lists_of_tensors_keep_their_derivatives(robot: Robot) -> None:
    q, frame = torch.tensor([0.3, 0.4], dtype=torch.float64), robot.frame_names[-1]
    force = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    wrench = torch.tensor([0.0, 0.0, 2.0, 0.0, 0.0, 0.0], dtype=torch.float64, requires_grad=True)
    robot.inverse_dynamics(q, q, q, external={frame: [0.0, 0.0, force, 0.0, 0.0, 0.0]}).sum().backward()
    robot.inverse_dynamics(q, q, q, external={frame: wrench}).sum().backward()
    assert force.grad == wrench.grad[2] != 0.0
    first = q[0].clone().requires_grad_()
    robot.potential_energy([first, 0.4]).backward()
    assert abs(first.grad - robot.gravity_forces(q)[0]) < 1e-12
    assert robot.gravity_forces([[first, 0.4], [q[0], q[1]]]).shape == (2, 2)
    assert robot.gravity_forces([torch.tensor(0.3), 0.4]).dtype == torch.float32
    with pytest.raises(ShapeError, match=named("gravity_forces", "q")):
        robot.gravity_forces([first, q])
    assert torch.equal(robot.gravity_forces([q, q.numpy()])[1], robot.gravity_forces(q))
    jax = pytest.importorskip("jax")
    with pytest.raises(ArgumentError, match=named("gravity_forces", "q[0]", "q[1]")):
        robot.gravity_forces([q, jax.numpy.asarray(q.numpy())])


def test_lists_next_to_tensors_in_a_rollout(robot: Robot) -> None:
    q, zero = torch.tensor([0.3, 0.4], dtype=torch.float64), [0.0, 0.0]
    for tau, steps in ((zero, 3), ([zero] * 3, None)):
        path = robot.rollout(q, zero, tau, 0.1, steps=steps)
        expected = robot.rollout(q.numpy(), zero, tau, 0.1, steps=steps)
        assert np.array_equal(path.q, expected.q) and isinstance(path.q, torch.Tensor)
    first = q[0].clone().requires_grad_()
    assert torch.equal(robot.rollout([first, 0.4], zero, zero, 0.1, steps=3).q, path.q)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_tensors_of_other_storage(robot: Robot) -> None:
    q = torch.tensor([0.3, 0.4], dtype=torch.float64)
    negative = torch.complex(q, -q).conj().imag
    assert negative.is_neg() and torch.equal(robot.gravity_forces(negative), robot.gravity_forces(q))
    with pytest.raises(ArgumentError, match=named("gravity_forces", "q")):
        robot.gravity_forces(torch.nested.nested_tensor([q, q]))


def test_numbers_of_one_sample_have_no_axis() -> None:
    bars, q = sixvec.load("four_bar"), np.array([0.7, 0.0, 1.0])
    found, expected = bars.assemble(torch.from_numpy(q)), bars.assemble(q)
    assert found.residual.shape == expected.residual.shape == () and torch.equal(found.q, torch.from_numpy(expected.q))


def test_lists_become_tensors_of_one_precision() -> None:
    single, double = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0], dtype=torch.float64)
    for parts, dtype in (
        ([single, single], torch.float32),
        ([single, double], torch.float64),
        ([single, [3.0, single[0]]], torch.float32),
        ([single, [3.0, 4.0]], torch.float64),  # numbers alone are double
        ([[1.0], [2.0]], torch.float64),
    ):
        found = interop.stacked("q", parts)
        assert found.dtype == dtype and found.shape[0] == 2
    for parts, kind, words in (
        ([single, torch.tensor([1j, 2j])], DtypeError, named("torch.complex64")),
        ([single, "x"], DtypeError, named("q")),
        ([single, torch.tensor([1.0])], ShapeError, named("q")),
    ):
        with pytest.raises(kind, match=words):
            interop.stacked("q", parts)
    assert interop.constant([1.0, 2.0], single).dtype == torch.float32


def test_mapped_axes_stand_before_the_batch_of_the_others() -> None:
    ports = SimpleNamespace(inputs=[SimpleNamespace(shape=(2,))] * 2)
    for shapes, dims, batch in (
        (((4, 2), (2,)), (0, None), 0),
        (((4, 2), (3, 2)), (0, None), 1),
        (((4, 5, 3, 2), (4, 2)), (0, 0), 2),
        (((2,), (4, 3, 2)), (None, 1), 1),
    ):
        tensors = [torch.zeros(shape) for shape in shapes]
        assert interop._common(ports, tensors, dims) == batch
    assert interop._front(torch.zeros(4, 2), 1, 0).shape == (4, 2)
    assert interop._front(torch.zeros(4, 2), 1, 2).shape == (4, 1, 1, 2)
    assert interop._front(torch.zeros(4, 3, 2), 1, 2).shape == (4, 1, 3, 2)
    assert interop._front(torch.zeros(4, 3, 2), 2, 1).shape == (4, 1, 3, 2)


def test_constant_inputs_of_a_path_are_spread() -> None:
    row = torch.tensor([[1.0, 2.0]])
    assert interop._fitted(row, np.zeros((1, 2)), (3, 2)).tolist() == [[1.0, 2.0]] * 3
    steps = torch.arange(12.0).reshape(2, 3, 2)
    assert interop._fitted(steps, np.zeros((2, 2)), (2,)).tolist() == steps[:, 0].tolist()
    assert interop._fitted(steps, np.zeros((2, 3, 2)), (3, 2)).tolist() == steps.tolist()


def test_shapes_of_compiled_graphs(robot: Robot) -> None:
    kernel = robot.kernel("inverse_dynamics")
    number = interop.written(kernel)
    assert interop.written(kernel) == number and interop.function_of(*number) is kernel
    other = interop.written(robot.kernel("mass_matrix"))
    assert other[0] != number[0]
    for dtypes, dtype in ((["float32"] * 3, torch.float32), (["float32", "float64", "float32"], torch.float64)):
        shapes = ((5, 1, 2), (3, 2), (2,))
        arrays = [torch.zeros(s, dtype=getattr(torch, d)) for s, d in zip(shapes, dtypes, strict=True)]
        (tau,) = interop._shapes_only(arrays, *number)
        assert tau.shape == (5, 3, 2) and tau.dtype == dtype
    (M,) = interop._shapes_only([torch.zeros(5, 2)], *other)
    assert M.shape == (5, 2, 2)


def test_gradients_of_some_inputs_only(robot: Robot) -> None:
    """Those that are asked for, in their own shapes; nothing without a weight."""
    kernel = robot.kernel("inverse_dynamics")
    q, v, a = torch.randn(4, 2, dtype=torch.float64), torch.randn(2, dtype=torch.float64), torch.randn(4, 2)
    weight = torch.ones(4, 2, dtype=torch.float64)
    shapes = [torch.Size((4, 2))]
    full = interop.gradients(kernel, [q, v, a], [weight], shapes, [True, True, True])
    assert [g.shape for g in full if g is not None] == [(4, 2), (2,), (4, 2)]
    assert [g.dtype for g in full if g is not None] == [torch.float64, torch.float64, torch.float32]
    for needed in ([True, False, False], [False, True, True], [False, False, True]):
        found = interop.gradients(kernel, [q, v, a], [weight], shapes, needed)
        assert [g is not None for g in found] == needed
        for g, whole in zip(found, full, strict=True):
            assert g is None or torch.allclose(g, whole)
    assert interop.gradients(kernel, [q, v, a], [None], shapes, [True] * 3) == [None] * 3
    assert interop.gradients(kernel, [q, v, a], [weight], shapes, [False] * 3) == [None] * 3
    M = torch.from_numpy(robot.mass_matrix(q.numpy()))
    assert torch.allclose(full[2].double(), M.sum(-1), atol=1e-5)  # type: ignore[union-attr]


def test_results_into_given_tensors(robot: Robot) -> None:
    q = torch.zeros(3, 2, dtype=torch.float64)
    out = torch.empty(3, 2, 2, dtype=torch.float64)
    assert robot.mass_matrix(q, out=out) is out and np.array_equal(out.numpy(), robot.mass_matrix(q.numpy()))
    with pytest.raises(ArgumentError, match=named("mass_matrix", "out")):
        robot.mass_matrix(q, out=np.empty((3, 2, 2)))
    for given, into in ((q.clone().requires_grad_(), out), (q, out.clone().requires_grad_())):
        with pytest.raises(ArgumentError, match="out"):
            robot.mass_matrix(given, out=into)
        with torch.no_grad():
            robot.mass_matrix(given, out=into)
