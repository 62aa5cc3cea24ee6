"""Arrays on a CUDA device: the CPU's answers, gradients, streams and CUDA graphs.  Skipped where there is no device."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from sixvec.compiler.interpret import interpret
from sixvec.errors import ArgumentError, DtypeError, SixvecError

cupy = pytest.importorskip("cupy")
try:
    HAS_DEVICE = cupy.cuda.runtime.getDeviceCount() > 0
except cupy.cuda.runtime.CUDARuntimeError:
    HAS_DEVICE = False
pytestmark = pytest.mark.skipif(not HAS_DEVICE, reason="no CUDA device")

PANDA = sv.load("panda")
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


def test_bad_input_on_the_device() -> None:
    q, v, a = (cupy.asarray(x) for x in state("inverse_dynamics", 4))
    with pytest.raises(ArgumentError, match="one library"):
        PANDA.inverse_dynamics(q, v, a.get())
    with pytest.raises(DtypeError, match="float32 or float64"):
        PANDA.inverse_dynamics(q.astype("float16"), v, a)
    with pytest.raises(SixvecError, match="do not broadcast"):
        PANDA.inverse_dynamics(q[:3], v, a)
    with pytest.raises(ArgumentError, match="CPU"):
        PANDA.rollout(q, v, a, dt=1e-3, steps=5)


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
