"""The door from Python: a built-in function in machine code that takes the shortest way to a kernel.

A call such as `robot.jacobian(q, "tool0")` costs more in Python than in the kernel.  The door is a CPython
function (METH_FASTCALL | METH_KEYWORDS) made of the assembly below.  It compares the call with the last one that came
this way: the same number of arguments, arrays of float64 with the right length, and for all other arguments the
*same objects* as before.  If all agree it allocates the result (or takes the array given as `out=`), runs the kernel
for one sample, or the loop over the rows of a batch without holding the interpreter's lock, and returns.  Any doubt
sends the call to the ordinary Python path, which checks everything, answers, and tells the door what to expect.

What the door knows stands in a row of 64-bit words, the data of a NumPy array that is the function's `self`.
The offsets into NumPy's array object are those that every compiled extension has built in (NumPy's C ABI); they are
verified before the first use, and where they do not hold (PyPy, free-threaded builds) there is no door.
"""

from __future__ import annotations

import ctypes
import math
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from sixvec.compiler.runtime.door_words import (
    ARRAY_TYPE_SLOT,
    C_CONTIGUOUS_AND_ALIGNED,
    DATA,
    DESCR,
    DIMENSIONS,
    FLAGS,
    MOST_ARRAYS,
    MOST_AXES,
    MOST_KEYWORDS,
    MOST_OBJECTS,
    MOST_OUTPUTS,
    ND,
    NEW_SLOT,
    RETURN_SLOT,
    TYPE,
    Word,
)


class _MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002


class _Words(np.ndarray[Any, np.dtype[np.int64]]):
    """The words of a door, which keep alive all that they point to: the function owns them as its `self`."""

    owner: Any


class Door:
    """One such function and its words.  `function` is the callable to hand out."""

    def __init__(self, address: int, python_path: Any, name: str, doc: str) -> None:
        self.words = np.zeros(Word.COUNT, np.int64).view(_Words)
        self.words.owner = self
        self._kept: tuple[Any, ...] = ()
        self._python_path = python_path
        self.words[Word.POSITIONAL] = -1
        self.words[Word.PYTHON_PATH] = id(python_path)
        for word, value in _constants().items():
            self.words[word] = value
        self._method = _MethodDef(name.encode(), address, _METH_FASTCALL_KEYWORDS, doc.encode())
        create = ctypes.pythonapi.PyCFunction_NewEx
        create.restype, create.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
        self._address = ctypes.addressof(self._method)
        self._create = create

    @property
    def function(self) -> Any:
        return self._create(self._address, self.words, None)

    def open(self, call: Call, entry: Entry) -> None:
        """Expect calls like this one from now on."""
        if not call.fits:
            return
        words = self.words
        words[Word.POSITIONAL] = -1  # shut while it changes
        self._kept = (call, entry)  # so that all addresses stay theirs
        words[Word.KEYWORDS] = len(call.keywords)
        words[Word.ARRAYS], words[Word.OBJECTS] = len(call.lengths), len(call.objects)
        words[Word.OUTPUTS] = len(call.outputs)
        words[Word.RESULT_TYPE] = id(call.result_type) if call.result_type is not None else 0
        words[Word.LENGTH : Word.LENGTH + len(call.lengths)] = call.lengths
        words[Word.OBJECT : Word.OBJECT + len(call.objects)] = [id(thing) for thing in call.objects]
        words[Word.NAME : Word.NAME + len(call.keywords)] = [id(name) for name in call.keywords]
        for i, shape in enumerate(call.outputs):
            at = Word.OUTPUT + i * (1 + MOST_AXES)
            words[at : at + 1 + len(shape)] = [len(shape), *shape]
        words[Word.OUT_GIVEN], words[Word.OUT_LENGTH] = call.out, math.prod(call.outputs[0])
        words[Word.KERNEL] = entry.kernel
        words[Word.LOOP : Word.LOOP + len(Entry.NO_LOOP)] = entry.loop
        words[Word.POSITIONAL] = len(call.lengths) + len(call.objects) + call.out - len(call.keywords)


@dataclass(frozen=True, slots=True)
class Call:
    """What a call looks like: lengths of its leading arrays, its other arguments (keywords last), its results."""

    lengths: tuple[int, ...]
    objects: tuple[Any, ...]
    keywords: tuple[str, ...]
    outputs: tuple[tuple[int, ...], ...]
    result_type: Any
    out: bool
    """Whether the last keyword is `out`; it is then not among the objects."""

    @property
    def fits(self) -> bool:
        return (
            len(self.lengths) <= MOST_ARRAYS
            and len(self.objects) <= MOST_OBJECTS
            and len(self.keywords) <= MOST_KEYWORDS
            and len(self.outputs) <= (1 if self.out else MOST_OUTPUTS)
            and all(len(shape) <= MOST_AXES for shape in self.outputs)
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """Where the machine code is: the kernel for one sample, and the loop over a batch with its arguments (or zeros)."""

    NO_LOOP: ClassVar[tuple[int, ...]] = (0,) * (Word.OUT_TILES - Word.LOOP + 1)

    kernel: int
    loop: tuple[int, ...]
    owner: Any


@cache
def _constants() -> dict[Word, int]:
    """Addresses that are the same for all doors."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = ctypes.cast(get(_multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))

    def address(name: str) -> int:
        return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0

    return {
        Word.ARRAY_TYPE: int(table[ARRAY_TYPE_SLOT] or 0),
        Word.FLOAT64: id(np.dtype(np.float64)),
        Word.NEW_ARRAY: int(table[NEW_SLOT] or 0),
        Word.RETURN_ARRAY: int(table[RETURN_SLOT] or 0),
        Word.VECTORCALL: address("PyObject_Vectorcall"),
        Word.RELEASE: address("Py_DecRef"),
        Word.KEEP: address("Py_IncRef"),
        Word.SAVE_THREAD: address("PyEval_SaveThread"),
        Word.RESTORE_THREAD: address("PyEval_RestoreThread"),
    }


@cache
def available() -> bool:
    """Whether this interpreter and this NumPy have the layout that the assembly relies on."""
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
        read(TYPE, ctypes.c_void_p) == id(np.ndarray) == known[Word.ARRAY_TYPE]
        and read(DATA, ctypes.c_void_p) == probe.ctypes.data
        and read(ND, ctypes.c_int) == 2
        and [ctypes.c_int64.from_address(dimensions + 8 * i).value for i in range(2)] == [3, 5]
        and read(DESCR, ctypes.c_void_p) == id(probe.dtype) == known[Word.FLOAT64]
        and read(FLAGS, ctypes.c_int) & C_CONTIGUOUS_AND_ALIGNED == C_CONTIGUOUS_AND_ALIGNED
        and all(known.values())
    )
