"""Machine code may use registers as wide as its lanes, and no wider: LLVM reads it from attributes."""

from __future__ import annotations

import re

import pytest

from sixvec.compiler.emit.llvm import Lanes, emit_llvm
from sixvec.compiler.program import Port, trace
from sixvec.compiler.runtime.batch import batch_assembly
from sixvec.compiler.runtime.iterate import iterate_assembly
from sixvec.compiler.runtime.stages import stages_assembly

DOUBLE = trace("double", [Port("x", (1,))], lambda x: [(Port("y", (1,)), [x[0] + x[0]])])
BITS = {"float64": 64, "float32": 32}


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("width", [2, 4, 8])
def test_loops_and_kernels_have_the_width_of_their_lanes(width: int, dtype: str) -> None:
    lanes = Lanes(width, dtype)
    bits = width * BITS[dtype]
    for assembly in (batch_assembly(lanes), iterate_assembly(lanes), stages_assembly(lanes), emit_llvm(DOUBLE, lanes)):
        ((wanted, least),) = re.findall(r'"prefer-vector-width"="([^"]*)" "min-legal-vector-width"="([^"]*)"', assembly)
        assert least == str(bits)
        assert wanted == str(bits) or (int(wanted) == 128 > bits)
