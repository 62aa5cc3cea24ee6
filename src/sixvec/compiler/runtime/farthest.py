"""The farthest vertex of a convex hull in a direction, for each lane.

Directions are cells of the faces of a cube, N x N on each, and the vertices that can be the farthest in a cell are in
a list, so few are compared.  `farthest` has the signature of a kernel.  Its inputs are a direction, which need not be a
unit vector, and the number of a hull; `in[-1]` points to the words of all hulls.
"""

from __future__ import annotations

from enum import IntEnum

from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.runtime.notation import expanded, fetched


class Word(IntEnum):
    """The words of a hull: the address of its vertices (n, 3), the first entry of each cell and the last one's end, the
    entries of all cells, which count the numbers in front of a vertex, and N."""

    VERTICES = 0
    STARTS = 1
    ENTRIES = 2
    CELLS = 3


def farthest_assembly(t: Lanes) -> str:
    """LLVM assembly of `void farthest(double *const *in, double *const *out)`."""
    text = _FARTHEST.replace("@READS@", fetched(Word, (Word.CELLS,), "%hull"))
    for name, value in (("@WORDS@", len(Word)), ("@TWICE@", 2 * t.width), ("@W@", t.width)):
        text = text.replace(name, str(value))
    return expanded(text) + "attributes #0 = { nounwind }\n"


_FARTHEST = """
declare double @llvm.fabs.f64(double)
declare i64 @llvm.fptosi.sat.i64.f64(double)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)

define void @farthest(ptr %in, ptr %out) #0 {
entry:
  %words <- ptr %in[-1]
  %directions <- ptr %in[0]
  %numbers <- ptr %in[1]
  %points <- ptr %out[0]
  for %lane below @W@
    %second = add i64 %lane, @W@
    %third = add i64 %lane, @TWICE@
    %x <- double %directions[%lane]
    %y <- double %directions[%second]
    %z <- double %directions[%third]
    %number.value <- double %numbers[%lane]
    %number = call i64 @llvm.fptosi.sat.i64.f64(double %number.value)
    %hull.word = mul i64 %number, @WORDS@
    %hull = getelementptr i64, ptr %words, i64 %hull.word
@READS@
    %x.size = call double @llvm.fabs.f64(double %x)
    %y.size = call double @llvm.fabs.f64(double %y)
    %z.size = call double @llvm.fabs.f64(double %z)
    %y.larger = fcmp ogt double %y.size, %x.size
    %xy.size = select i1 %y.larger, double %y.size, double %x.size
    %xy = select i1 %y.larger, double %y, double %x
    %rest = select i1 %y.larger, double %x, double %y
    %xy.face = select i1 %y.larger, i64 2, i64 0
    %z.larger = fcmp ogt double %z.size, %xy.size
    %size = select i1 %z.larger, double %z.size, double %xy.size
    %main = select i1 %z.larger, double %z, double %xy
    %u = select i1 %z.larger, double %x, double %rest
    %v = select i1 %z.larger, double %y, double %z
    %main.face = select i1 %z.larger, i64 4, i64 %xy.face
    %is.back = fcmp olt double %main, 0.0
    %back = zext i1 %is.back to i64
    %face = add i64 %main.face, %back
    %cells.value = sitofp i64 %CELLS to double
    %half = fmul double %cells.value, 0.5
    %scale = fdiv double %half, %size
    %u.scaled = fmul double %u, %scale
    %u.place = fadd double %u.scaled, %half
    %v.scaled = fmul double %v, %scale
    %v.place = fadd double %v.scaled, %half
    %u.cell = call i64 @llvm.fptosi.sat.i64.f64(double %u.place)
    %v.cell = call i64 @llvm.fptosi.sat.i64.f64(double %v.place)
    %last = sub i64 %CELLS, 1
    %u.least = call i64 @llvm.smax.i64(i64 %u.cell, i64 0)
    %u.number = call i64 @llvm.smin.i64(i64 %u.least, i64 %last)
    %v.least = call i64 @llvm.smax.i64(i64 %v.cell, i64 0)
    %v.number = call i64 @llvm.smin.i64(i64 %v.least, i64 %last)
    %face.row = mul i64 %face, %CELLS
    %row = add i64 %face.row, %u.number
    %row.cell = mul i64 %row, %CELLS
    %cell = add i64 %row.cell, %v.number
    %past = add i64 %cell, 1
    %first.short <- i32 %STARTS[%cell]
    %end.short <- i32 %STARTS[%past]
    %first = zext i32 %first.short to i64
    %end = zext i32 %end.short to i64
    br label %scan
scan:
    %k = phi i64 [ %first, %lane.body ], [ %k.next, %scan ]
    %reach = phi double [ 0xFFF0000000000000, %lane.body ], [ %reach.next, %scan ]
    %chosen = phi i64 [ 0, %lane.body ], [ %chosen.next, %scan ]
    %entry.short <- i32 %ENTRIES[%k]
    %place = zext i32 %entry.short to i64
    %vertex = getelementptr double, ptr %VERTICES, i64 %place
    %a <- double %vertex[0]
    %b <- double %vertex[1]
    %c <- double %vertex[2]
    %ax = fmul double %a, %x
    %by = fmul double %b, %y
    %cz = fmul double %c, %z
    %axby = fadd double %ax, %by
    %far = fadd double %axby, %cz
    %is.farther = fcmp ogt double %far, %reach
    %reach.next = select i1 %is.farther, double %far, double %reach
    %chosen.next = select i1 %is.farther, i64 %place, i64 %chosen
    %k.next = add i64 %k, 1
    %again = icmp slt i64 %k.next, %end
    br i1 %again, label %scan, label %scanned
scanned:
    %best = getelementptr double, ptr %VERTICES, i64 %chosen.next
    %p <- double %best[0]
    %q <- double %best[1]
    %r <- double %best[2]
    %points[%lane] <- double %p
    %points[%second] <- double %q
    %points[%third] <- double %r
  next %lane
  ret void
}
"""
