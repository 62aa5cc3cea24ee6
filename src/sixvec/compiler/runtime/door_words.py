"""What a door knows: where each fact stands in its words, and where CPython and NumPy keep theirs.

The offsets into NumPy's array object are those that every compiled extension has built in (NumPy's C ABI).
"""

from __future__ import annotations

from enum import IntEnum

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
TYPE, DATA, ND, DIMENSIONS, DESCR, FLAGS = 8, 16, 24, 32, 56, 64
TUPLE_SIZE, TUPLE_ITEMS = 16, tuple.__basicsize__
C_CONTIGUOUS_AND_ALIGNED = 0x0001 | 0x0100
AND_WRITEABLE = C_CONTIGUOUS_AND_ALIGNED | 0x0400
NPY_DOUBLE = 12
ARRAY_TYPE_SLOT, RETURN_SLOT, NEW_SLOT = 2, 76, 93  # in NumPy's C-API table
