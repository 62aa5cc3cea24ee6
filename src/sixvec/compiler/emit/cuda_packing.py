"""CUDA C of the stages that pack items into lists and put their states back: a thread has its own lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sixvec.compiler.packing import Pack, Packing, Unpack


def packing_lines(stage: Pack | Unpack, kind: str) -> Iterator[str]:
    """The body of the function of a stage; `kind` is the type of numbers."""
    packing = stage.packing
    count = len(packing.kinds)
    yield _table("kind", [x.kind for x in packing.items])
    yield _table("state", [x.state for x in packing.items])
    if isinstance(stage, Pack):
        yield from _pack(packing, kind)
        return
    yield f"  int count_[{max(1, count)}] = {{}};"
    yield f"  for (int j_ = 0; j_ < {packing.states}; ++j_) out0_[j_] = 0;"
    yield f"  for (int n_ = 0; n_ < {len(packing.items)}; ++n_) if (in0_[n_] > 0) {{"
    yield "    const int at_ = count_[kind_[n_]]++;"
    yield "    switch (kind_[n_]) {"
    for k, x in enumerate(packing.kinds):
        copy = f"out0_[state_[n_] + j_] = in{k + 1}_[at_ * {x.states} + j_];"
        yield f"    case {k}: for (int j_ = 0; j_ < {x.states}; ++j_) {copy} break;"
    yield "    }"
    yield "  }"


def _pack(packing: Packing, kind: str) -> Iterator[str]:
    count = len(packing.kinds)
    starts = [0]
    for x in packing.items:
        starts.append(starts[-1] + len(x.places))
    yield _table("first", [x.first for x in packing.items])
    yield _table("start", starts)
    yield _table("place", [p for x in packing.items for p in x.places])
    yield f"  int count_[{max(1, count)}] = {{}};"
    yield f"  for (int n_ = 0; n_ < {len(packing.items)}; ++n_) if (in0_[n_] > 0) {{"
    yield "    const int at_ = count_[kind_[n_]]++;"
    yield f"    {kind} *entry_ = 0;"
    yield "    switch (kind_[n_]) {"
    for k, entry in enumerate(packing.kinds):
        size = len(entry.empty)
        yield f"    case {k}:"
        yield f"      entry_ = out{3 * k + 1}_ + at_ * {size};"
        zeros = next((j for j, y in enumerate(entry.empty) if y), size)
        yield f"      for (int j_ = 0; j_ < {zeros}; ++j_) entry_[j_] = 0;"
        copy = f"out{3 * k + 2}_[at_ * {entry.states} + j_] = in2_[state_[n_] + j_];"
        yield f"      for (int j_ = 0; j_ < {entry.states}; ++j_) {copy}"
        yield "      break;"
    yield "    }"
    yield f"    const {kind} *const numbers_ = in1_ + first_[n_] - start_[n_];"
    yield "    for (int j_ = start_[n_]; j_ < start_[n_ + 1]; ++j_) entry_[place_[j_]] = numbers_[j_];"
    yield "  }"
    for k in range(count):
        yield f"  out{3 * k}_[0] = count_[{k}];"


def _table(name: str, values: Sequence[int]) -> str:
    return f"  static const int {name}_[] = {{{', '.join(map(str, values)) or '0'}}};"
