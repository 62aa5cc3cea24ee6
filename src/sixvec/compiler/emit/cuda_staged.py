"""CUDA C for loops of several stages, some of which are loops themselves: a thread computes a row with its own arrays.

Each program and each loop is a function of pointers, a long program is several (cuda_parts.py).  The arrays between
stages are in the thread's local memory, which neighbouring threads access as neighbouring numbers.  Loops that end when
their sample is done end for each thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sixvec.compiler.call import Compiled
from sixvec.compiler.emit.c import TYPES
from sixvec.compiler.emit.cuda import RECIPROCAL, Load, Store, called, statements
from sixvec.compiler.emit.cuda_limits import LONGEST, require_length
from sixvec.compiler.emit.cuda_packing import packing_lines
from sixvec.compiler.emit.cuda_parts import LARGEST, Fork, PartWriter, Piece, parts
from sixvec.compiler.emit.cuda_rows import ready
from sixvec.compiler.emit.function import comment, identifier
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.packing import Pack, Unpack
from sixvec.compiler.program import Port, Program
from sixvec.compiler.staged import Staged

THREADS = 64


@dataclass
class _Source:
    """The device functions written so far."""

    dtype: str
    fast: bool
    lines: list[str] = field(default_factory=list)
    operations: set[str] = field(default_factory=set)
    symbols: dict[int, str] = field(default_factory=dict)
    functions: list[Compiled] = field(default_factory=list)
    """Kept, so that no other function gets the identity of one that is gone."""
    parts: int = 0
    """Of long programs, those written so far."""

    def symbol(self, function: Compiled) -> str:
        """The function of pointers to inputs and outputs, written when first needed."""
        if id(function) not in self.symbols:
            if isinstance(function, Iterated):
                body = list(self._loop(function))
            elif isinstance(function, Staged):
                body = list(self._stages(function))
            elif isinstance(function, Pack | Unpack):
                body = list(packing_lines(function, TYPES[self.dtype][0]))
            else:
                body = list(self._program(function))
            name = f"stage_{len(self.symbols)}_{identifier(function.name)}"
            self.symbols[id(function)] = name
            self.functions.append(function)
            self._write(name, self._parameters(function), body)
        return self.symbols[id(function)]

    def _parameters(self, function: Compiled) -> list[str]:
        kind, _ = TYPES[self.dtype]
        inputs = [f"const {kind} *__restrict__ in{k}_" for k in range(len(function.inputs))]
        return inputs + [f"{kind} *__restrict__ out{k}_" for k in range(_outputs(function))]

    def _write(self, name: str, parameters: Sequence[str], body: Sequence[str]) -> None:
        self.lines += [f"static __device__ __noinline__ void {name}({', '.join(parameters)}) {{", *body, "}", ""]

    def _program(self, function: Compiled) -> Iterator[str]:
        program = ready(function.program, self.dtype, self.fast)
        advice = "a stage of a loop is one kernel; give NumPy arrays"
        require_length(program, LONGEST, advice)
        self.operations |= {node.op for node in program.nodes}
        at = {p.name: k for k, p in enumerate(function.inputs)}

        def load(port: str, component: int) -> str:
            return f"in{at[port]}_[{component}]"

        def store(output: int, component: int, value: str) -> str:
            return f"out{output}_[{component}] = {value};"

        if len(program.nodes) <= LARGEST:
            yield from statements(program, self.dtype, load, store)
        else:
            yield from self._in_parts(function, program, load, store)

    def _in_parts(self, function: Compiled, program: Program, load: Load, store: Store) -> Iterator[str]:
        """The calls of the parts of a long program, which are written before."""
        kind, _ = TYPES[self.dtype]
        whole = parts(program)
        writer = PartWriter(whole, self.dtype, load, store)
        parameters = [*self._parameters(function), f"{kind} *__restrict__ kept_"]
        arguments = ", ".join(p.split()[-1].lstrip("*") for p in parameters)

        def calls(pieces: Sequence[Piece]) -> Iterator[str]:
            for piece in pieces:
                if isinstance(piece, Fork):
                    yield f"  if ({writer.between(piece.region.condition)} != 0) {{"
                    yield from calls(piece.taken)
                    yield "  } else {"
                    yield from calls(piece.skipped)
                    yield "  }"
                else:
                    name = f"part_{self.parts}"
                    self.parts += 1
                    self._write(name, parameters, list(writer.lines(piece)))
                    yield f"  {name}({arguments});"

        yield f"  {kind} kept_[{max(1, whole.size)}];"
        yield from calls(whole.pieces)
        yield from writer.rest()

    def _stages(self, function: Staged) -> Iterator[str]:
        kind, _ = TYPES[self.dtype]
        places = {p.name: f"in{k}_" for k, p in enumerate(function.inputs)}
        places |= {p.name: f"out{k}_" for k, p in enumerate(function.outputs)}
        for k, (name, port) in enumerate(function.between.items()):
            places[name] = f"a{k}_"
            yield f"  {kind} a{k}_[{max(1, port.size)}];"
        for stage in function.stages:
            yield self._call(stage.function, [places[n] for n in (*stage.inputs, *stage.outputs)])

    def _loop(self, function: Iterated) -> Iterator[str]:
        steps = str(function.steps)
        if function.counted:
            count = f"in{len(function.step.inputs)}_[0]"
            yield f"  const long long steps_ = {count} < {steps} ? (long long){count} : {steps};"
            steps = "steps_"
        yield from looped(self, function, "", steps)

    def _call(self, function: Compiled, places: Sequence[str]) -> str:
        return f"  {self.symbol(function)}({', '.join(places)});"


def _outputs(function: Compiled) -> int:
    return len(function.outputs)


def looped(source: _Source, function: Iterated, held: str, steps: str) -> Iterator[str]:
    """The loop over steps: the state is in two arrays in turn.

    `held` is the end of the names of flags for inputs with one entry for all steps, or empty if there are none.
    """
    kind, _ = TYPES[source.dtype]
    step, carried, constant = function.step, function.carried, len(function.step.inputs) - function.each
    state = step.inputs[:carried]
    for k, port in enumerate(state):
        size = max(1, port.size)
        yield f"  {kind} s{k}_[{size}], t{k}_[{size}], *now{k}_ = s{k}_, *next{k}_ = t{k}_;"
        yield f"  for (int j_ = 0; j_ < {port.size}; ++j_) s{k}_[j_] = in{k}_[j_];"
    if function.until:
        yield f"  {kind} again_[1];"
    needed = f" && now{carried - 1}_[0] > 0" if function.may_skip else ""
    yield '  _Pragma("unroll 1")'
    yield f"  for (long long step_ = 0; step_ < {steps}{needed}; ++step_) {{"
    places = [f"now{k}_" for k in range(carried)]
    for k, port in enumerate(step.inputs[carried:], carried):
        at = f"(in{k}{held} ? 0 : step_)" if held else "step_"
        places.append(f"in{k}_ + {at} * {port.size}" if k >= constant else f"in{k}_")
    places += [f"next{k}_" for k in range(carried)]
    traced = step.outputs[carried : len(step.outputs) - function.until]
    places += [f"out{carried + k}_ + step_ * {p.size}" for k, p in enumerate(traced)]
    places += ["again_"] if function.until else []
    yield f"  {source._call(step, places)}"
    for k in range(carried):
        yield f"    {{ {kind} *const other_ = now{k}_; now{k}_ = next{k}_; next{k}_ = other_; }}"
    if function.until:
        yield "    if (!(again_[0] > 0)) break;"
    yield "  }"
    for k, port in enumerate(state):
        yield f"  for (int j_ = 0; j_ < {port.size}; ++j_) out{k}_[j_] = now{k}_[j_];"


def emit_staged_loop(function: Iterated, dtype: str, fast: bool = False) -> tuple[str, str]:
    """The source of one kernel with the arguments of `emit_loop`, and its name."""
    kind, _ = TYPES[dtype]
    source = _Source(dtype, fast)
    count, constant = len(function.inputs), len(function.inputs) - function.each
    arguments = ["long long count", "long long steps", "unsigned long long *next"]
    lines: list[str] = []
    for k, port in enumerate(function.step.inputs):
        arguments.append(f"const {kind} *__restrict__ x{k}_, int x{k}_shared")
        size = str(port.size)
        if k >= constant:
            arguments.append(f"int in{k}_held")
            size = f"{port.size} * (in{k}_held ? 1 : steps)"
        lines.append(f"    const {kind} *const in{k}_ = x{k}_ + (x{k}_shared ? 0 : row_ * {size});")
    for k, port in enumerate(function.outputs):
        arguments.append(f"{kind} *__restrict__ y{k}_")
        lines.append(f"    {kind} *const out{k}_ = y{k}_ + row_ * {_row(function, k, port)};")
    body = list(looped(source, function, "_held", "steps"))
    symbol = identifier(function.name)
    signature = ",\n    ".join(arguments)
    text = "\n".join([
        *comment([f"{symbol}: a loop of stages with {count} inputs.", "Generated by sixvec.  A thread a row."]),
        *called(source.operations, dtype),
        *([RECIPROCAL] if source.parts and dtype == "float32" else []),
        *source.lines,
        f'extern "C" __global__ void __launch_bounds__({THREADS}) {symbol}(\n    {signature}) {{',
        "  const long long row_ = (long long)blockIdx.x * blockDim.x + threadIdx.x;",
        "  if (row_ < count) {",
        *lines,
        *(f"  {line}" for line in body),
        "  }",
        "}",
        "",
    ])  # fmt: skip
    return text, symbol


def _row(function: Iterated, k: int, port: Port) -> str:
    """The numbers of a row of an output."""
    if k < function.carried:
        return str(port.size)
    return f"steps * {port.size // max(1, function.steps)}"
