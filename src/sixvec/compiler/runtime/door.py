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
from enum import IntEnum
from functools import cache
from typing import Any, ClassVar

import numpy as np

MOST_ARRAYS, MOST_OBJECTS, MOST_KEYWORDS, MOST_OUTPUTS, MOST_AXES = 6, 8, 4, 4, 3


class Word(IntEnum):
    """Where each fact stands in the door's words."""

    POSITIONAL = 0  # number of positional arguments, -1 when the door is shut
    KEYWORDS = 1  # number of keyword arguments, the last of the objects
    ARRAYS = 2  # how many leading arguments are arrays
    OBJECTS = 3  # how many further arguments must be the known objects
    KERNEL = 4  # the function for one sample, or 0
    PYTHON_PATH = 5
    OUTPUTS = 6
    RESULT_TYPE = 7  # a named-tuple class when there are several outputs
    ARRAY_TYPE = 8
    FLOAT64 = 9
    NEW_ARRAY = 10
    RETURN_ARRAY = 11
    VECTORCALL = 12
    RELEASE = 13
    SAVE_THREAD = 14
    RESTORE_THREAD = 15
    BUSY = 16  # whether a batch is running on this door's tiles
    LOOP = 17  # the loop over a batch, or 0; what it needs follows
    BODY = 18
    WIDTH = 19
    MOST_ROWS = 20  # address of the number of rows beyond which threads should share the work
    IN_STRIDES = 21
    IN_COLUMNS = 22
    OUT_STRIDES = 23
    OUT_COLUMNS = 24
    IN_TILES = 25
    OUT_TILES = 26
    OUT_GIVEN = 27  # 1 if the last keyword is `out`, an array to write the single output into
    OUT_LENGTH = 28  # how many numbers that output has per sample
    KEEP = 29
    LENGTH = 32  # MOST_ARRAYS words: the length of each array
    OBJECT = LENGTH + MOST_ARRAYS  # MOST_OBJECTS words: the known objects
    NAME = OBJECT + MOST_OBJECTS  # MOST_KEYWORDS words: the keyword names
    OUTPUT = NAME + MOST_KEYWORDS  # MOST_OUTPUTS times (axes, lengths...)
    COUNT = OUTPUT + MOST_OUTPUTS * (1 + MOST_AXES)


# PyObject: refcount, type.  PyArrayObject: data, nd, dimensions, strides, base, descr, flags.
_TYPE, _DATA, _ND, _DIMENSIONS, _DESCR, _FLAGS = 8, 16, 24, 32, 56, 64
_TUPLE_SIZE, _TUPLE_ITEMS = 16, tuple.__basicsize__
_C_CONTIGUOUS_AND_ALIGNED = 0x0001 | 0x0100
_AND_WRITEABLE = _C_CONTIGUOUS_AND_ALIGNED | 0x0400
_NPY_DOUBLE = 12
_ARRAY_TYPE_SLOT, _RETURN_SLOT, _NEW_SLOT = 2, 76, 93  # in NumPy's C-API table


def door_assembly() -> str:
    """LLVM assembly of the CPython function `door(self, args, nargs, kwnames)`."""
    word = {w.name: f"%w.{w.name}" for w in Word}

    def fetch(name: Word, kind: str = "i64") -> str:
        return (
            f"  %p.{name.name} = getelementptr i64, ptr %words, i64 {name.value}\n"
            f"  {word[name.name]} = load {kind}, ptr %p.{name.name}"
        )

    return f"""
define ptr @door(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {{
entry:
  %in = alloca [{MOST_ARRAYS} x ptr]
  %out = alloca [{MOST_OUTPUTS} x ptr]
  %made = alloca [{MOST_OUTPUTS + 1} x ptr]
  %shape = alloca [{MOST_AXES + 1} x i64]
  %words.p = getelementptr i8, ptr %self, i64 {_DATA}
  %words = load ptr, ptr %words.p
{fetch(Word.POSITIONAL)}
{fetch(Word.KEYWORDS)}
{fetch(Word.ARRAYS)}
{fetch(Word.OBJECTS)}
{fetch(Word.ARRAY_TYPE, "ptr")}
{fetch(Word.FLOAT64, "ptr")}
{fetch(Word.OUTPUTS)}
{fetch(Word.NEW_ARRAY, "ptr")}
  %same.n = icmp eq i64 %nargs, %w.POSITIONAL
  br i1 %same.n, label %keywords, label %python
keywords:
  %none = icmp eq ptr %kwnames, null
  br i1 %none, label %keywords.count, label %keywords.some
keywords.some:
  %size.p = getelementptr i8, ptr %kwnames, i64 {_TUPLE_SIZE}
  %size = load i64, ptr %size.p
  br label %keywords.count
keywords.count:
  %given = phi i64 [ 0, %keywords ], [ %size, %keywords.some ]
  %same.k = icmp eq i64 %given, %w.KEYWORDS
  br i1 %same.k, label %names, label %python
names:
  %k = phi i64 [ 0, %keywords.count ], [ %k.next, %name.good ]
  %k.more = icmp slt i64 %k, %given
  br i1 %k.more, label %name, label %arrays
name:
  %items = getelementptr i8, ptr %kwnames, i64 {_TUPLE_ITEMS}
  %name.p = getelementptr ptr, ptr %items, i64 %k
  %name.given = load ptr, ptr %name.p
  %ki = add i64 %k, {Word.NAME.value}
  %name.known.p = getelementptr ptr, ptr %words, i64 %ki
  %name.known = load ptr, ptr %name.known.p
  %is.name = icmp eq ptr %name.given, %name.known
  br i1 %is.name, label %name.good, label %python
name.good:
  %k.next = add i64 %k, 1
  br label %names
arrays:
  %i = phi i64 [ 0, %names ], [ %i.next, %array.good ]
  %rank = phi i32 [ 1, %names ], [ %nd, %array.good ]
  %rows = phi i64 [ 1, %names ], [ %a.rows, %array.good ]
  %i.more = icmp slt i64 %i, %w.ARRAYS
  br i1 %i.more, label %array, label %objects
array:
  %a.p = getelementptr ptr, ptr %args, i64 %i
  %a = load ptr, ptr %a.p
  %type.p = getelementptr i8, ptr %a, i64 {_TYPE}
  %type = load ptr, ptr %type.p
  %is.array = icmp eq ptr %type, %w.ARRAY_TYPE
  br i1 %is.array, label %array.look, label %python
array.look:
  %descr.p = getelementptr i8, ptr %a, i64 {_DESCR}
  %descr = load ptr, ptr %descr.p
  %is.f64 = icmp eq ptr %descr, %w.FLOAT64
  %nd.p = getelementptr i8, ptr %a, i64 {_ND}
  %nd = load i32, ptr %nd.p
  %nd.less = sub i32 %nd, 1
  %is.1d.or.2d = icmp ult i32 %nd.less, 2
  %flags.p = getelementptr i8, ptr %a, i64 {_FLAGS}
  %flags = load i32, ptr %flags.p
  %flags.set = and i32 %flags, {_C_CONTIGUOUS_AND_ALIGNED}
  %is.plain = icmp eq i32 %flags.set, {_C_CONTIGUOUS_AND_ALIGNED}
  %ok.1 = and i1 %is.f64, %is.1d.or.2d
  %ok.2 = and i1 %ok.1, %is.plain
  br i1 %ok.2, label %array.length, label %python
array.length:
  %dims.p = getelementptr i8, ptr %a, i64 {_DIMENSIONS}
  %dims = load ptr, ptr %dims.p
  %nd.last = zext i32 %nd.less to i64
  %length.given.p = getelementptr i64, ptr %dims, i64 %nd.last
  %length = load i64, ptr %length.given.p
  %lead = load i64, ptr %dims
  %is.2d = icmp eq i32 %nd, 2
  %a.rows = select i1 %is.2d, i64 %lead, i64 1
  %li = add i64 %i, {Word.LENGTH.value}
  %length.p = getelementptr i64, ptr %words, i64 %li
  %length.known = load i64, ptr %length.p
  %fits = icmp eq i64 %length, %length.known
  %is.first = icmp eq i64 %i, 0
  %same.rank = icmp eq i32 %nd, %rank
  %same.rows = icmp eq i64 %a.rows, %rows
  %same.lead = and i1 %same.rank, %same.rows
  %lead.ok = or i1 %is.first, %same.lead
  %ok.3 = and i1 %fits, %lead.ok
  br i1 %ok.3, label %array.good, label %python
array.good:
  %data.p = getelementptr i8, ptr %a, i64 {_DATA}
  %data = load ptr, ptr %data.p
  %in.p = getelementptr ptr, ptr %in, i64 %i
  store ptr %data, ptr %in.p
  %i.next = add i64 %i, 1
  br label %arrays
objects:
  %o = phi i64 [ 0, %arrays ], [ %o.next, %object.good ]
  %o.more = icmp slt i64 %o, %w.OBJECTS
  br i1 %o.more, label %object, label %ready
object:
  %oa = add i64 %o, %w.ARRAYS
  %o.p = getelementptr ptr, ptr %args, i64 %oa
  %object.given = load ptr, ptr %o.p
  %oi = add i64 %o, {Word.OBJECT.value}
  %known.p = getelementptr ptr, ptr %words, i64 %oi
  %known = load ptr, ptr %known.p
  %is.known = icmp eq ptr %object.given, %known
  br i1 %is.known, label %object.good, label %python
object.good:
  %o.next = add i64 %o, 1
  br label %objects
ready:
{fetch(Word.KERNEL, "ptr")}
{fetch(Word.LOOP, "ptr")}
{fetch(Word.BUSY)}
{fetch(Word.MOST_ROWS, "ptr")}
  %is.batch = icmp eq i32 %rank, 2
  %has.kernel = icmp ne ptr %w.KERNEL, null
  %has.loop = icmp ne ptr %w.LOOP, null
  %idle = icmp eq i64 %w.BUSY, 0
  %loop.1 = and i1 %has.loop, %idle
  br i1 %is.batch, label %ready.batch, label %ready.all
ready.batch:
  br i1 %loop.1, label %ready.rows, label %python
ready.rows:
  %most = load i64, ptr %w.MOST_ROWS
  %rows.less = sub i64 %rows, 1
  %rows.ok = icmp ult i64 %rows.less, %most
  br label %ready.all
ready.all:
  %can = phi i1 [ %has.kernel, %ready ], [ %rows.ok, %ready.rows ]
  %rank.less = sub i32 %rank, 1
  %batch.axes = zext i32 %rank.less to i64
  store i64 %rows, ptr %shape
{fetch(Word.OUT_GIVEN)}
  %has.out = icmp ne i64 %w.OUT_GIVEN, 0
  %ways = select i1 %has.out, i32 1, i32 2
  %way = select i1 %can, i32 %ways, i32 0
  switch i32 %way, label %python [ i32 1, label %taken i32 2, label %make ]
taken:
  %g.at = add i64 %w.ARRAYS, %w.OBJECTS
  %g.p = getelementptr ptr, ptr %args, i64 %g.at
  %g = load ptr, ptr %g.p
  %g.type.p = getelementptr i8, ptr %g, i64 {_TYPE}
  %g.type = load ptr, ptr %g.type.p
  %g.is.array = icmp eq ptr %g.type, %w.ARRAY_TYPE
  br i1 %g.is.array, label %taken.look, label %python
taken.look:
  %g.descr.p = getelementptr i8, ptr %g, i64 {_DESCR}
  %g.descr = load ptr, ptr %g.descr.p
  %g.is.f64 = icmp eq ptr %g.descr, %w.FLOAT64
  %g.flags.p = getelementptr i8, ptr %g, i64 {_FLAGS}
  %g.flags = load i32, ptr %g.flags.p
  %g.flags.set = and i32 %g.flags, {_AND_WRITEABLE}
  %g.is.plain = icmp eq i32 %g.flags.set, {_AND_WRITEABLE}
  %g.nd.p = getelementptr i8, ptr %g, i64 {_ND}
  %g.nd = load i32, ptr %g.nd.p
  %g.nd.64 = zext i32 %g.nd to i64
  %g.axes.p = getelementptr i64, ptr %words, i64 {Word.OUTPUT.value}
  %g.axes = load i64, ptr %g.axes.p
  %g.axes.all = add i64 %g.axes, %batch.axes
  %g.same.nd = icmp eq i64 %g.nd.64, %g.axes.all
  %g.lengths = getelementptr i64, ptr %g.axes.p, i64 1
  %g.lengths.to = getelementptr i64, ptr %shape, i64 %batch.axes
  call void @llvm.memcpy.p0.p0.i64(ptr %g.lengths.to, ptr %g.lengths, i64 {8 * MOST_AXES}, i1 false)
  %g.dims.p = getelementptr i8, ptr %g, i64 {_DIMENSIONS}
  %g.dims = load ptr, ptr %g.dims.p
  %g.data.p = getelementptr i8, ptr %g, i64 {_DATA}
  %g.data = load ptr, ptr %g.data.p
  %g.low = ptrtoint ptr %g.data to i64
{fetch(Word.OUT_LENGTH)}
  %row.bytes = mul i64 %rows, 8
  %g.bytes = mul i64 %row.bytes, %w.OUT_LENGTH
  %g.high = add i64 %g.low, %g.bytes
  %g.ok.1 = and i1 %g.is.f64, %g.is.plain
  %g.ok.2 = and i1 %g.ok.1, %g.same.nd
  br i1 %g.ok.2, label %taken.dims, label %python
taken.dims:
  %d = phi i64 [ 0, %taken.look ], [ %d.next, %taken.dim ]
  %d.more = icmp slt i64 %d, %g.axes.all
  br i1 %d.more, label %taken.dim, label %taken.apart
taken.dim:
  %d.p = getelementptr i64, ptr %g.dims, i64 %d
  %d.given = load i64, ptr %d.p
  %d.known.p = getelementptr i64, ptr %shape, i64 %d
  %d.known = load i64, ptr %d.known.p
  %d.same = icmp eq i64 %d.given, %d.known
  %d.next = add i64 %d, 1
  br i1 %d.same, label %taken.dims, label %python
taken.apart:
  %e = phi i64 [ 0, %taken.dims ], [ %e.next, %taken.input ]
  %e.more = icmp slt i64 %e, %w.ARRAYS
  br i1 %e.more, label %taken.input, label %taken.good
taken.input:
  %e.p = getelementptr ptr, ptr %in, i64 %e
  %e.data = load ptr, ptr %e.p
  %e.low = ptrtoint ptr %e.data to i64
  %e.at = add i64 %e, {Word.LENGTH.value}
  %e.length.p = getelementptr i64, ptr %words, i64 %e.at
  %e.length = load i64, ptr %e.length.p
  %e.bytes = mul i64 %row.bytes, %e.length
  %e.high = add i64 %e.low, %e.bytes
  %e.before = icmp ule i64 %e.high, %g.low
  %e.after = icmp ule i64 %g.high, %e.low
  %e.apart = or i1 %e.before, %e.after
  %e.next = add i64 %e, 1
  br i1 %e.apart, label %taken.apart, label %python
taken.good:
{fetch(Word.KEEP, "ptr")}
  call void %w.KEEP(ptr %g)
  store ptr %g.data, ptr %out
  %g.made.p = getelementptr ptr, ptr %made, i64 1
  store ptr %g, ptr %g.made.p
  br label %run
make:
  %m = phi i64 [ 0, %ready.all ], [ %m.next, %make.good ]
  %m.more = icmp slt i64 %m, %w.OUTPUTS
  br i1 %m.more, label %make.one, label %run
make.one:
  %m.words = mul i64 %m, {1 + MOST_AXES}
  %m.at = add i64 %m.words, {Word.OUTPUT.value}
  %axes.p = getelementptr i64, ptr %words, i64 %m.at
  %axes = load i64, ptr %axes.p
  %axes.all = add i64 %axes, %batch.axes
  %axes.32 = trunc i64 %axes.all to i32
  %lengths = getelementptr i64, ptr %axes.p, i64 1
  %lengths.to = getelementptr i64, ptr %shape, i64 %batch.axes
  call void @llvm.memcpy.p0.p0.i64(ptr %lengths.to, ptr %lengths, i64 {8 * MOST_AXES}, i1 false)
  %new = call ptr %w.NEW_ARRAY(ptr %w.ARRAY_TYPE, i32 %axes.32, ptr %shape, i32 {_NPY_DOUBLE},
                               ptr null, ptr null, i32 0, i32 0, ptr null)
  %made.it = icmp ne ptr %new, null
  br i1 %made.it, label %make.good, label %fail
make.good:
  %new.data.p = getelementptr i8, ptr %new, i64 {_DATA}
  %new.data = load ptr, ptr %new.data.p
  %out.p = getelementptr ptr, ptr %out, i64 %m
  store ptr %new.data, ptr %out.p
  %made.at = add i64 %m, 1
  %made.p = getelementptr ptr, ptr %made, i64 %made.at
  store ptr %new, ptr %made.p
  %m.next = add i64 %m, 1
  br label %make
fail:
  ret ptr null
run:
  br i1 %is.batch, label %run.batch, label %run.one
run.one:
  call void %w.KERNEL(ptr %in, ptr %out)
  br label %finish
run.batch:
{fetch(Word.BODY, "ptr")}
{fetch(Word.WIDTH)}
{fetch(Word.IN_STRIDES, "ptr")}
{fetch(Word.IN_COLUMNS, "ptr")}
{fetch(Word.OUT_STRIDES, "ptr")}
{fetch(Word.OUT_COLUMNS, "ptr")}
{fetch(Word.IN_TILES, "ptr")}
{fetch(Word.OUT_TILES, "ptr")}
{fetch(Word.SAVE_THREAD, "ptr")}
{fetch(Word.RESTORE_THREAD, "ptr")}
  store i64 1, ptr %p.BUSY
  %state = call ptr %w.SAVE_THREAD()
  call void %w.LOOP(ptr %w.BODY, i64 %w.WIDTH, i64 0, i64 %rows,
                    i64 %w.ARRAYS, ptr %in, ptr %w.IN_STRIDES, ptr %w.IN_COLUMNS,
                    i64 %w.OUTPUTS, ptr %out, ptr %w.OUT_STRIDES, ptr %w.OUT_COLUMNS,
                    ptr %w.IN_TILES, ptr %w.OUT_TILES)
  call void %w.RESTORE_THREAD(ptr %state)
  store i64 0, ptr %p.BUSY
  br label %finish
finish:
{fetch(Word.RESULT_TYPE, "ptr")}
  %several = icmp ne ptr %w.RESULT_TYPE, null
  %first.p = getelementptr ptr, ptr %made, i64 1
  %first = load ptr, ptr %first.p
  br i1 %several, label %tuple, label %single
single:
  %first.nd.p = getelementptr i8, ptr %first, i64 {_ND}
  %first.nd = load i32, ptr %first.nd.p
  %is.0d = icmp eq i32 %first.nd, 0
  %is.made = icmp eq i64 %w.OUT_GIVEN, 0
  %is.scalar = and i1 %is.0d, %is.made
  br i1 %is.scalar, label %scalar, label %plain
plain:
  ret ptr %first
scalar:
{fetch(Word.RETURN_ARRAY, "ptr")}
  %number = call ptr %w.RETURN_ARRAY(ptr %first)
  ret ptr %number
tuple:
{fetch(Word.VECTORCALL, "ptr")}
{fetch(Word.RELEASE, "ptr")}
  %result = call ptr %w.VECTORCALL(ptr %w.RESULT_TYPE, ptr %first.p, i64 %w.OUTPUTS, ptr null)
  br label %release
release:
  %r = phi i64 [ 1, %tuple ], [ %r.next, %release ]
  %r.p = getelementptr ptr, ptr %made, i64 %r
  %r.array = load ptr, ptr %r.p
  call void %w.RELEASE(ptr %r.array)
  %r.next = add i64 %r, 1
  %r.more = icmp sle i64 %r.next, %w.OUTPUTS
  br i1 %r.more, label %release, label %released
released:
  ret ptr %result
python:
  %path.p = getelementptr ptr, ptr %words, i64 {Word.PYTHON_PATH.value}
  %path = load ptr, ptr %path.p
  %vectorcall.p = getelementptr ptr, ptr %words, i64 {Word.VECTORCALL.value}
  %vectorcall = load ptr, ptr %vectorcall.p
  %answer = call ptr %vectorcall(ptr %path, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %answer
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


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
        Word.ARRAY_TYPE: int(table[_ARRAY_TYPE_SLOT] or 0),
        Word.FLOAT64: id(np.dtype(np.float64)),
        Word.NEW_ARRAY: int(table[_NEW_SLOT] or 0),
        Word.RETURN_ARRAY: int(table[_RETURN_SLOT] or 0),
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

    dimensions = read(_DIMENSIONS, ctypes.c_void_p)
    return (
        read(_TYPE, ctypes.c_void_p) == id(np.ndarray) == known[Word.ARRAY_TYPE]
        and read(_DATA, ctypes.c_void_p) == probe.ctypes.data
        and read(_ND, ctypes.c_int) == 2
        and [ctypes.c_int64.from_address(dimensions + 8 * i).value for i in range(2)] == [3, 5]
        and read(_DESCR, ctypes.c_void_p) == id(probe.dtype) == known[Word.FLOAT64]
        and read(_FLAGS, ctypes.c_int) & _C_CONTIGUOUS_AND_ALIGNED == _C_CONTIGUOUS_AND_ALIGNED
        and all(known.values())
    )
