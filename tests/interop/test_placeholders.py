"""Arrays of a device before they are computed on: shapes alone, stacks, precision and place; NumPy stands for CuPy."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from naming import named
from sixvec.errors import ArgumentError, DtypeError
from sixvec.interop import cupy as arrays


class There(np.ndarray):
    """An array of the device with this number."""

    number = 0

    @property
    def device(self) -> Any:  # type: ignore[override]
        return SimpleNamespace(id=self.number)


def there(x: Any, dtype: str = "float64", number: int = 0) -> Any:
    made = np.asarray(x, dtype).view(There)
    made.number = number
    return made


@pytest.fixture(autouse=True)
def _device(monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(
        ndarray=There,
        stack=lambda parts: there(np.stack(parts)),
        broadcast_to=np.broadcast_to,
        asarray=lambda x, dtype: there(np.asarray(x, dtype), dtype),
        cuda=SimpleNamespace(Device=lambda: SimpleNamespace(id=0)),
    )
    monkeypatch.setattr(arrays, "cupy", lambda: module)


def test_shapes_alone() -> None:
    for own, shape in (
        (None, (5, 4, 3)),
        (1, (1, 1, 3)),
        (2, (1, 4, 3)),
        (3, (5, 4, 3)),
        (4, (5, 4, 3)),
        (0, (1, 1, 1)),
    ):
        found = arrays.shape_alone((5, 4, 3), "float32", 7.0, own)
        assert found.shape == shape and found.dtype == np.float32 and (found == 7.0).all()
        seen = arrays.placeholder(there(np.zeros((5, 4, 3))), own=own)
        assert seen.shape == shape and seen.dtype == np.float64 and np.isnan(seen).all() and type(seen) is np.ndarray
    assert arrays.placeholder("tip") == "tip"
    plain = np.zeros(3)
    assert arrays.placeholder(plain) is plain
    with pytest.raises(DtypeError, match=named("float32", "float64", "int64")):
        arrays.placeholder(there([1, 2], "int64"))


def test_lists_of_arrays() -> None:
    a, b = there([1.0, 2.0]), there([3.0, 4.0])
    assert arrays.stacked("q", [a, b]).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert arrays.stacked("q", [[a, b], (b, a)]).tolist() == [[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]
    with pytest.raises(ArgumentError, match=named("q", "CuPy")):
        arrays.stacked("q", [a, there([1.0])])


class Pair(NamedTuple):
    first: Any
    second: Any


def function(*names: str, result_type: Any = None) -> Any:
    return SimpleNamespace(
        name="pose",
        inputs=[SimpleNamespace(name=name, shape=(2,)) for name in names],
        is_fast=False,
        result_type=result_type,
        require_count=lambda given: None,
    )


@pytest.mark.parametrize(
    ("dtypes", "wanted"),
    [(["float32", "float32"], "float32"), (["float32", "float64"], "float64"), (["float64", "float32"], "float64")],
)
def test_numbers_get_the_precision_of_the_arrays(dtypes: list[str], wanted: str) -> None:
    given = [there([1.0, 2.0], dtype) for dtype in dtypes]
    *same, made = arrays._of_one_device(function("q", "v", "a"), [*given, [3.0, 4.0]])
    assert all(x is y for x, y in zip(same, given, strict=True))
    assert made.dtype == wanted and made.tolist() == [3.0, 4.0]
    with pytest.raises(DtypeError, match=named("pose", "a", "'x'")):
        arrays._of_one_device(function("q", "v", "a"), [*given, "x"])
    with pytest.raises(ArgumentError, match=named("pose", "v", "cupy.cuda.Device(3)")):
        arrays._of_one_device(function("q", "v"), [given[0], there([1.0], number=3)])


def test_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def on_device(compiled: Any, fast: bool) -> Any:
        asked.append(fast)
        return lambda *given: [2.0 * x for x in given]

    monkeypatch.setattr(arrays, "on_device", on_device)
    q, v = there([1.0, 2.0]), there([3.0, 4.0])
    assert arrays.call(function("q"), [q]).tolist() == [2.0, 4.0]
    both = arrays.call(function("q", "v", result_type=Pair), [q, v])
    assert isinstance(both, Pair) and both.second.tolist() == [6.0, 8.0] and asked == [False, False]
    with pytest.raises(ArgumentError, match=named("out=", "NumPy")):
        arrays.call(function("q"), [q], out=v)


def test_constant_inputs_of_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row of them is taken, and spread over the steps."""
    seen: list[Any] = []
    monkeypatch.setattr(arrays, "call", lambda loop, given: (seen.append(given), (0, 1, "q", "v"))[1])
    loop = SimpleNamespace(
        inputs=[SimpleNamespace(shape=(2,)), SimpleNamespace(shape=(3, 2)), SimpleNamespace(shape=())], carried=2
    )
    batch, force = there(np.arange(8.0).reshape(4, 2)), there(np.arange(8.0).reshape(4, 1, 2))
    steps = [(batch, np.zeros((4, 2))), (force, np.zeros((4, 1, 2))), (0.5, np.array(0.5))]
    assert arrays.rollout(loop, steps) == ("q", "v")
    q, tau, h = seen[0]
    assert q.tolist() == batch.tolist() and h == 0.5
    assert tau.tolist() == [[row] * 3 for row in batch.tolist()]
    path = there(np.arange(24.0).reshape(4, 3, 2))
    one = arrays._fitted(np, there([[1.0, 2.0]]), np.zeros((1, 2)), (3, 2))
    assert one.tolist() == [[1.0, 2.0]] * 3
    many = arrays._fitted(np, path, np.zeros((4, 2)), (2,))
    assert many.tolist() == path[:, 0, :].tolist()


def test_results_have_the_precision_of_their_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    def ik() -> None:
        """A method."""

    monkeypatch.setattr(arrays, "device_function", lambda method: None)
    with pytest.raises(ArgumentError, match=named("ik", "CPU", "NumPy")):
        arrays.call_method(None, ik, {})
    monkeypatch.setattr(
        arrays, "device_function", lambda method: lambda robot, **given: Pair(there([1.5]), there([2], "int8"))
    )
    for dtypes, wanted in ((("float32", "float32"), "float32"), (("float32", "float64"), "float64")):
        found = arrays.call_method(None, ik, {name: there([1.0], d) for name, d in zip("qx", dtypes, strict=True)})
        assert found.first.dtype == wanted and found.second.dtype == np.int8
