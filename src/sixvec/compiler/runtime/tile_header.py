"""The header of an output tile: the slot of each column, and which blocks of columns are constants."""

from __future__ import annotations

from sixvec.compiler.emit.llvm import Lanes

HEADER = 64
"""Bytes in front of an output tile, which contain three addresses or zeros: of a flag per block of W columns, true
where all of them are constants; of one row of these constants, which are copied, not transposed; of the place of each
column in the tile, in bytes (without it, columns are in their order).  A fourth word is not zero if the rows contain
their constants already."""

KEPT = 24
"""The offset of that word, in bytes from the header's start."""

READ_HEADER = (
    f"  %header = getelementptr i8, ptr %tile, i64 -{HEADER}",
    "  %flags = load ptr, ptr %header",
    "  %constants.p = getelementptr ptr, ptr %header, i64 1",
    "  %constants = load ptr, ptr %constants.p",
    "  %has.flags = icmp ne ptr %flags, null",
    "  %places.p = getelementptr ptr, ptr %header, i64 2",
    "  %places = load ptr, ptr %places.p",
    "  %has.places = icmp ne ptr %places, null",
    f"  %kept.p = getelementptr i8, ptr %header, i64 {KEPT}",
    "  %kept.word = load i64, ptr %kept.p",
    "  %kept = icmp ne i64 %kept.word, 0",
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


def load_columns(t: Lanes, tag: str) -> tuple[list[str], list[str]]:
    """Lines that load the block of W columns from column %j on, and names of W vectors: its halves, put together.

    Vector i holds the first halves of columns i and i + W/2, vector i + W/2 their second halves: the first round of a
    transposition, done by loads that put a half in its place, which cost less than moves between registers.
    They begin in one block of code and end in another, `joined(tag)`.
    """
    columns = range(t.width)
    lines = [f"  br i1 %has.places, label %{tag}.mapped, label %{tag}.ordered", f"{tag}.mapped:"]
    for c in columns:
        lines += [
            f"  %{tag}.c{c} = add i64 %j, {c}",
            f"  %{tag}.q{c} = getelementptr i32, ptr %places, i64 %{tag}.c{c}",
            f"  %{tag}.i{c} = load i32, ptr %{tag}.q{c}",
            f"  %{tag}.m{c} = zext i32 %{tag}.i{c} to i64",
        ]
    lines += [f"  br label %{tag}.joined", f"{tag}.ordered:", f"  %{tag}.skip = mul i64 %j, {t.bytes}"]
    lines += [f"  %{tag}.d{c} = add i64 %{tag}.skip, {c * t.bytes}" for c in columns]
    lines += [f"  br label %{tag}.joined", f"{tag}.joined:"]
    lines += [
        f"  %{tag}.o{c} = phi i64 [ %{tag}.m{c}, %{tag}.mapped ], [ %{tag}.d{c}, %{tag}.ordered ]" for c in columns
    ]
    half, both = t.width // 2, ", ".join(f"i32 {lane}" for lane in columns)
    half_vector = f"<{half} x {t.element}>"
    for c in columns:
        lines += [
            f"  %{tag}.p{c} = getelementptr i8, ptr %tile, i64 %{tag}.o{c}",
            f"  %{tag}.l{c} = load {half_vector}, ptr %{tag}.p{c}, align {t.bytes}",
            f"  %{tag}.r{c} = getelementptr i8, ptr %{tag}.p{c}, i64 {t.bytes // 2}",
            f"  %{tag}.h{c} = load {half_vector}, ptr %{tag}.r{c}, align {t.bytes // 2}",
        ]
    for c in columns:
        side, first = ("l", c) if c < half else ("h", c - half)
        a, b = f"{half_vector} %{tag}.{side}{first}", f"{half_vector} %{tag}.{side}{first + half}"
        lines.append(f"  %{tag}.x{c} = shufflevector {a}, {b}, <{t.width} x i32> <{both}>")
    return lines, [f"%{tag}.x{c}" for c in columns]


def joined(tag: str) -> str:
    """The label of the code in which the lines of `load_columns` end."""
    return f"{tag}.joined"
