"""What stands in front of an output tile: which blocks of its columns are constants, and these constants."""

from __future__ import annotations

from sixvec.compiler.emit.llvm import Lanes

HEADER = 64
"""Bytes in front of an output tile: the addresses of a flag per block of W columns, true where all of them are
constants, and of one row of these constants; or zero.  Such blocks are copied, not transposed."""

READ_HEADER = (
    f"  %header = getelementptr i8, ptr %tile, i64 -{HEADER}",
    "  %flags = load ptr, ptr %header",
    "  %constants.p = getelementptr ptr, ptr %header, i64 1",
    "  %constants = load ptr, ptr %constants.p",
    "  %has.flags = icmp ne ptr %flags, null",
)
"""Lines that fetch the header of the tile at %tile."""


def ask_for_constants(t: Lanes, yes: str, no: str) -> list[str]:
    """Lines that jump to `yes` if the block from column %j on is all constants, else to `no`."""
    return [
        f"  br i1 %has.flags, label %ask, label %{no}",
        "ask:",
        f"  %number = udiv i64 %j, {t.width}",
        "  %flag.p = getelementptr i8, ptr %flags, i64 %number",
        "  %flag = load i8, ptr %flag.p",
        "  %is.constant = icmp ne i8 %flag, 0",
        f"  br i1 %is.constant, label %{yes}, label %{no}",
    ]


def load_constants(t: Lanes, to: str, place: str) -> list[str]:
    """Lines that load the constants of a block that begins `place` bytes into a row."""
    return [
        f"  {to}.p = getelementptr i8, ptr %constants, i64 {place}",
        f"  {to} = load {t.type}, ptr {to}.p, align {t.bytes // t.width}",
    ]
