"""Lanes to rows for unaligned rows of an array: whole aligned vectors are still stored.

A vector that crosses a cache-line boundary costs twice.  Here each row keeps its last block of W columns in a
register; two neighbouring blocks, shifted by the row's own offset, make one vector that fills a line.  Only the first
and last vectors of a row are partial, and masked.

Lines that a row will need soon are prefetched.  An array too large for the caches is written past them, since to
fetch lines only to overwrite them doubles the traffic; but not all of it: what a core can have on its way past the
caches is bounded, and so is what it can have on its way through them.  With some rows on each way, both are used.
"""

from __future__ import annotations

from collections.abc import Callable

from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.runtime.tile_header import READ_HEADER, ask_for_constants, joined, load_constants
from sixvec.compiler.target import host

_PERMUTE = {"float64": ("pd", "i64"), "float32": ("ps", "i32")}
_VECTOR = 64
"""Bytes of the registers whose permutation of two vectors this needs."""

_AHEAD = 4
"""Vectors between the one that is stored and the one whose line is prefetched."""

_PAST = (1, 2, 4, 5, 7)
"""Of each eight rows, those that are written past the caches: three through them are as quick as five past them."""


def can_align(t: Lanes) -> bool:
    """Whether this machine has the instruction: lanes of 512 bits on x86."""
    return t.bytes == _VECTOR and host().triple.startswith("x86_64")


def unpack_aligned(t: Lanes, transposed: Callable[[str], tuple[list[str], list[str]]]) -> str:
    """LLVM assembly of `unpack_aligned(rows, stride, i, cols, tile, past)`: W rows from row i of at least 2 W columns.

    `past` selects writing past the caches.  `transposed(tag)` loads the block of W columns from column %j on and turns
    it: its lines and the names of the rows.
    """
    W, item = t.width, t.bytes // t.width
    name, integer = _PERMUTE[t.dtype]
    many, rows = f"<{W} x {integer}>", range(W)
    permute = f"call {t.type} @llvm.x86.avx512.vpermi2var.{name}.512"
    lanes = ", ".join(f"{integer} {lane}" for lane in rows)
    full, full_rows = transposed("full")
    last, last_rows = transposed("last")

    def splat(to: str, x: str) -> list[str]:
        return [
            f"  {to}.0 = insertelement {many} poison, {integer} {x}, i32 0",
            f"  {to} = shufflevector {many} {to}.0, {many} poison, <{W} x i32> zeroinitializer",
        ]

    def narrow(to: str, x: str) -> str:
        return f"  {to} = trunc i64 {x} to i32" if integer == "i32" else f"  {to} = add i64 {x}, 0"

    def begin(r: int) -> list[str]:
        return [
            f"  %skip{r} = mul i64 %stride, {r}",
            f"  %row{r} = getelementptr i8, ptr %first, i64 %skip{r}",
            f"  %number{r} = ptrtoint ptr %row{r} to i64",
            f"  %bytes{r} = and i64 %number{r}, {_VECTOR - 1}",
            f"  %back{r} = sub i64 0, %bytes{r}",
            f"  %line{r} = getelementptr i8, ptr %row{r}, i64 %back{r}",
            f"  %off{r} = udiv i64 %bytes{r}, {item}",
            narrow(f"%m{r}", f"%off{r}"),
            f"  %from{r} = sub {integer} {W}, %m{r}",
            *splat(f"%froms{r}", f"%from{r}"),
            f"  %index{r} = add {many} %froms{r}, <{lanes}>",
        ]

    def combined(to: str, before: str, r: int, after: str) -> str:
        return f"  {to} = {permute}({t.type} {before}, {many} %index{r}, {t.type} {after})"

    def masked(tag: str, r: int, value: str, place: str, mask: str) -> list[str]:
        return [
            f"  %{tag}.p{r} = getelementptr i8, ptr %line{r}, i64 {place}",
            f"  call void @llvm.masked.store.{t.suffix}.p0"
            f"({t.type} {value}, ptr %{tag}.p{r}, i32 {t.bytes}, {t.mask} {mask})",
        ]

    def past_caches(r: int) -> list[str]:
        return [f"  store {t.type} %whole{r}, ptr %to{r}, align {t.bytes}, !nontemporal !0"]

    def through_caches(tag: str, r: int) -> list[str]:
        return [
            f"  store {t.type} %whole{r}, ptr %to{r}, align {t.bytes}",
            f"  %{tag}.ask{r} = getelementptr i8, ptr %to{r}, i64 %ahead",
            f"  call void @llvm.prefetch.p0(ptr %{tag}.ask{r}, i32 1, i32 3, i32 1)",
        ]

    def from_stores(x: str) -> str:
        return ", ".join(f"[ {x}, %{block} ]" for block in ("head", "within", "beyond"))

    def head(r: int) -> list[str]:
        return [
            *splat(f"%ms{r}", f"%m{r}"),
            f"  %inside{r} = icmp uge {many} <{lanes}>, %ms{r}",
            *masked("head", r, f"%whole{r}", "0", f"%inside{r}"),
        ]

    def tail(r: int) -> list[str]:
        return [
            combined(f"%tail{r}", f"%old{r}", r, f"%rest{r}"),
            combined(f"%over{r}", f"%rest{r}", r, "zeroinitializer"),
            f"  %count{r} = add {integer} %m{r}, %left.short",
            *splat(f"%counts{r}", f"%count{r}"),
            f"  %in.tail{r} = icmp ult {many} <{lanes}>, %counts{r}",
            *masked("tail", r, f"%tail{r}", "%here", f"%in.tail{r}"),
            f"  %beyond{r} = icmp ugt {integer} %count{r}, {W}",
            f"  %more{r} = sub {integer} %count{r}, {W}",
            f"  %over.count{r} = select i1 %beyond{r}, {integer} %more{r}, {integer} 0",
            *splat(f"%overs{r}", f"%over.count{r}"),
            f"  %in.over{r} = icmp ult {many} <{lanes}>, %overs{r}",
            *masked("over", r, f"%over{r}", "%there", f"%in.over{r}"),
        ]

    return "\n".join([
        "define internal void @unpack_aligned(ptr %rows, i64 %stride, i64 %i, i64 %cols, ptr %tile, i1 %past) #0 {",
        "entry:",
        "  %skipped = mul i64 %i, %stride",
        "  %first = getelementptr i8, ptr %rows, i64 %skipped",
        *READ_HEADER,
        f"  %ahead = select i1 %kept, i64 0, i64 {_AHEAD * t.bytes}  ; the next line that is stored may be far away",
        *(line for r in rows for line in begin(r)),
        "  br label %loop",
        "loop:",
        "  %j = phi i64 [ 0, %entry ], [ %end, %next ]",
        "  %was.constant = phi i1 [ false, %entry ], [ %now.constant, %next ]",
        *(f"  %old{r} = phi {t.type} [ zeroinitializer, %entry ], [ %last{r}, %next ]" for r in rows),
        f"  %end = add i64 %j, {W}",
        f"  %here = mul i64 %j, {item}",
        f"  %there = add i64 %here, {t.bytes}",
        "  %fits = icmp sle i64 %end, %cols",
        "  br i1 %fits, label %block, label %rest",
        "block:",
        *ask_for_constants(t, yes="same", no="full"),
        "same:",
        *load_constants(t, "%c", "%here"),
        "  %there.already = and i1 %was.constant, %kept",
        "  br i1 %there.already, label %next, label %store",
        "full:",
        *full,
        "  br label %store",
        "store:",
        f"  %new.constant = phi i1 [ true, %same ], [ false, %{joined('full')} ]",
        *(f"  %new{r} = phi {t.type} [ %c, %same ], [ {full_rows[r]}, %{joined('full')} ]" for r in rows),
        *(combined(f"%whole{r}", f"%old{r}", r, f"%new{r}") for r in rows),
        "  %is.first = icmp eq i64 %j, 0",
        "  br i1 %is.first, label %head, label %body",
        "head:",
        *(line for r in rows for line in head(r)),
        "  br label %next",
        "body:",
        *(f"  %to{r} = getelementptr i8, ptr %line{r}, i64 %here" for r in rows),
        "  br i1 %past, label %beyond, label %within",
        "within:",
        *(line for r in rows for line in through_caches("within", r)),
        "  br label %next",
        "beyond:",
        *(line for r in rows for line in (past_caches(r) if r % 8 in _PAST else through_caches("beyond", r))),
        "  br label %next",
        "next:",
        f"  %now.constant = phi i1 [ true, %same ], {from_stores('%new.constant')}",
        *(f"  %last{r} = phi {t.type} [ %c, %same ], {from_stores(f'%new{r}')}" for r in rows),
        "  br label %loop",
        "rest:",
        "  %left = sub i64 %cols, %j",
        narrow("%left.short", "%left"),
        "  %any = icmp sgt i64 %left, 0",
        "  br i1 %any, label %some, label %finish",
        "some:",
        *last,
        "  br label %finish",
        "finish:",
        *(f"  %rest{r} = phi {t.type} [ zeroinitializer, %rest ], [ {last_rows[r]}, %{joined('last')} ]" for r in rows),
        *(line for r in rows for line in tail(r)),
        "  ret void",
        "}",
        f"declare {t.type} @llvm.x86.avx512.vpermi2var.{name}.512({t.type}, {many}, {t.type})",
        "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
        "!0 = !{i32 1}",
    ])  # fmt: skip
