"""The loop over a batch: rows to lanes, run the kernel, lanes to rows.

Row-major arrays are cut into chunks of W rows.  A chunk is transposed into a tile (each column's W samples side by
side), the kernel runs on tiles, and its results are transposed back.  Lanes beyond the last row repeat it: they
compute and store the same bits again, so no row is special.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.runtime.aligned_rows import can_align, unpack_aligned
from sixvec.compiler.runtime.notation import expanded
from sixvec.compiler.runtime.tile_header import READ_HEADER, ask_for_constants, joined, load_columns, load_constants

PAST_CACHES = 2**25
"""Bytes from which on results are written past the caches: few machines would still hold their first rows when the last
ones are written."""


def batch_assembly(t: Lanes) -> str:
    """LLVM assembly of `batch`, whose signature `call.py` declares.

    Strides are in bytes; a stride of zero is an array shared by all samples, transposed once.
    """
    bits = t.bytes * 8
    return "\n".join([
        _block_loop(t, "pack", partial(_pack_block, t), _pack_column(t)),
        _block_loop(t, "unpack", partial(_unpack_block, t), _unpack_column(t), _constant_block(t)),
        unpack_aligned(t, lambda tag: _turned_block(t, tag)) if can_align(t) else _NO_ALIGNMENT,
        _batch(t),
        f"declare {t.type} @llvm.masked.load.{t.suffix}.p0(ptr, i32, {t.mask}, {t.type})",
        f"declare void @llvm.masked.store.{t.suffix}.p0({t.type}, ptr, i32, {t.mask})",
        f'attributes #0 = {{ nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}" }}',
        "",
    ])  # fmt: skip


def _batch(t: Lanes) -> str:
    """The loop itself; rows that do not begin with a vector are shifted if the machine can and it is faster."""
    facts = {
        "@WIDTH@": t.width,
        "@WIDE@": 2 * t.width,
        "@WITHIN@": t.bytes // t.width - 1,
        "@PAST@": PAST_CACHES,
        "@CAN@": "true" if can_align(t) else "false",
        "@FENCE@": _FENCE if can_align(t) else "",
    }
    text = _BATCH
    for word, value in facts.items():
        text = text.replace(word, str(value))
    return expanded(text)


_BATCH = """
define void @batch(ptr %body, i64 %width, i64 %first, i64 %stop, i64 %nin, ptr %in, ptr %is, ptr %ic,
                   i64 %nout, ptr %out, ptr %os, ptr %oc, ptr %tin, ptr %tout) #0 {
entry:
  %bytes.p = alloca i64
  store i64 0, ptr %bytes.p
  for %n below %nout
    %row.bytes <- i64 %os[%n]
    %bytes.before = load i64, ptr %bytes.p
    %bytes.so.far = add i64 %bytes.before, %row.bytes
    store i64 %bytes.so.far, ptr %bytes.p
  next %n
  %bytes = load i64, ptr %bytes.p
  %rows.all = sub i64 %stop, %first
  %size = mul i64 %rows.all, %bytes
  %past = icmp sge i64 %size, @PAST@
  for %i from %first below %stop by %width
    for %k below %nin
      %stride <- i64 %is[%k]
      %shared = icmp eq i64 %stride, 0
      %later = icmp ne i64 %i, %first
      %skip = and i1 %shared, %later
      br i1 %skip, label %packed, label %pack
pack:
      %src <- ptr %in[%k]
      %cols <- i64 %ic[%k]
      %tile <- ptr %tin[%k]
      call void @pack(ptr %src, i64 %stride, i64 %i, i64 %stop, i64 %cols, ptr %tile)
      br label %packed
packed:
    next %k
    call void %body(ptr %tin, ptr %tout)
    for %m below %nout
      %dst <- ptr %out[%m]
      %ostride <- i64 %os[%m]
      %ocols <- i64 %oc[%m]
      %otile <- ptr %tout[%m]
      %place = ptrtoint ptr %dst to i64
      %bits = or i64 %place, %ostride
      %beside = and i64 %bits, 63
      %off.line = icmp ne i64 %beside, 0
      %within = and i64 %bits, @WITHIN@
      %on.item = icmp eq i64 %within, 0
      %rows.left = sub i64 %stop, %i
      %all.rows = icmp sge i64 %rows.left, @WIDTH@
      %wide = icmp sge i64 %ocols, @WIDE@
      %pays = or i1 %off.line, %past
      %c1 = and i1 %pays, %on.item
      %c2 = and i1 %all.rows, %wide
      %c3 = and i1 %c1, %c2
      %shift = and i1 %c3, @CAN@
      br i1 %shift, label %aligned, label %direct
aligned:
      call void @unpack_aligned(ptr %dst, i64 %ostride, i64 %i, i64 %ocols, ptr %otile, i1 %past)
      br label %unpacked
direct:
      call void @unpack(ptr %dst, i64 %ostride, i64 %i, i64 %stop, i64 %ocols, ptr %otile)
      br label %unpacked
unpacked:
    next %m
  next %i@FENCE@
  ret void
}
"""

_FENCE = """
  fence seq_cst  ; what was written past the caches is there for other threads"""

_NO_ALIGNMENT = """
define internal void @unpack_aligned(ptr %rows, i64 %stride, i64 %i, i64 %cols, ptr %tile, i1 %past) #0 {
  ret void
}
"""


def _block_loop(
    t: Lanes,
    name: str,
    block: Callable[[str, bool], list[str]],
    column: Sequence[str],
    constant: Sequence[str] = (),
) -> str:
    """A function that visits W rows from row %i in blocks of W columns; the last block is masked.

    W numbers side by side, of an array with one column, are a vector already: they are passed to `column`.
    With `constant`, whole blocks are passed to it first: it jumps to %full for those that are not constant.
    """
    lane_numbers = ", ".join(f"i64 {lane}" for lane in range(t.width))
    many = f"<{t.width} x i64>"
    again = f"[ %end, %{joined('full')} ], [ %end, %copied ]" if constant else "[ %end, %full ]"
    return "\n".join([
        f"define internal void @{name}(ptr %rows, i64 %stride, i64 %i, i64 %stop, i64 %cols, ptr %tile) #0 {{",
        "entry:",
        "  %skipped = mul i64 %i, %stride",
        "  %first = getelementptr i8, ptr %rows, i64 %skipped",
        "  %left.rows = sub i64 %stop, %i",
        f"  %whole = icmp sge i64 %left.rows, {t.width}",
        *(READ_HEADER if constant else ()),
        "  %one.column = icmp eq i64 %cols, 1",
        f"  %dense = icmp eq i64 %stride, {t.bytes // t.width}",
        "  %dense.column = and i1 %one.column, %dense",
        "  %beside = and i1 %dense.column, %whole",
        "  br i1 %beside, label %column, label %rows.apart",
        "column:",
        *column,
        "  ret void",
        "rows.apart:",
        "  br i1 %whole, label %start, label %short",
        "short:",
        "  %last = sub i64 %left.rows, 1",
        *(line for r in range(1, t.width) for line in _clamped_row(r)),
        "  br label %start",
        "start:",
        *(f"  %n{r} = phi i64 [ {r}, %rows.apart ], [ %clamped{r}, %short ]" for r in range(1, t.width)),
        *(line for r in range(1, t.width) for line in _row_address(r)),
        "  br label %loop",
        "loop:",
        f"  %j = phi i64 [ 0, %start ], {again}",
        f"  %end = add i64 %j, {t.width}",
        f"  %from = mul i64 %j, {t.bytes // t.width}",
        f"  %skip = mul i64 %j, {t.bytes}",
        "  %at = getelementptr i8, ptr %tile, i64 %skip",
        "  %a0 = getelementptr i8, ptr %first, i64 %from",
        *(f"  %a{r} = getelementptr i8, ptr %r{r}, i64 %from" for r in range(1, t.width)),
        "  %fits = icmp sle i64 %end, %cols",
        f"  br i1 %fits, label %{'known' if constant else 'full'}, label %rest",
        *constant,
        "full:",
        *block("full", False),
        "  br label %loop",
        "rest:",
        "  %left = sub i64 %cols, %j",
        "  %any = icmp sgt i64 %left, 0",
        "  br i1 %any, label %part, label %done",
        "part:",
        f"  %left0 = insertelement {many} poison, i64 %left, i32 0",
        f"  %lefts = shufflevector {many} %left0, {many} poison, <{t.width} x i32> zeroinitializer",
        f"  %mask = icmp slt {many} <{lane_numbers}>, %lefts",
        *block("part", True),
        "  br label %done",
        "done:",
        "  ret void",
        "}",
    ])  # fmt: skip


def _constant_block(t: Lanes) -> list[str]:
    """A block of constants is the same in every row; rows that have it keep it."""
    item = t.bytes // t.width
    return [
        "known:",
        *ask_for_constants(t, yes="constant", no="full"),
        "constant:",
        "  br i1 %kept, label %copied, label %copy",
        "copy:",
        *load_constants(t, "%same", "%from"),
        *(f"  store {t.type} %same, ptr %a{r}, align {item}" for r in range(t.width)),
        "  br label %copied",
        "copied:",
        "  br label %loop",
    ]


def _pack_column(t: Lanes) -> list[str]:
    return [
        f"  %column.x = load {t.type}, ptr %first, align {t.bytes // t.width}",
        f"  store {t.type} %column.x, ptr %tile, align {t.bytes}",
    ]


def _unpack_column(t: Lanes) -> list[str]:
    """The only column of a tile may have any place in it."""
    return [
        "  br i1 %has.places, label %column.mapped, label %column.found",
        "column.mapped:",
        "  %column.place = load i32, ptr %places",
        "  %column.skip = zext i32 %column.place to i64",
        "  br label %column.found",
        "column.found:",
        "  %column.at = phi i64 [ 0, %column ], [ %column.skip, %column.mapped ]",
        "  %column.p = getelementptr i8, ptr %tile, i64 %column.at",
        f"  %column.x = load {t.type}, ptr %column.p, align {t.bytes}",
        f"  store {t.type} %column.x, ptr %first, align {t.bytes // t.width}",
    ]


def _clamped_row(r: int) -> list[str]:
    """%clamped<r>: row r of the chunk, or the last row."""
    return [f"  %inside{r} = icmp sgt i64 %last, {r}", f"  %clamped{r} = select i1 %inside{r}, i64 {r}, i64 %last"]


def _row_address(r: int) -> list[str]:
    """%r<r>: where row r of the chunk starts."""
    return [f"  %offset{r} = mul i64 %n{r}, %stride", f"  %r{r} = getelementptr i8, ptr %first, i64 %offset{r}"]


def _pack_block(t: Lanes, tag: str, masked: bool) -> list[str]:
    """A block of W rows, transposed into the tile at %at."""
    align = t.bytes // t.width
    rows = [f"%{tag}.x{r}" for r in range(t.width)]
    if masked:
        call = f"call {t.type} @llvm.masked.load.{t.suffix}.p0"
        loads = [
            f"  {x} = {call}(ptr %a{r}, i32 {align}, {t.mask} %mask, {t.type} zeroinitializer)"
            for r, x in enumerate(rows)
        ]
    else:
        loads = [f"  {x} = load {t.type}, ptr %a{r}, align {align}" for r, x in enumerate(rows)]
    turn, columns = _transpose(t, rows, tag)
    stores = []
    for c, y in enumerate(columns):
        stores += [
            f"  %{tag}.p{c} = getelementptr {t.type}, ptr %at, i64 {c}",
            f"  store {t.type} {y}, ptr %{tag}.p{c}, align {t.bytes}",
        ]
    return [*loads, *turn, *stores]


def _turned_block(t: Lanes, tag: str) -> tuple[list[str], list[str]]:
    """The block of W columns of a tile from column %j on, loaded and transposed: lines, and names of its rows."""
    loads, halves = load_columns(t, tag)
    turn, rows = _transpose(t, halves, tag, rounds_done=1)
    return [*loads, *turn], rows


def _unpack_block(t: Lanes, tag: str, masked: bool) -> list[str]:
    """The inverse of `_pack_block`."""
    align = t.bytes // t.width
    loads, rows = _turned_block(t, tag)
    if masked:
        call = f"call void @llvm.masked.store.{t.suffix}.p0"
        stores = [f"  {call}({t.type} {y}, ptr %a{r}, i32 {align}, {t.mask} %mask)" for r, y in enumerate(rows)]
    else:
        stores = [f"  store {t.type} {y}, ptr %a{r}, align {align}" for r, y in enumerate(rows)]
    return [*loads, *stores]


def _transpose(t: Lanes, names: list[str], tag: str, rounds_done: int = 0) -> tuple[list[str], list[str]]:
    """Lines that transpose a W x W block, and the names of the result.

    In each of log2 W rounds, rows i and i + d exchange their lanes in groups of d, which is W/2 in the first.
    """
    lines, names, d = [], list(names), t.width >> (1 + rounds_done)
    while d:
        low = [lane if not lane & d else t.width + lane - d for lane in range(t.width)]
        high = [lane + d if not lane & d else t.width + lane for lane in range(t.width)]
        for i in (i for i in range(t.width) if not i & d):
            a, b = names[i], names[i + d]
            for row, mask in ((i, low), (i + d, high)):
                names[row] = f"%{tag}.t{d}.{row}"
                picks = ", ".join(f"i32 {m}" for m in mask)
                lines.append(f"  {names[row]} = shufflevector {t.type} {a}, {t.type} {b}, <{t.width} x i32> <{picks}>")
        d //= 2
    return lines, names
