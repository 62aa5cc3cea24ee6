"""CUDA C for loops: a thread applies a step to its own results, with the state in registers, in one launch.

Arrays with an entry per step are row-major, (rows, steps, n).  A warp loads a few steps of its rows into shared memory,
computes them and writes the results, always the same few lines of each row.  Loops `by_lanes` take (n, steps, rows) in
memory instead: neighbouring threads read neighbouring numbers, when they need them, and nothing is copied.  Loops that
end when a sample is done have no such arrays; there a thread that has finished starts the next sample, so no thread
waits for the slowest of its warp.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sixvec.compiler.emit.c import TYPES
from sixvec.compiler.emit.cuda import prelude, statements
from sixvec.compiler.emit.cuda_rows import Launch, ready, used_inputs
from sixvec.compiler.emit.cuda_tiles import BYTES, WARP, pitch, rows_of_a_warp
from sixvec.compiler.emit.function import Function, shape
from sixvec.compiler.program import Port, Program
from sixvec.errors import ArgumentError

THREADS = 64
SHARED_BYTES = 48 * 1024
"""Bytes of shared memory a block may take: more would reduce occupancy below the limit by registers."""

FORMS = (8, 4, 3, 2, 1)
"""Steps that are in shared memory at a time, the most that fits first."""


@dataclass(frozen=True)
class Repeated:
    """The repeated step: the first `carried` inputs and outputs of a step are its state, the last `each` inputs have an
    entry per step, as have all other outputs.  With `until`, the last output states whether to continue, and with
    `may_skip` the last number of the state states it before each step.  A loop backwards begins with the last
    entries."""

    step: Program
    carried: int
    each: int
    until: bool
    backwards: bool = False
    may_skip: bool = False
    by_lanes: bool = False

    @property
    def state(self) -> list[Port]:
        return [*self.step.inputs[: self.carried]]

    @property
    def kept(self) -> list[Port]:
        """Constant inputs."""
        return [*self.step.inputs[self.carried : len(self.step.inputs) - self.each]]

    @property
    def changing(self) -> list[Port]:
        return [*self.step.inputs[len(self.step.inputs) - self.each :]]

    @property
    def traced(self) -> list[Port]:
        """Outputs with an entry per step."""
        return [*self.step.outputs[self.carried : len(self.step.outputs) - self.until]]


@dataclass(frozen=True)
class LoopLaunch(Launch):
    """How a loop is launched."""

    steps: int = 1
    """Steps that are in shared memory at a time."""


def loop_launch(loop: Repeated, dtype: str) -> LoopLaunch:
    """The block that fits a loop."""
    if loop.by_lanes:
        return LoopLaunch(THREADS, THREADS * BYTES[dtype] * pitch(sum(p.size for p in loop.kept)))
    for steps in FORMS:
        size = THREADS * BYTES[dtype] * _numbers(loop, steps)
        if size <= SHARED_BYTES or steps == FORMS[-1]:
            break
    if size > 2 * SHARED_BYTES:
        raise ArgumentError(f"{loop.step.name}: the arrays of one step are too large for a block on a CUDA device")
    return LoopLaunch(THREADS, size, steps=steps)


def _numbers(loop: Repeated, steps: int) -> int:
    """Numbers in shared memory for each row."""
    constants = pitch(sum(p.size for p in loop.kept))
    return constants + sum(pitch(steps * p.size) for p in (*loop.changing, *loop.traced))


def emit_loop(function: Function, loop: Repeated, dtype: str, plan: LoopLaunch, fast: bool = False) -> str:
    """The source of one kernel `name(count, steps, next, in, in_shared, …, out, …)`.

    Each input with an entry per step has another argument in_held: not 0 if it has one entry for all steps.  `next` is
    a number on the device, at first that of all threads: the sample for the next free thread.  Loops by lanes take
    steps through arrays instead: in_row from row to row, in_step from number to number, and in_next, if there are
    entries, from entry to entry.
    """
    kind, _ = TYPES[dtype]
    names = function.arguments
    program = ready(function.program, dtype, fast)
    count = len(program.inputs)
    arguments = ["long long count", "long long steps", "unsigned long long *next"]
    for k, name in enumerate(names[:count]):
        each = k >= count - loop.each
        place = f"int {name}_shared" + each * f", int {name}_held"
        if loop.by_lanes:
            place = f"long long {name}_row, long long {name}_step" + each * f", long long {name}_next"
        arguments.append(f"const {kind} *__restrict__ {name}, {place}")
    outputs = names[count : len(names) - loop.until]
    arguments += [f"{kind} *__restrict__ {name}" for name in outputs]
    signature = ",\n    ".join(arguments)
    ports = zip(names, (*program.inputs, *program.outputs), strict=True)
    body = _until_done if loop.until else _by_lanes if loop.by_lanes else _all_steps
    return "\n".join([
        *function.comment(
            *(f"  {name}: {shape(p)}" for name, p in ports),
            "Generated by sixvec: a step, repeated.  Rows one after the other, a thread a row;",
            f"{plan.threads} threads in a block and {plan.shared_bytes} bytes of shared memory.",
            "For the bits that sixvec computes, compile with --fmad=false and without --use_fast_math.",
        ),
        *prelude(program, dtype),
        f'extern "C" __global__ void {plan.bounds} {function.symbol}(\n    {signature}) {{',
        *body(_Names(function, program, loop, plan), dtype),
        "}",
        "",
    ])  # fmt: skip


class _Names:
    """The locations of the numbers of a loop."""

    def __init__(self, function: Function, program: Program, loop: Repeated, plan: LoopLaunch) -> None:
        self.program, self.loop, self.plan = program, loop, plan
        count = len(program.inputs)
        self.inputs = dict(zip((p.name for p in program.inputs), function.arguments, strict=False))
        self.outputs = function.arguments[count:]
        self.state = [(p, k) for p in loop.state for k in range(p.size)]
        self.first_of = {p.name: sum(x.size for x in loop.state[:k]) for k, p in enumerate(loop.state)}
        self.kept_at = {p.name: sum(x.size for x in loop.kept[:k]) for k, p in enumerate(loop.kept)}
        self.kept_pitch = pitch(sum(p.size for p in loop.kept))

    def begin(self, row: str) -> Iterator[str]:
        """The state and the constant inputs, for the row of a thread."""
        for n, (port, k) in enumerate(self.state):
            yield f"x{n}_ = {self._constant(port, k, row)};"
        used = {p.name for p in used_inputs(self.program)}
        for port in self.loop.kept:
            if port.name in used:
                for k in range(port.size):
                    yield f"kept_[{self.kept_at[port.name] + k}] = {self._constant(port, k, row)};"

    def _constant(self, port: Port, k: int, row: str) -> str:
        """A number of an array without steps."""
        name = self.inputs[port.name]
        if self.loop.by_lanes:
            return f"{name}[{row} * {name}_row + {k} * {name}_step]"
        return f"{name}[{name}_shared ? {k} : {row} * {port.size} + {k}]"

    def step(self, dtype: str) -> Iterator[str]:
        """One step, from the state to the state."""
        kind, _ = TYPES[dtype]
        carried, last = self.loop.carried, len(self.program.outputs) - 1
        starts = [sum(p.size for p in self.loop.state[:k]) for k in range(carried)]
        if self.state:
            yield f"{kind} {', '.join(f'y{n}_' for n in range(len(self.state)))};"

        def load(port: str, component: int) -> str:
            if port in self.first_of:
                return f"x{self.first_of[port] + component}_"
            if port in self.kept_at:
                return f"kept_[{self.kept_at[port] + component}]"
            name = self.inputs[port]
            return f"{name}_at[{component} * {name}_step]" if self.loop.by_lanes else f"{name}_at[{component}]"

        def store(output: int, component: int, value: str) -> str:
            if output < carried:
                return f"y{starts[output] + component}_ = {value};"
            if self.loop.until and output == last:
                return f"go_ = {value} > 0;"
            ahead = f"{component} * steps * count" if self.loop.by_lanes else f"{component}"
            return f"{self.outputs[output]}_at[{ahead}] = {value};"

        yield from (line.strip() for line in statements(self.program, dtype, load, store))
        for n in range(len(self.state)):
            yield f"x{n}_ = y{n}_;"

    def end(self, row: str) -> Iterator[str]:
        """The state after the last step."""
        for n, (port, k) in enumerate(self.state):
            name = self.outputs[self.loop.state.index(port)]
            yield f"{name}[{row} * {port.size} + {k}] = x{n}_;"


def _by_lanes(names: _Names, dtype: str) -> Iterator[str]:
    """A loop of so many steps, whose thread reads and writes its numbers where they are."""
    kind, _ = TYPES[dtype]
    loop = names.loop
    if loop.kept:
        yield "  extern __shared__ double2 shared_memory[];"
        yield f"  {kind} *const kept_ = ({kind} *)shared_memory + threadIdx.x * {names.kept_pitch};"
    yield "  const long long row_ = (long long)blockIdx.x * blockDim.x + threadIdx.x;"
    yield "  if (row_ >= count) return;"
    if names.state:
        yield f"  {kind} {', '.join(f'x{n}_ = 0' for n in range(len(names.state)))};"
    yield from (f"  {line}" for line in names.begin("row_"))
    yield '  _Pragma("unroll 1")'
    yield "  for (long long begun_ = 0; begun_ < steps; ++begun_) {"
    yield f"    const long long s_ = {'steps - 1 - begun_' if loop.backwards else 'begun_'};"
    for port in loop.changing:
        name = names.inputs[port.name]
        yield f"    const {kind} *const {name}_at = {name} + row_ * {name}_row + s_ * {name}_next;"
    for name in names.outputs[loop.carried : loop.carried + len(loop.traced)]:
        yield f"    {kind} *const {name}_at = {name} + row_ + s_ * count;"
    yield from (f"    {line}" for line in names.step(dtype))
    yield "  }"
    yield from (f"  {line}" for line in names.end("row_"))


def _all_steps(names: _Names, dtype: str) -> Iterator[str]:
    """A loop of so many steps, a few of them at a time."""
    kind, _ = TYPES[dtype]
    loop, plan = names.loop, names.plan
    yield from rows_of_a_warp(kind, _numbers(loop, plan.steps))
    yield f"  {kind} *const kept_ = tile_ + lane_ * {names.kept_pitch};"
    start = WARP * names.kept_pitch
    arriving = [(names.inputs[p.name], p) for p in loop.changing]
    leaving = [(names.outputs[loop.carried + k], p) for k, p in enumerate(loop.traced)]
    for name, port in (*arriving, *leaving):
        yield f"  {kind} *const {name}_tile = tile_ + {start};"
        start += WARP * pitch(plan.steps * port.size)
    yield f"  {kind} {', '.join(f'x{n}_ = 0' for n in range(len(names.state)))};"
    yield "  if (lane_ < here_) {"
    yield from (f"    {line}" for line in names.begin("(first_ + lane_)"))
    yield "  }"
    yield f"  for (long long begun_ = 0; begun_ < steps; begun_ += {plan.steps}) {{"
    yield f"    const int now_ = steps - begun_ < {plan.steps} ? (int)(steps - begun_) : {plan.steps};"
    begun, at_step = ("(steps - begun_ - now_)", "(now_ - 1 - s_)") if loop.backwards else ("begun_", "s_")
    for name, port in arriving:
        yield f"    if (!{name}_held || !begun_) {{"
        yield f"      const int long_ = {name}_held ? {port.size} : now_ * {port.size};"
        yield f"      const long long row_ = {name}_held ? {port.size} : steps * {port.size};"
        at = f"({name}_held ? 0 : {begun})" if loop.backwards else begun
        yield f"      const {kind} *from_ = {name} + (({name}_shared ? 0 : first_ * row_) + {at} * {port.size});"
        yield f"      const long long next_ = {name}_shared ? 0 : row_;"
        long = plan.steps * port.size
        yield from _lines(long, "from_ += next_", f"{name}_tile[r_ * {pitch(long)} + {{c}}] = from_[{{c}}];")
        yield "    }"
    yield "    __syncwarp();"
    yield "    if (lane_ < here_) {"
    yield '      _Pragma("unroll 1")'
    yield "      for (int s_ = 0; s_ < now_; ++s_) {"
    for name, port in (*arriving, *leaving):
        constant = "const " if (name, port) in arriving else ""
        at = f"({name}_held ? 0 : {at_step})" if constant else at_step
        long = pitch(plan.steps * port.size)
        yield f"        {constant}{kind} *const {name}_at = {name}_tile + lane_ * {long} + {at} * {port.size};"
    yield from (f"        {line}" for line in names.step(dtype))
    yield "      }"
    yield "    }"
    yield "    __syncwarp();"
    for name, port in leaving:
        yield "    {"
        yield f"      const int long_ = now_ * {port.size};"
        yield f"      {kind} *to_ = {name} + (first_ * steps + {begun}) * {port.size};"
        long = plan.steps * port.size
        ahead = f"to_ += steps * {port.size}"
        yield from _lines(long, ahead, f"to_[{{c}}] = {name}_tile[r_ * {pitch(long)} + {{c}}];")
        yield "    }"
    yield "  }"
    yield "  if (lane_ < here_) {"
    yield from (f"    {line}" for line in names.end("(first_ + lane_)"))
    yield "  }"


def _lines(most: int, ahead: str, statement: str) -> Iterator[str]:
    """The warp copies row after row, `long_` numbers of each, `most` at most."""
    yield '      _Pragma("unroll 4")'
    yield f"      for (int r_ = 0; r_ < here_; ++r_, {ahead}) {{"
    for first in range(0, most, WARP):
        yield f"        if (lane_ + {first} < long_) {statement.format(c=f'lane_ + {first}')}"
    yield "      }"


def _until_done(names: _Names, dtype: str) -> Iterator[str]:
    """A loop that ends when its sample is done; then the thread takes the next one."""
    kind, _ = TYPES[dtype]
    yield "  extern __shared__ double2 shared_memory[];"
    yield f"  {kind} *const kept_ = ({kind} *)shared_memory + threadIdx.x * {names.kept_pitch};"
    yield f"  {kind} {', '.join(f'x{n}_ = 0' for n in range(len(names.state)))};"
    yield "  long long row_ = (long long)blockIdx.x * blockDim.x + threadIdx.x, done_ = 0;"
    yield '  _Pragma("unroll 1")'
    yield "  while (row_ < count) {"
    yield "    if (!done_) {"
    yield from (f"      {line}" for line in names.begin("row_"))
    yield "    }"
    yield "    int go_ = 0;"
    yield f"    if (steps{f' && x{len(names.state) - 1}_ > 0' if names.loop.may_skip else ''}) {{"
    yield from (f"      {line}" for line in names.step(dtype))
    yield "    }"
    yield "    if (!go_ || ++done_ == steps) {"
    yield from (f"      {line}" for line in names.end("row_"))
    yield "      row_ = (long long)atomicAdd(next, 1ULL);"
    yield "      done_ = 0;"
    yield "    }"
    yield "  }"
