"""The call stub: a built-in function in machine code that calls a kernel with minimal overhead.

A call such as `robot.jacobian(q, "tool0")` costs more in Python than in the kernel.  The call stub is a CPython
function (METH_FASTCALL | METH_KEYWORDS), written in call_stub_assembly.py.  It compares the call with the last
accepted one: the same number of arguments, arrays of float64 with the right axes, and for all other
arguments the *same objects* as before, which are of immutable types, or dictionaries with the same keys and values in
the same order.  If all agree it allocates the result (or uses the array given as `out=`), runs the kernel for one
sample, or the loop over the rows of a batch without holding the interpreter's lock, and returns.  Any mismatch passes
the call to the ordinary Python path, which checks everything, returns the result, and stores the next expected call.

All data of a call stub belong to its `CallStub`.  The expected call is a block of words that never change and that
owns all they point to; another call is expected by storing the address of another block.  A running call holds
its block until it is done.  The tiles of a batch belong to the kernel and are shared by all its call stubs: a call that
finds them in use takes the Python path.

The offsets into NumPy's array object are those that every compiled extension has built in (NumPy's C ABI); they are
verified before the first use, and where they do not hold (PyPy, free-threaded builds) there is no call stub.
`SIXVEC_CALL_STUB=off` in the environment disables call stubs, for debugging.
"""

from __future__ import annotations

import ctypes
import os
import sys
import sysconfig
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from operator import is_
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.build import Code
from sixvec.compiler.runtime.call_stub_words import (
    ARRAY_TYPE_SLOT,
    C_CONTIGUOUS_AND_ALIGNED,
    DATA,
    DESCR,
    DIMENSIONS,
    FLAGS,
    MOST_ARRAYS,
    MOST_AXES,
    MOST_INPUT_AXES,
    MOST_KEYWORDS,
    MOST_OBJECTS,
    MOST_OUTPUTS,
    ND,
    NEW_SLOT,
    SCALAR_SLOT,
    TYPE,
    Cell,
    Word,
)

if TYPE_CHECKING:
    from sixvec.compiler.call import Compiled

MOST_BATCH_AXES = 1
"""Call stubs handle calls on single samples and on plain batches of them."""


Shortcut = Callable[[tuple[Any, ...]], Any]
"""The results for arrays of one library, or None if they need the whole path."""


class PythonPath(Protocol):
    """The Python path behind a call stub."""

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Compiled | None]:
        """The result, and the function that takes the leading arguments as its arrays and gives just this result.

        None instead of the function if the result depends on more than the arguments.
        """

    @property
    def owner(self) -> Any:
        """The object that has this as an attribute under the stub's name: it is pickled instead."""


@dataclass(frozen=True, slots=True)
class BatchLoop:
    """The loop over a batch: its code, the kernel in it, its constant arguments in the order of the words."""

    loop: int
    body: int
    width: int
    operations: int
    arguments: tuple[int, ...]
    owner: Any
    """References that keep all these addresses valid."""
    busy: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))

    @property
    def words(self) -> tuple[int, ...]:
        return (self.loop, self.body, self.width, self.operations, self.busy.ctypes.data, *self.arguments)


@dataclass(frozen=True, slots=True)
class Entry:
    """The addresses of the machine code, as far as it exists: the kernel for one sample, and the loop over a batch."""

    kernel: Code | None
    loop: BatchLoop | None
    ahead: int = 0
    behind: int = 0
    """What the kernel reads in front of its inputs and behind its outputs, if it is a loop over steps."""
    operations: int = 0
    owner: Any = None
    """References that keep `ahead` and `behind` valid."""


class _Words(np.ndarray[Any, np.dtype[np.int64]]):
    """Words for machine code, which keep their targets alive."""

    kept: Any

    def __reduce__(self) -> Any:
        """A built-in function is pickled as an attribute of its `self`, these words: return the robot."""
        return _itself, (self.kept.owner,)


_Words.__name__ = "sixvec"  # Python shows it: <built-in method mass_matrix of sixvec object at ...>


def _itself(x: Any) -> Any:
    return x


def _words(values: Sequence[int], targets: Any) -> _Words:
    words = np.array(values, np.int64).view(_Words)
    words.kept = targets
    return words


class CallStub:
    """One call stub: `function` is the callable to publish, this object its fallback Python path."""

    def __init__(self, python_path: PythonPath, name: str, doc: str) -> None:
        self._python_path, self._name, self._doc = python_path, name, doc
        self._block = _NO_CALL
        self._shortcut: tuple[Shortcut, int, tuple[Any, ...], tuple[str, ...]] | None = None
        self._publishing = threading.Lock()
        self._cell = np.zeros(Cell.COUNT, np.int64)
        for word, value in _constants().items():
            self._cell[word] = value
        self._cell[Cell.BLOCK] = id(_NO_CALL)
        self._cell[Cell.PYTHON_PATH] = id(self)
        self._cell[Cell.MOST_WORK] = _most_work.ctypes.data

    @property
    def function(self) -> Any:
        # The function holds the view, the view this object, and this object the cell: no cycle, so all of them are
        # freed with the last reference.
        words = self._cell.view(_Words)
        words.kept = self
        return built_in(_method(self._name, self._doc), words)

    @property
    def owner(self) -> Any:
        return self._python_path.owner

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        shortcut = self._shortcut
        if shortcut is not None:
            call, count, objects, names = shortcut
            rest = args[count:] if not kwargs else (*args[count:], *kwargs.values())
            if len(rest) == len(objects) and (*kwargs,) == names and all(map(_is_same, rest, objects)):
                result = call(args[:count])
                if result is not None:
                    return result
        # Another thread may change a dictionary meanwhile: the result and the words must come from the same one.
        args, kwargs = tuple(map(_copied, args)), {name: _copied(x) for name, x in kwargs.items()}
        result, function = self._python_path(args, dict(kwargs))
        if function is not None and (block := _expected(function, args, kwargs)) is not None:
            self._publish(block)
        elif function is not None and "out" not in kwargs:
            self._take(function, args, kwargs)
        return result

    def _take(self, function: Compiled, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Use the function's shortcut from now on, for calls with the same other arguments."""
        count = len(function.inputs)
        objects = tuple(map(_fixed, (*args[count:], *kwargs.values())))
        fits = len(args) >= count and all(map(_is_fixed, objects))
        if fits and (call := function.shortcut(args[:count])) is not None:
            self._shortcut = (call, count, objects, (*kwargs,))

    def _publish(self, block: _Words) -> None:
        """Expect that call from now on.  At every moment the cell names a block that is held, whatever interrupts."""
        mine = False
        try:
            mine = self._publishing.acquire(blocking=False)
            if mine:  # otherwise another thread, or the interrupted code, is using it
                self._cell[Cell.BLOCK] = id(_NO_CALL)
                self._block = block
                self._cell[Cell.BLOCK] = id(block)
        finally:
            if mine:
                self._publishing.release()


def _expected(function: Compiled, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Words | None:
    """Words for calls like this one, or None if a call stub cannot handle them."""
    if function.needs_python:
        return None
    inputs, outputs, count = function.inputs, function.outputs, len(function.inputs)
    arrays, names = args[:count], tuple(kwargs)
    out = "out" in kwargs
    if out and (names[-1] != "out" or kwargs["out"] is None or function.result_type is not None):
        return None
    arguments = (*args[count:], *(value for name, value in kwargs.items() if name != "out"))
    objects = tuple(map(_fixed, arguments))
    fits = (
        len(arrays) == count <= MOST_ARRAYS
        and all(isinstance(x, np.ndarray) and x.dtype == np.float64 for x in arrays)
        and all(x.ndim - len(p.shape) <= MOST_BATCH_AXES for x, p in zip(arrays, inputs, strict=True))
        and all(len(p.shape) <= MOST_INPUT_AXES for p in inputs)
        and len(objects) <= MOST_OBJECTS
        and all(map(_is_fixed, objects))
        and len(names) <= MOST_KEYWORDS
        and len(outputs) <= (1 if out else MOST_OUTPUTS)
        and all(len(p.shape) <= MOST_AXES for p in outputs)
    )
    if not fits:
        return None
    entry = function.executable("float64").entry()
    words = [0] * Word.COUNT
    words[Word.POSITIONAL] = count + len(objects) + out - len(names)
    words[Word.KEYWORDS], words[Word.ARRAYS], words[Word.OBJECTS] = len(names), count, len(objects)
    words[Word.KERNEL] = entry.kernel.address if entry.kernel else 0
    words[Word.OUTPUTS] = len(outputs)
    words[Word.RESULT_TYPE] = id(function.result_type) if function.result_type is not None else 0
    words[Word.TUPLE_TYPE] = words[Word.RESULT_TYPE] * _is_tuple_class(function.result_type)
    words[Word.DICTIONARIES] = sum(1 << k for k, x in enumerate(arguments) if type(x) is dict)
    words[Word.OUT_GIVEN], words[Word.OUT_LENGTH] = out, outputs[0].size
    words[Word.AHEAD], words[Word.BEHIND], words[Word.OPERATIONS] = entry.ahead, entry.behind, entry.operations
    if entry.loop:
        words[Word.LOOP : Word.LENGTH] = entry.loop.words
    words[Word.LENGTH : Word.LENGTH + count] = [p.size for p in inputs]
    words[Word.OBJECT : Word.OBJECT + len(objects)] = map(id, objects)
    words[Word.NAME : Word.NAME + len(names)] = map(id, names)
    for first, most, ports in ((Word.INPUT, MOST_INPUT_AXES, inputs), (Word.OUTPUT, MOST_AXES, outputs)):
        for i, p in enumerate(ports):
            at = first + i * (1 + most)
            words[at : at + 1 + len(p.shape)] = [len(p.shape), *p.shape]
    return _words(words, (entry, objects, names, function.result_type))


def _copied(x: Any) -> Any:
    return dict(x) if type(x) is dict else x


def _fixed(x: Any) -> Any:
    """A dictionary as its keys and values in order, which do not change; anything else unchanged."""
    return tuple(y for pair in x.items() for y in pair) if type(x) is dict else x


def _is_same(x: Any, expected: Any) -> bool:
    """Whether an argument is what `_fixed` made of an earlier one."""
    if type(x) is dict:
        x = _fixed(x)
        return type(expected) is tuple and len(x) == len(expected) and all(map(is_, x, expected))
    return x is expected


def _is_fixed(x: Any) -> bool:
    """Whether the same object always has the same value.

    >>> _is_fixed(("hand", 3)), _is_fixed(["hand"]), _is_fixed({})
    (True, False, False)
    """
    return type(x) in _FIXED or (type(x) is tuple and all(map(_is_fixed, x)))


def _is_tuple_class(x: Any) -> bool:
    """Whether instances are tuples whose items are the arguments, as those of a named tuple are."""
    return isinstance(x, type) and issubclass(x, tuple) and hasattr(x, "_make")


_FIXED = (str, bool, int, float, type(None))

_NO_CALL = _words([-1] + [0] * (Word.COUNT - 1), None)

_most_work = np.zeros(1, np.int64)
_bound, _disabled = 0, False
_bounding = threading.RLock()


def most_work(operations: int) -> None:
    """Let call stubs handle calls of fewer operations than this."""
    global _bound
    with _bounding:
        _bound = operations
        _most_work[0] = 0 if _disabled else _bound


def disable(yes: bool) -> None:
    """Send all calls to the Python path, or enable the call stubs again."""
    global _disabled
    with _bounding:
        _disabled = yes
        most_work(_bound)


class MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def built_in(definition: MethodDef, itself: Any) -> Any:
    """A function in machine code whose `self` is an object that it holds."""
    create = ctypes.pythonapi.PyCFunction_NewEx
    create.restype, create.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    return create(ctypes.addressof(definition), itself, "sixvec")  # its __module__


_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002


_methods: dict[tuple[str, str], MethodDef] = {}


def _method(name: str, doc: str) -> MethodDef:
    """The definition of a function, kept by the process: CPython reads it when the function is already being freed."""
    from sixvec.compiler.runtime.call_stub_assembly import call_stub_code

    if (name, doc) not in _methods:  # if two threads arrive at once, both must get the one that is kept
        new = MethodDef(name.encode(), call_stub_code().address, _METH_FASTCALL_KEYWORDS, doc.encode())
        _methods.setdefault((name, doc), new)
    return _methods[name, doc]


@cache
def _constants() -> dict[Cell, int]:
    """Addresses that are the same for all call stubs."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = ctypes.cast(get(_multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))

    def address(name: str) -> int:
        return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0

    return {
        Cell.ARRAY_TYPE: int(table[ARRAY_TYPE_SLOT] or 0),
        Cell.FLOAT64: id(np.dtype(np.float64)),
        Cell.NEW_ARRAY: int(table[NEW_SLOT] or 0),
        Cell.NEW_NUMBER: int(table[SCALAR_SLOT] or 0),
        Cell.VECTORCALL: address("PyObject_Vectorcall"),
        Cell.RELEASE: address("Py_DecRef"),
        Cell.KEEP: address("Py_IncRef"),
        Cell.SAVE_THREAD: address("PyEval_SaveThread"),
        Cell.RESTORE_THREAD: address("PyEval_RestoreThread"),
        Cell.NEW_TUPLE: address("PyType_GenericAlloc"),
        Cell.DICT_TYPE: id(dict),
        Cell.DICT_NEXT: address("PyDict_Next"),
    }


@cache
def available() -> bool:
    """Whether this interpreter and this NumPy have the layout that the assembly needs, and call stubs are enabled."""
    if os.environ.get("SIXVEC_CALL_STUB", "on").lower() in ("off", "0", "no", "false"):
        return False
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    try:
        known = _constants()
    except (ImportError, AttributeError, ValueError):
        return False
    probe = np.zeros((3, 5))

    def read(offset: int, kind: Any) -> int:
        return int(kind.from_address(id(probe) + offset).value or 0)

    dimensions = read(DIMENSIONS, ctypes.c_void_p)
    return (
        read(TYPE, ctypes.c_void_p) == id(np.ndarray) == known[Cell.ARRAY_TYPE]
        and read(DATA, ctypes.c_void_p) == probe.ctypes.data
        and read(ND, ctypes.c_int) == 2
        and [ctypes.c_int64.from_address(dimensions + 8 * i).value for i in range(2)] == [3, 5]
        and read(DESCR, ctypes.c_void_p) == id(probe.dtype) == known[Cell.FLOAT64]
        and read(FLAGS, ctypes.c_int) & C_CONTIGUOUS_AND_ALIGNED == C_CONTIGUOUS_AND_ALIGNED
        and all(known.values())
    )
