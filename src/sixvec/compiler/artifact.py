"""The result of compilation: what the disk cache holds of a program, and what is loaded into a process."""

from __future__ import annotations

import json
from dataclasses import dataclass

from sixvec.compiler.build import Code, compile_object, load_object
from sixvec.compiler.emit.llvm import Lanes, emit_llvm
from sixvec.compiler.program import Program
from sixvec.compiler.slots import Layout, share_slots


@dataclass(frozen=True, slots=True)
class Artifact:
    """Object code, its length in operations, and the layout of each output's tile."""

    code: bytes
    operations: int
    layouts: tuple[Layout, ...]

    def as_bytes(self) -> bytes:
        layouts = [[each.of_column, each.constants] for each in self.layouts]
        return json.dumps([self.operations, layouts]).encode() + b"\n" + self.code

    @classmethod
    def from_bytes(cls, data: bytes) -> Artifact:
        head, _, code = data.partition(b"\n")
        operations, layouts = json.loads(head)
        return cls(code, operations, tuple(Layout(tuple(columns), tuple(known)) for columns, known in layouts))

    def load(self) -> Code:
        return load_object(self.code, "body")


def build(final: Program, lanes: Lanes, whole: bool = False) -> Artifact:
    """Compile a lowered program for one sample or for a vector of samples; `whole` as in `emit_llvm`."""
    code = compile_object(emit_llvm(final, lanes, whole=whole), len(final.nodes))
    return Artifact(code, len(final.nodes), layouts(final))


def layouts(final: Program) -> tuple[Layout, ...]:
    """The layout of each output's tile."""
    shared = (share_slots(entries) for entries in final.results)
    return tuple(Layout(each.of_column, each.constants) for each in shared)
