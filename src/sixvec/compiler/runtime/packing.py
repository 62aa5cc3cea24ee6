"""Lists for each lane: the items of a list that a lane needs, one after the other, and their numbers back in place.

`pack` and `unpack` have the signature of a kernel.  The table that they need is in front of the input tiles: `in[-1]`
points to the words below, and those of each item follow them.  Items are in kinds; each kind has a list with so many
numbers for each entry.
"""

from __future__ import annotations

from enum import IntEnum

from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.runtime.notation import expanded, fetched

MOST_KINDS = 16


class Word(IntEnum):
    """A table: how many items, their words, how many numbers an entry of each kind has of either sort, and
    for each kind an entry with the first ones of lanes that have fewer entries."""

    ITEMS = 0
    FIRST = 1
    SIZES = 2
    STATES = 3
    EMPTY = 4
    WHOLE = 5
    """Numbers of all items that `unpack` writes."""
    KINDS = 6


class Item(IntEnum):
    """An item: its kind, how many numbers it has, and pairs of their places: in their array and in an
    entry.  Then those of its state."""

    KIND = 0
    COUNT = 1
    PAIRS = 2
    STATE = 3
    PLACE = 4


_COUNTS = {Word.ITEMS, Word.WHOLE, Word.KINDS}


def pack_assembly(t: Lanes) -> str:
    """`pack`: in = flags of the items (needed where positive), numbers, state; out = for each kind how many entries
    each lane has, the entries, and their state.

    An entry that some lane has begins as that of EMPTY in all lanes, and its state as zeros.
    """
    return _assembly(_PACK, t)


def unpack_assembly(t: Lanes) -> str:
    """`unpack`: in = the same flags, then the state of the entries of each kind; out = the state of all items, zero
    for those without an entry."""
    return _assembly(_UNPACK, t)


def _assembly(text: str, t: Lanes) -> str:
    mask = (
        "%some = zext i1 %near to i64"
        if t.width == 1
        else (f"%bits = bitcast {t.mask} %near to i{t.width}\n  %some = zext i{t.width} %bits to i64")
    )
    splat = "%wide = fadd double %number, 0.0" if t.dtype == "float64" else "%wide = fptrunc double %number to float"
    if t.width > 1:
        splat += (
            f"\n      %one = insertelement {t.type} poison, {t.element} %wide, i64 0\n"
            f"      %all = shufflevector {t.type} %one, {t.type} poison, <{t.width} x i32> zeroinitializer"
        )
    else:
        splat += f"\n      %all = select i1 true, {t.type} %wide, {t.type} %wide"
    item = fetched(Item, {Item.KIND, Item.COUNT, Item.STATE}, "%item")
    for mark, value in {
        "@READS@": fetched(Word, _COUNTS, "%words"), "@ITEM@": item,
        "@MASK@": mask, "@SPLAT@": splat, "@V@": t.type, "@T@": t.element, "@W@": str(t.width), "@BYTES@": str(t.bytes),
        "@ALL@": str(MOST_KINDS * t.width), "@KINDS@": str(MOST_KINDS), "@WORDS@": str(len(Item)),
        "@ZERO@": t.constant(0.0),
    }.items():  # fmt: skip
        text = text.replace(mark, value)
    bits = t.bytes * 8
    return expanded(text) + (
        "declare i64 @llvm.cttz.i64(i64, i1)\n"
        f'attributes #0 = {{ nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}" }}\n'
    )


_BEGIN = """
define void @NAME@(ptr %in, ptr %out) #0 {
entry:
  %words <- ptr %in[-1]
@READS@
  %flags <- ptr %in[0]
  %counters = alloca [@ALL@ x i64]
  for %z below @ALL@
    %counters[%z] <- i64 0
  next %z
"""

_LANES = """
  for %n below %ITEMS
    %n.offset = mul i64 %n, @WORDS@
    %item = getelementptr i64, ptr %FIRST, i64 %n.offset
    %flag.p = getelementptr @V@, ptr %flags, i64 %n
    %flag = load @V@, ptr %flag.p, align @BYTES@
    %near = fcmp ogt @V@ %flag, @ZERO@
    @MASK@
    %none = icmp eq i64 %some, 0
    br i1 %none, label %item.done, label %item.needed
item.needed:
@ITEM@
    %kind.counters.at = mul i64 %KIND, @W@
    %kind.counters = getelementptr i64, ptr %counters, i64 %kind.counters.at
    %size <- i64 %SIZES[%KIND]
    %state.size <- i64 %STATES[%KIND]
@TILES@
    br label %lanes
lanes:
    %left = phi i64 [ %some, %item.needed ], [ %left.next, %lane.done ]
    %lane = call i64 @llvm.cttz.i64(i64 %left, i1 true)
    %less = sub i64 %left, 1
    %left.next = and i64 %left, %less
    %entry.number <- i64 %kind.counters[%lane]
    %entry.next = add i64 %entry.number, 1
    store i64 %entry.next, ptr %entry.number.p
    %entry.at = mul i64 %entry.number, %size
    %state.at = mul i64 %entry.number, %state.size
@COPY@
    %more.lanes = icmp ne i64 %left.next, 0
    br i1 %more.lanes, label %lanes, label %item.done
item.done:
  next %n
"""


def _moved(source: str, target: str) -> str:
    """The state of an item, from one of its two places to the other."""
    return f"""    %place = ptrtoint ptr %PLACE to i64
    %states.tile = getelementptr @V@, ptr %states, i64 %state.at
    %states.lane = getelementptr @T@, ptr %states.tile, i64 %lane
    %state.tile = getelementptr @V@, ptr %state, i64 %place
    %state.lane = getelementptr @T@, ptr %state.tile, i64 %lane
    for %d below %STATE
      %d.at = mul i64 %d, @W@
      %y.x <- @T@ {source}[%d.at]
      {target}[%d.at] <- @T@ %y.x
    next %d
    br label %lane.done
lane.done:"""


_PACK = (
    (
        _BEGIN
        + """
  %numbers <- ptr %in[1]
  %state <- ptr %in[2]
  %filled = alloca [@KINDS@ x i64]
  for %y below @KINDS@
    %filled[%y] <- i64 0
  next %y
"""
        + _LANES
        + """
  for %k below %KINDS
    %k.at = mul i64 %k, @W@
    %k.first = mul i64 %k, 3
    %k.tile <- ptr %out[%k.first]
    for %l below @W@
      %l.at = add i64 %k.at, %l
      %count <- i64 %counters[%l.at]
      %count.value = sitofp i64 %count to @T@
      %k.tile[%l] <- @T@ %count.value
    next %l
  next %k
  ret void
}
"""
    )
    .replace("@NAME@", "@pack")
    .replace(
        "@TILES@",
        """
    %tile.at = mul i64 %KIND, 3
    %tile.second = add i64 %tile.at, 1
    %tile.third = add i64 %tile.at, 2
    %entries <- ptr %out[%tile.second]
    %states <- ptr %out[%tile.third]
    %empty <- ptr %EMPTY[%KIND]""",
    )
    .replace(
        "@COPY@",
        """
    %filled.so.far <- i64 %filled[%KIND]
    %is.new = icmp sge i64 %entry.number, %filled.so.far
    br i1 %is.new, label %fill, label %copy
fill:
    store i64 %entry.next, ptr %filled.so.far.p
    for %e below %size
      %number <- double %empty[%e]
      @SPLAT@
      %e.at = add i64 %entry.at, %e
      %e.p = getelementptr @V@, ptr %entries, i64 %e.at
      store @V@ %all, ptr %e.p, align @BYTES@
    next %e
    for %f below %state.size
      %f.at = add i64 %state.at, %f
      %f.p = getelementptr @V@, ptr %states, i64 %f.at
      store @V@ @ZERO@, ptr %f.p, align @BYTES@
    next %f
    br label %copy
copy:
    %entry.tile = getelementptr @V@, ptr %entries, i64 %entry.at
    %entry.lane = getelementptr @T@, ptr %entry.tile, i64 %lane
    %numbers.lane = getelementptr @T@, ptr %numbers, i64 %lane
    for %c below %COUNT
      %c.twice = mul i64 %c, 2
      %c.other = add i64 %c.twice, 1
      %c.from <- i64 %PAIRS[%c.twice]
      %c.to <- i64 %PAIRS[%c.other]
      %c.from.at = mul i64 %c.from, @W@
      %c.to.at = mul i64 %c.to, @W@
      %x <- @T@ %numbers.lane[%c.from.at]
      %entry.lane[%c.to.at] <- @T@ %x
    next %c
"""
        + _moved("%state.lane", "%states.lane"),
    )
)

_UNPACK = (
    (
        _BEGIN
        + """
  %state <- ptr %out[0]
  for %w below %WHOLE
    %w.p = getelementptr @V@, ptr %state, i64 %w
    store @V@ @ZERO@, ptr %w.p, align @BYTES@
  next %w
"""
        + _LANES
        + """
  ret void
}
"""
    )
    .replace("@NAME@", "@unpack")
    .replace(
        "@TILES@",
        """
    %tile.next = add i64 %KIND, 1
    %states <- ptr %in[%tile.next]""",
    )
    .replace(
        "@COPY@",
        "\n" + _moved("%states.lane", "%state.lane"),
    )
)
