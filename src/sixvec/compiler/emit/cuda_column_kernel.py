"""CUDA C for columns of results that are computed alike (cuda_columns.py): a thread a column, some samples a block.

A block brings the numbers of its samples to shared memory, all at once and without a register that waits for them.
Threads of a sample read the same factor at the same time, which takes a single access; what a column has for itself is
in registers.  Neighbouring columns are neighbouring threads, so rows of results are written as they become known;
those of a symmetric matrix are put together in shared memory first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from sixvec.compiler.emit.c import TYPES, literal
from sixvec.compiler.emit.cuda import EXPRESSIONS, NOT_FINITE
from sixvec.compiler.emit.cuda_column_steps import COPY, ENTRY, Argument, Family, Negative, Step, Variable
from sixvec.compiler.emit.cuda_columns import Columns
from sixvec.compiler.emit.cuda_section import SectionCode
from sixvec.compiler.emit.cuda_tiles import BYTES, WARP
from sixvec.compiler.emit.function import Function
from sixvec.compiler.graph import Node

BANKS = 16
"""Numbers of eight bytes that shared memory delivers at once."""

REGISTERS, SHARED = {8: 96, 4: 48}, 227 * 1024
"""The registers of a thread at least, and the bytes of shared memory of all blocks of a multiprocessor: one block
computes while another waits for its numbers."""

BRING = """static __device__ __forceinline__ void sixvec_bring(KIND *to, const KIND *from) {
#ifdef __CUDA_ARCH__
  const unsigned near_ = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], BYTES;" ::"r"(near_), "l"(from));
#else
  *to = *from;
#endif
}
#ifdef __CUDA_ARCH__
#define SIXVEC_WAIT asm volatile("cp.async.wait_all;" ::: "memory")
#define SIXVEC_ADD(y, a, x) asm volatile("fma.rn.FLOAT %0, %1, %2, %0;" : "+LETTER"(y) : "LETTER"(a), "LETTER"(x))
#else
#define SIXVEC_WAIT
#define SIXVEC_ADD(y, a, x) y = FMA(a, x, y)
#endif
"""
"""Asynchronous copies, and sums in the order in which they are written: a compiler that changes it spills numbers."""


def emit_columns(function: Function, columns: Columns, first_slot: int, scratch_size: int, dtype: str) -> SectionCode:
    """The kernel of the columns, after the sections; their numbers are in scratch memory from `first_slot` on."""
    kind, _ = TYPES[dtype]
    whole, names = function.program, function.arguments
    written = tuple(family.output for family in columns.families)
    outputs = [names[len(whole.inputs) + k] for k in written]
    arguments = ", ".join(f"{kind} *__restrict__ {name}" for name in outputs)
    samples, pitch = columns.samples(dtype), _pitch(columns.size)
    threads = -(-samples * columns.widest // WARP) * WARP
    symbol = f"{function.symbol}_columns"
    tables, body = list[str](), list[str]()
    first = 0
    for n, (family, name) in enumerate(zip(columns.families, outputs, strict=True)):
        last = len(columns.common) * (n == 0) + len(columns.separate[n])
        target = f"numbers_ + {len(columns.common) * (n > 0)}"
        body += [
            *(["  __syncthreads();"] if n else ()),
            f"  for (int k_ = threadIdx.x; k_ < {last * samples}; k_ += {threads})",
            f"    sixvec_bring({target} + k_ % {samples} * {pitch} + k_ / {samples},"
            f" at_ + (k_ / {samples} + {first}) * {WARP} + k_ % {samples});",
            "  SIXVEC_WAIT;",
            "  __syncthreads();",
        ]
        first += last
        body += _family(columns, family, n, name, whole.outputs[family.output].size, dtype, tables)
    shared_bytes = samples * pitch * BYTES[dtype]
    blocks = max(1, min(65536 // (threads * REGISTERS[BYTES[dtype]]), SHARED // (shared_bytes + 1024)))
    letter, number = ("d", "f64") if dtype == "float64" else ("f", "f32")
    words = {
        "KIND": kind,
        "BYTES": str(BYTES[dtype]),
        "FLOAT": number,
        "LETTER": letter,
        "FMA": "fma" if letter == "d" else "fmaf",
    }
    source = "\n".join([
        reduce(lambda text, word: text.replace(*word), words.items(), BRING),
        *tables,
        f'extern "C" __global__ void __launch_bounds__({threads}, {blocks}) {symbol}(',
        f"    long long count, {arguments}, {kind} *scratch_) {{",
        "  extern __shared__ double2 shared_memory[];",
        f"  {kind} *const numbers_ = ({kind} *)shared_memory;",
        f"  const long long first_ = (long long)blockIdx.x * {samples};",
        f"  const int here_ = count - first_ < {samples} ? (int)(count - first_) : {samples};",
        f"  const {kind} *const at_ = scratch_ + first_ / {WARP} * {WARP * scratch_size} + first_ % {WARP}"
        f" + {WARP * first_slot};",
        *body,
        "}",
        "",
    ])  # fmt: skip
    return SectionCode(source, symbol, (), written, shared_bytes, samples, threads)


def _pitch(size: int) -> int:
    """Numbers from sample to sample: those of four samples are in different banks."""
    return size + (BANKS // 4 - size) % BANKS


def _family(
    columns: Columns, family: Family, n: int, name: str, size: int, dtype: str, tables: list[str]
) -> Iterator[str]:
    kind, _ = TYPES[dtype]
    pitch, width = _pitch(columns.size), family.count
    code = _Code(columns, family, n, dtype)
    staged = family.is_symmetric
    yield f"  if ((int)threadIdx.x < here_ * {width}) {{"
    yield f"    const int sample_ = threadIdx.x / {width}, column_ = threadIdx.x % {width};"
    yield f"    const {kind} *const row_ = numbers_ + sample_ * {pitch};"
    if not staged:
        yield f"    {kind} *const to_ = {name} + (first_ + sample_) * {size} + column_;"
    lines, start, places = list[str](), len(columns.common) + len(columns.separate[n]), [0] * size
    for result in family.results:
        if not staged:
            lines.append(f"    to_[{min(p - c for c, (p,) in result.places.items())}] = {code.shown(result.value)};")
            continue
        lowest = min(result.places)
        condition = f"if (column_ >= {lowest}) " if lowest else ""
        lines.append(
            f"    {condition}numbers_[sample_ * {pitch} + {start - lowest} + column_] = {code.shown(result.value)};"
        )
        for column, where in result.places.items():
            for p in where:
                places[p] = start + column - lowest
        start += len(result.places)
    yield from code.lines(lines)
    yield "  }"
    if staged:
        tables.append(_table(f"places{n}_", places))
        yield "  __syncthreads();"
        yield f"  for (int k_ = threadIdx.x; k_ < here_ * {size}; k_ += blockDim.x)"
        yield f"    {name}[first_ * {size} + k_] = numbers_[k_ / {size} * {pitch} + places{n}_[k_ % {size}]];"
    tables += code.tables


class _Code:
    """The statements of a family."""

    def __init__(self, columns: Columns, family: Family, n: int, dtype: str) -> None:
        self._places = {x: i for i, x in enumerate([*columns.common, *columns.separate[n]])}
        self._family, self._n = family, n
        self._kind, self._f = TYPES[dtype]
        self._masks, self._entries, self._pairs = list[frozenset[int]](), list[int](), 0
        self.tables = list[str]()

    def shown(self, x: Argument, pairs: Mapping[int, str] | None = None) -> str:
        """An argument; factors in `pairs` are there already."""
        if isinstance(x, Negative):
            return f"-{self.shown(x.of, pairs)}"
        if isinstance(x, Variable):
            return f"v{x.number}_"
        if isinstance(x, Node):
            place = self._places[1, x]
            return (pairs or {}).get(place, f"row_[{place}]")
        return literal(x, self._f, NOT_FINITE)

    def lines(self, results: Sequence[str]) -> Iterator[str]:
        """All steps; results are written once they are known."""
        steps = self._family.steps
        meant: dict[Variable, set[int]] = {}
        last: dict[Variable, int] = {}
        for i, step in enumerate(steps):
            meant.setdefault(step.target, set()).update(step.columns)
            last[step.target] = i
        due: dict[int, list[str]] = {}
        for result, line in zip(self._family.results, results, strict=True):
            value = result.value.of if isinstance(result.value, Negative) else result.value
            due.setdefault(last[value] if isinstance(value, Variable) else -1, []).append(line)
        runs = list[tuple[int | None, list[Step | str]]]([(None, [*due.get(-1, ())])])
        known = set[Variable]()
        for i, step in enumerate(steps):
            is_for_all = step.target not in known or meant[step.target] <= step.columns
            mask = None if is_for_all else self._mask(step.columns)
            if mask != runs[-1][0]:
                runs.append((mask, []))
            known.add(step.target)
            runs[-1][1].append(step)
            if i in due:
                runs.append((None, [*due[i]]))
        declared, body = set[Variable](), list[str]()
        for mask, run in runs:
            if mask is not None:
                body.append(f"    if (masks{mask // WARP}_ >> {mask % WARP} & 1) {{")
            body += self._run(run, declared)
            if mask is not None:
                body.append("    }")
        for word in range(-(-len(self._masks) // WARP)):
            bits = self._masks[word * WARP : (word + 1) * WARP]
            values = [sum(1 << k for k, m in enumerate(bits) if column in m) for column in range(self._family.count)]
            self.tables.append(_table(f"masks{self._n}_{word}_", values, "unsigned"))
            yield f"    const unsigned masks{word}_ = masks{self._n}_{word}_[column_];"
        if self._entries:
            self.tables.append(_table(f"entries{self._n}_", self._entries))
        yield from body

    def _run(self, run: Sequence[Step | str], declared: set[Variable]) -> Iterator[str]:
        """Steps of the same columns; two neighbouring factors are loaded at once."""
        pairs = dict[int, str]()
        places = {
            self._places[1, x]
            for step in run
            if isinstance(step, Step)
            for x in (a.of if isinstance(a, Negative) else a for a in step.args)
            if isinstance(x, Node)
        }
        for step in run:
            if isinstance(step, str):
                yield step
                continue
            for x in (a.of if isinstance(a, Negative) else a for a in step.args):
                if isinstance(x, Node) and (place := self._places[1, x]) not in pairs and place ^ 1 in places:
                    first = place & ~1
                    pair = f"pair{self._pairs}_"
                    self._pairs += 1
                    pairs |= {first: f"{pair}.x", first + 1: f"{pair}.y"}
                    yield f"    const {self._kind}2 {pair} = *(const {self._kind}2 *)(row_ + {first});"
            yield self._statement(step, declared, pairs)

    def _statement(self, step: Step, declared: set[Variable], pairs: Mapping[int, str]) -> str:
        target, args = self.shown(step.target), [self.shown(x, pairs) for x in step.args]
        if step.op == "fma" and step.args[2] == step.target and step.target in declared:
            return f"    SIXVEC_ADD({target}, {args[0]}, {args[1]});"
        if step.op == ENTRY:
            place = f"entries{self._n}_[{self._entry(step)} + column_]"
            expression = f"((const volatile {self._kind} *)row_)[{place}]"
        else:
            expression = args[0] if step.op == COPY else EXPRESSIONS[step.op](self._f, *args)
        new = "" if step.target in declared else f"{self._kind} "
        declared.add(step.target)
        return f"    {new}{target} = {expression};"

    def _entry(self, step: Step) -> int:
        """Where in the table the places of the entries of each column are."""
        assert step.entries is not None
        places = {column: self._places[entry] for column, entry in step.entries.items()}
        start, any_place = len(self._entries), next(iter(places.values()))
        self._entries += [places.get(column, any_place) for column in range(self._family.count)]
        return start

    def _mask(self, columns: frozenset[int]) -> int:
        if columns not in self._masks:
            self._masks.append(columns)
        return self._masks.index(columns)


def _table(name: str, values: Sequence[int], kind: str = "unsigned short") -> str:
    return f"static __device__ const {kind} {name}[] = {{{', '.join(map(str, values))}}};"
