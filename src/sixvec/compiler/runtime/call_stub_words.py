"""The data of a call stub: the layout of its words, and the offsets of CPython's and NumPy's objects.

The offsets into NumPy's array object are those that every compiled extension has built in (NumPy's C ABI).
"""

from __future__ import annotations

from enum import IntEnum

MOST_ARRAYS, MOST_OBJECTS, MOST_KEYWORDS, MOST_OUTPUTS, MOST_AXES = 16, 8, 4, 12, 3
MOST_INPUT_AXES = 3
"""Of an array of one sample."""


class Cell(IntEnum):
    """The words of the function itself: they are constant, except the first."""

    BLOCK = 0  # the expected call, an array of the words below, or of one that fits no call
    PYTHON_PATH = 1
    MOST_WORK = 2  # address of the number of operations beyond which a call goes to Python; 0 disables all stubs
    ARRAY_TYPE = 3
    FLOAT64 = 4
    NEW_ARRAY = 5
    NEW_NUMBER = 6
    VECTORCALL = 7
    RELEASE = 8
    KEEP = 9
    SAVE_THREAD = 10
    RESTORE_THREAD = 11
    NEW_TUPLE = 12
    DICT_TYPE = 13
    DICT_NEXT = 14
    COUNT = 15


class Word(IntEnum):
    """The words of an expected call.  They never change: another call gets its own words."""

    POSITIONAL = 0  # number of positional arguments, -1 for no call
    KEYWORDS = 1  # number of keyword arguments, the last of the objects
    ARRAYS = 2  # how many leading arguments are arrays
    OBJECTS = 3  # how many further arguments must be the known objects
    KERNEL = 4  # the function for one sample, or 0
    OUTPUTS = 5
    RESULT_TYPE = 6  # what makes one result of several outputs
    OUT_GIVEN = 7  # 1 if the last keyword is `out`, an array to write the single output into
    OUT_LENGTH = 8  # how many numbers that output has per sample
    TUPLE_TYPE = 9  # if that is a class of tuples: its instances are made without calling it
    DICTIONARIES = 10  # bits: which of the known objects are the keys and values of a dictionary, in its order
    AHEAD = 11  # for one sample: the pointer in front of the inputs, and the one behind the outputs
    BEHIND = 12
    LOOP = 13  # the loop over a batch, or 0; what it needs follows
    BODY = 14
    WIDTH = 15
    OPERATIONS = 16  # for one row
    BUSY = 17  # address of the word that is set while the tiles are in use
    IN_STRIDES = 18
    IN_COLUMNS = 19
    OUT_STRIDES = 20
    OUT_COLUMNS = 21
    IN_TILES = 22
    OUT_TILES = 23
    LENGTH = 24  # MOST_ARRAYS words: how many numbers each array has per sample
    INPUT = LENGTH + MOST_ARRAYS  # MOST_ARRAYS times (axes, lengths...)
    OBJECT = INPUT + MOST_ARRAYS * (1 + MOST_INPUT_AXES)  # MOST_OBJECTS words: the known objects
    NAME = OBJECT + MOST_OBJECTS  # MOST_KEYWORDS words: the keyword names
    OUTPUT = NAME + MOST_KEYWORDS  # MOST_OUTPUTS times (axes, lengths...)
    COUNT = OUTPUT + MOST_OUTPUTS * (1 + MOST_AXES)


# PyObject: refcount, type.  PyArrayObject: data, nd, dimensions, strides, base, descr, flags.
TYPE, DATA, ND, DIMENSIONS, DESCR, FLAGS = 8, 16, 24, 32, 56, 64
TUPLE_SIZE, TUPLE_ITEMS = 16, tuple.__basicsize__
TUPLE_HASH = TUPLE_SIZE + 8  # from Python 3.14 on, between the size and the items; -1 while unknown
C_CONTIGUOUS_AND_ALIGNED = 0x0001 | 0x0100
AND_WRITEABLE = C_CONTIGUOUS_AND_ALIGNED | 0x0400
NPY_DOUBLE = 12
ARRAY_TYPE_SLOT, SCALAR_SLOT, NEW_SLOT = 2, 60, 93  # in NumPy's C-API table


_NUMBERS = frozenset((
    Word.POSITIONAL, Word.KEYWORDS, Word.ARRAYS, Word.OBJECTS, Word.OUTPUTS, Word.OUT_GIVEN, Word.OUT_LENGTH,
    Word.DICTIONARIES, Word.WIDTH, Word.OPERATIONS,
))  # fmt: skip
"""Words that are not addresses."""


def fetch(*names: Word | Cell) -> str:
    """Assembly (notation.py) that loads each of these words as %w.NAME."""
    lines = []
    for name in names:
        kind, table = ("i64" if name in _NUMBERS else "ptr", "words") if isinstance(name, Word) else ("ptr", "cell")
        lines.append(f"  %w.{name.name} <- {kind} %{table}[{name.value}]")
    return "\n".join(lines)
