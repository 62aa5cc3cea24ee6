"""Which calls a call stub expects, in which words, when there is a call stub at all, and what goes past it."""

from __future__ import annotations

import sys
import sysconfig
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from sixvec.compiler.program import Port
from sixvec.compiler.runtime import call_stub
from sixvec.compiler.runtime.call_stub import BatchLoop, CallStub, Entry, _expected, _is_fixed, _is_tuple_class
from sixvec.compiler.runtime.call_stub_words import Cell, Word

pytestmark = pytest.mark.skipif(not call_stub.available(), reason="this interpreter has another object layout")


class Pair(NamedTuple):
    y: Any
    z: Any


def function(inputs: list[tuple[int, ...]], outputs: list[tuple[int, ...]], entry: Any = None, **more: Any) -> Any:
    """A function with arrays of these shapes."""
    ports = [
        tuple(Port(f"{name}{k}", s) for k, s in enumerate(shapes)) for name, shapes in (("x", inputs), ("y", outputs))
    ]
    made = entry or Entry(None, None)
    names = {
        "inputs": ports[0],
        "outputs": ports[1],
        "result_type": None,
        "shortcut": lambda arrays: None,
        "needs_python": False,
    }
    return SimpleNamespace(**names | {"executable": lambda dtype: SimpleNamespace(entry=lambda: made)} | more)


def zeros(shapes: list[tuple[int, ...]]) -> tuple[Any, ...]:
    return tuple(map(np.zeros, shapes))


SMALL = [(2, 3), (), (3,)]


def test_words_of_a_call() -> None:
    loop = BatchLoop(11, 12, 13, 14, (16, 17, 18, 19, 20, 21), None)
    made = function(SMALL, [(2,), (3, 1, 2)], Entry(SimpleNamespace(address=77), loop), result_type=Pair)  # type: ignore[arg-type]
    one, two = "hand", {"tool": 2.5}
    words = _expected(made, (*zeros(SMALL), one, 3), {"mode": two, "fast": True})
    assert words is not None and len(words) == 24 + 16 + 16 * 4 + 8 + 4 + 12 * 4 == Word.COUNT
    kept = words.kept[1]
    assert kept == ("hand", 3, ("tool", 2.5), True)
    expected = {
        Word.POSITIONAL: 5, Word.KEYWORDS: 2, Word.ARRAYS: 3, Word.OBJECTS: 4, Word.KERNEL: 77, Word.OUTPUTS: 2,
        Word.RESULT_TYPE: id(Pair), Word.OUT_GIVEN: 0, Word.OUT_LENGTH: 2, Word.TUPLE_TYPE: id(Pair),
        Word.DICTIONARIES: 4,
    }  # fmt: skip
    assert {w: int(words[w]) for w in expected} == expected
    assert words[Word.LOOP : Word.LENGTH].tolist() == [11, 12, 13, 14, loop.busy.ctypes.data, 16, 17, 18, 19, 20, 21]
    assert words[Word.LENGTH : Word.INPUT].tolist() == [6, 1, 3, *[0] * 13]
    assert words[Word.INPUT : Word.OBJECT].tolist() == [2, 2, 3, 0, 0, 0, 0, 0, 1, 3, 0, 0, *[0] * 52]
    assert words[Word.OBJECT : Word.NAME].tolist() == [*map(id, kept), *[0] * 4]
    assert words[Word.NAME : Word.OUTPUT].tolist() == [id(words.kept[2][0]), id(words.kept[2][1]), 0, 0]
    assert words[Word.OUTPUT :].tolist() == [1, 2, 0, 0, 3, 3, 1, 2, *[0] * 40]
    assert loop.busy.tolist() == [0]


def test_words_of_a_loop_over_steps() -> None:
    entry = Entry(SimpleNamespace(address=77), None, 31, 32, 5000)  # type: ignore[arg-type]
    words = _expected(function(SMALL, [(2,)], entry), zeros(SMALL), {})
    assert words is not None and words.kept[0] is entry
    assert words[[Word.KERNEL, Word.AHEAD, Word.BEHIND, Word.LOOP, Word.OPERATIONS]].tolist() == [77, 31, 32, 0, 5000]


def test_words_of_a_call_with_an_array_to_write() -> None:
    made = function(SMALL, [(2, 4)], result_type=None)
    words = _expected(made, zeros(SMALL), {"mode": 1, "out": np.zeros((2, 4))})
    assert words is not None
    assert words[: Word.LOOP + 1].tolist() == [3, 2, 3, 1, 0, 1, 0, 1, 8, 0, 0, 0, 0, 0]
    tuples = function(SMALL, [(2, 4)], result_type=lambda *x: list(x))
    several = _expected(tuples, zeros(SMALL), {})
    assert several is not None and several[Word.RESULT_TYPE] == id(tuples.result_type) and not several[Word.TUPLE_TYPE]


NUMBER: list[tuple[int, ...]] = [()]


@pytest.mark.parametrize(("inputs", "outputs", "args", "kwargs", "fits"), [
    (NUMBER * 16, NUMBER, zeros(NUMBER * 16), {}, True),
    (NUMBER * 17, NUMBER, zeros(NUMBER * 17), {}, False),
    (NUMBER * 2, NUMBER, zeros(NUMBER), {}, False),
    ([(3,)], NUMBER, (np.zeros(3, np.float32),), {}, False),
    ([(3,)], NUMBER, ([0.0] * 3,), {}, False),
    ([(3,)], NUMBER, (np.zeros((5, 3)),), {}, True),
    ([(3,)], NUMBER, (np.zeros((4, 5, 3)),), {}, False),
    ([(3,), (2,)], NUMBER, (np.zeros((5, 3)), np.zeros((1, 5, 2))), {}, False),
    ([(2, 3)], NUMBER, zeros([(2, 3)]), {}, True),
    ([(1, 2, 3)], NUMBER, zeros([(1, 2, 3)]), {}, True),
    ([(1, 1, 2, 3)], NUMBER, zeros([(1, 1, 2, 3)]), {}, False),
    (NUMBER, NUMBER, (*zeros(NUMBER), *range(8)), {}, True),
    (NUMBER, NUMBER, (*zeros(NUMBER), *range(9)), {}, False),
    (NUMBER, NUMBER, (*zeros(NUMBER), [1]), {}, False),
    (NUMBER, NUMBER, (*zeros(NUMBER), {"a": [1]}), {}, False),
    (NUMBER, NUMBER, zeros(NUMBER), dict.fromkeys("abcd", 1), True),
    (NUMBER, NUMBER, zeros(NUMBER), dict.fromkeys("abcde", 1), False),
    (NUMBER, NUMBER * 12, zeros(NUMBER), {}, True),
    (NUMBER, NUMBER * 13, zeros(NUMBER), {}, False),
    (NUMBER, [(1, 2, 3)], zeros(NUMBER), {}, True),
    (NUMBER, [(1, 2, 3, 4)], zeros(NUMBER), {}, False),
    (NUMBER, NUMBER, zeros(NUMBER), {"out": np.zeros(())}, True),
    (NUMBER, NUMBER, zeros(NUMBER), {"out": None}, False),
    (NUMBER, NUMBER, zeros(NUMBER), {"a": 1, "out": np.zeros(())}, True),
    (NUMBER, NUMBER, zeros(NUMBER), {"out": np.zeros(()), "a": 1}, False),
    (NUMBER, NUMBER * 2, zeros(NUMBER), {"out": np.zeros(())}, False),
])  # fmt: skip
def test_calls_that_call_stubs_handle(inputs: Any, outputs: Any, args: Any, kwargs: Any, fits: bool) -> None:
    assert (_expected(function(inputs, outputs), args, kwargs) is not None) == fits


def test_no_array_to_write_for_several_results() -> None:
    made = function(NUMBER, NUMBER, result_type=tuple)
    assert _expected(made, zeros(NUMBER), {"out": np.zeros(())}) is None


def test_kinds_of_objects() -> None:
    assert all(map(_is_fixed, ("a", True, 1, 2.0, None, (1, ("b", None)))))
    assert not any(map(_is_fixed, ([], {}, (1, []), np.float64(2.0), {1}, 1j)))
    assert _is_tuple_class(Pair) and not any(map(_is_tuple_class, (tuple, list, Pair(1, 2), None, lambda: 0)))


class Answers:
    """A Python path that takes notes."""

    owner = None

    def __init__(self, function: Any) -> None:
        self.function, self.calls = function, 0

    def __call__(self, args: Any, kwargs: Any) -> Any:
        self.calls += 1
        return ("answer", *args), self.function


def test_arrays_of_others_take_the_shortcut_with_the_same_other_arguments() -> None:
    taken: list[Any] = []

    def shortcut(arrays: Any) -> Any:
        taken.append(arrays)
        return None if arrays[0] == "rejected" else ("short", *arrays)

    made = function(NUMBER * 2, NUMBER, shortcut=lambda arrays: shortcut)
    answer = Answers(made)
    call = CallStub(answer, "f", "")
    name, other = "hand", ("foot",)
    assert call("x", "y", name, other) == ("answer", "x", "y", name, other)
    assert call("u", "v", name, other) == ("short", "u", "v") and answer.calls == 1
    assert call("u", "v", name, ("foo" + "t"[:],)) [0] == "answer"  # fmt: skip
    assert call("u", "v", name, other)[0] == "answer" and answer.calls == 3  # the last other arguments count
    assert call("u", "v", name, other)[0] == "short"
    for args, kwargs in ((("u", "v", name), {}), (("u", "v"), {}), (("u", "v", name), {"more": other})):
        before = answer.calls
        assert call(*args, **kwargs)[0] == "answer" and answer.calls == before + 1
    call("x", "y", name, other)
    assert call("rejected", "v", name, other)[0] == "answer"
    changing = CallStub(Answers(made), "f", "")
    for _ in range(3):
        assert changing("u", "v", [1])[0] == "answer"  # a list may change
    none = CallStub(Answers(function(NUMBER * 2, NUMBER)), "f", "")
    assert [none("u", "v")[0] for _ in range(2)] == ["answer"] * 2


@pytest.mark.parametrize("word", ["off", "0", "no", "false", "OFF", "False"])
def test_doors_are_disabled_by_a_word(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIXVEC_CALL_STUB", word)
    assert call_stub.available.__wrapped__() is False
    monkeypatch.setenv("SIXVEC_CALL_STUB", "on")
    assert call_stub.available.__wrapped__() is True
    monkeypatch.delenv("SIXVEC_CALL_STUB")
    assert call_stub.available.__wrapped__() is True


def test_no_call_stubs_in_other_interpreters(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(name: str) -> Any:
        return "" if name != "Py_GIL_DISABLED" else 1

    with monkeypatch.context() as patch:
        patch.setattr(sys, "implementation", SimpleNamespace(name="pypy"))
        assert call_stub.available.__wrapped__() is False
    with monkeypatch.context() as patch:
        patch.setattr(sysconfig, "get_config_var", without)
        assert call_stub.available.__wrapped__() is False
    with monkeypatch.context() as patch:
        patch.setattr(call_stub.ctypes, "sizeof", lambda kind: 4)
        assert call_stub.available.__wrapped__() is False
    for problem in (ImportError, AttributeError, ValueError):
        with monkeypatch.context() as patch:
            patch.setattr(call_stub, "_constants", lambda problem=problem: (_ for _ in ()).throw(problem()))
            assert call_stub.available.__wrapped__() is False


@pytest.mark.parametrize("field", ["TYPE", "DATA", "ND", "DIMENSIONS", "DESCR", "FLAGS"])
def test_no_call_stubs_for_arrays_of_another_layout(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = {
        "TYPE": call_stub.DATA,
        "DATA": call_stub.DIMENSIONS,
        "ND": call_stub.DATA,
        "DIMENSIONS": call_stub.DATA,
    }
    monkeypatch.setattr(call_stub, field, {**elsewhere, "DESCR": call_stub.TYPE, "FLAGS": call_stub.ND}[field])
    assert call_stub.available.__wrapped__() is False


@pytest.mark.parametrize("cell", [Cell.ARRAY_TYPE, Cell.FLOAT64, Cell.NEW_ARRAY, Cell.DICT_NEXT])
def test_no_call_stubs_without_the_function_that_they_call(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    known = call_stub._constants() | {cell: 0}
    monkeypatch.setattr(call_stub, "_constants", lambda: known)
    assert call_stub.available.__wrapped__() is False


def test_work_that_call_stubs_handle() -> None:
    before = int(call_stub._most_work[0])
    try:
        call_stub.most_work(1234)
        assert call_stub._most_work[0] == 1234
        call_stub.disable(True)
        assert call_stub._most_work[0] == 0
        call_stub.most_work(5)
        assert call_stub._most_work[0] == 0
        call_stub.disable(False)
        assert call_stub._most_work[0] == 5
    finally:
        call_stub.most_work(before)
