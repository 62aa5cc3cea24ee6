"""Methods in engines for many machines: they pickle, carry their signature, and run as they are in dask."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import sixvec
from sixvec.errors import ShapeError


@pytest.fixture(scope="module")
def robot() -> sixvec.Robot:
    return sixvec.load("double_pendulum")


def test_signatures(robot: sixvec.Robot) -> None:
    assert robot.inverse_dynamics.signature == "(n),(n),(n)->(n)"
    assert robot.mass_matrix.signature == "(n)->(n,n)"
    assert robot.pose.signature == "(n)->(4,4)"
    assert robot.kinetic_energy.signature == "(n),(n)->()"
    assert robot.forward_dynamics_derivatives.signature == "(n),(n),(n)->(n,n),(n,n),(n,n)"
    assert sixvec.load("solo12").inverse_dynamics.signature == "(nq),(nv),(nv)->(nv)"
    kernel = robot.kernel("inverse_dynamics", external=("tip",))
    assert kernel.signature == "(n),(n),(n),(6)->(n)"
    assert kernel.bytes_per_sample == 8 * (4 * 2 + 6)
    assert robot.inverse_dynamics.bytes_per_sample == 8 * 4 * 2


def test_a_signature_is_one_for_numpy(robot: sixvec.Robot) -> None:
    q = robot.random(0, 4, 3)
    looped = np.vectorize(robot.mass_matrix, signature=robot.mass_matrix.signature)
    assert np.array_equal(looped(q), robot.mass_matrix(q))


def test_methods_look_like_functions(robot: sixvec.Robot) -> None:
    method = robot.inverse_dynamics
    assert method.__name__ == "inverse_dynamics" and "Joint forces" in method.__doc__
    assert list(inspect.signature(method).parameters)[:3] == ["q", "v", "a"]


def test_methods_and_kernels_pickle_and_compile_once_a_host(robot: sixvec.Robot, tmp_path) -> None:
    q = robot.random(0, 5)
    expected = robot.inverse_dynamics(q, q, q)
    given = tmp_path / "method.pickle"
    given.write_bytes(pickle.dumps((robot.inverse_dynamics, robot.kernel("inverse_dynamics"), q)))
    code = (
        "import pickle, sys; from sixvec.compiler import build;"
        "method, kernel, q = pickle.load(open(sys.argv[1], 'rb'));"
        "a, b = method(q, q, q), kernel(q, q, q);"
        "print(build.compilations, method.signature, (a == b).all(), a.tobytes().hex())"
    )
    done = subprocess.run([sys.executable, "-c", code, str(given)], capture_output=True, text=True, check=True)
    compiled, signature, same, numbers = done.stdout.split()
    assert (compiled, signature, same) == ("0", "(n),(n),(n)->(n)", "True")
    assert numbers == expected.tobytes().hex()


def test_dask(robot: sixvec.Robot) -> None:
    da = pytest.importorskip("dask.array")
    q = robot.random(0, 1000)
    chunks = da.from_array(q, chunks=(300, 2))
    found = da.apply_gufunc(robot.inverse_dynamics, robot.inverse_dynamics.signature, chunks, chunks, chunks)
    assert found.dtype == np.float64 and found.shape == (1000, 2)
    assert np.array_equal(found.compute(scheduler="threads"), robot.inverse_dynamics(q, q, q))
    with pytest.raises(ShapeError):
        robot.inverse_dynamics(*[np.ones((1, 1))] * 3)


@pytest.mark.parametrize("dtypes", [("f4", "f4", "f4"), ("f4", "f8", "f4"), ("f8", "f8", "f8")])
def test_dask_gets_the_dtype_of_a_call(robot: sixvec.Robot, dtypes: tuple[str, ...]) -> None:
    from sixvec.interop.dask import answer

    arrays = tuple(np.ones((1, 2), dtype) for dtype in dtypes)
    for name in ("inverse_dynamics", "forward_dynamics_derivatives"):
        told, called = answer(robot.kernel(name), arrays), getattr(robot, name)(*arrays)
        assert type(told) is type(called)
        pairs = zip(told, called, strict=True) if isinstance(called, tuple) else [(told, called)]
        for x, y in pairs:
            assert x.dtype == y.dtype and x.ndim == y.ndim


def asked(depth: int, module: str = "dask.array.core", name: str = "apply_infer_dtype") -> bool:
    """Whether a call seems to come from dask, so many calls below a function of that module and name."""
    from sixvec.interop.dask import is_asking

    def below(left: int) -> bool:
        return below(left - 1) if left else is_asking()

    space: dict[str, Any] = {"__name__": module, "below": below}
    exec(f"def {name}(depth): return below(depth)", space)
    found: bool = space[name](depth)
    return found


def test_calls_by_dask_are_known() -> None:
    assert asked(0) and asked(5) and not asked(40)
    assert not asked(0, module="sixvec.dask") and not asked(0, name="map_blocks")
    found: list[bool] = []
    from sixvec.interop.dask import is_asking

    thread = threading.Thread(target=lambda: found.append(is_asking()))  # with fewer callers than are looked at
    thread.start()
    thread.join()
    assert found == [False]
