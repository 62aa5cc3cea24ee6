"""A program as machine code in this process: for one sample at a time, for a batch on lanes, for a step of a loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import ref

from numpy.typing import NDArray

from sixvec.arguments.progress import progress
from sixvec.collector import collector_paused
from sixvec.compiler import cache as disk
from sixvec.compiler.artifact import Artifact, build
from sixvec.compiler.batch import Batch
from sixvec.compiler.build import Code
from sixvec.compiler.bytecode_first import BytecodeArtifact, bytecode_artifact, poll, when_ready
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.fingerprint import code_key
from sixvec.compiler.forks import building
from sixvec.compiler.lower import lowered
from sixvec.compiler.memory import Arrays, address, pointers
from sixvec.compiler.runtime.call_stub import Entry
from sixvec.compiler.runtime.functions import ONE
from sixvec.compiler.target import host

if TYPE_CHECKING:
    from sixvec.compiler.call import Compiled


class Executable:
    """Machine code of one function for one dtype, compiled or fetched from disk when first needed.

    The function owns it, so the back reference is weak: unreachable code is freed immediately.
    """

    def __init__(self, function: Compiled, dtype: str) -> None:
        self._function, self.dtype = ref(function), dtype
        self._scalar: Code | None = None
        self._batch: Batch | None = None
        self._steps: dict[Lanes, tuple[Code, int]] = {}

    def scalar(self) -> Code:
        """The function for one sample."""
        if self._scalar is None:
            with building:
                self._scalar = self._scalar or self._artifact(Lanes(1, self.dtype)).load()
        return self._scalar

    def batch(self) -> Batch:
        """The function for batches."""
        if self._batch is None:
            with building:
                self._batch = self._batch or self._new_batch()
        return self._batch

    @property
    def is_loaded_for_one(self) -> bool:
        """Whether this process has the function for one sample."""
        return self._scalar is not None

    @property
    def is_loaded_for_batches(self) -> bool:
        """Whether this process has the function for batches."""
        return self._batch is not None

    @property
    def is_stored_for_batches(self) -> bool:
        """Whether the function for batches is on disk."""
        return disk.read(code_key(self._owner().identity, self._lanes())) is not None

    def _lanes(self) -> Lanes:
        return Lanes(host().width(self.dtype), self.dtype)

    def _new_batch(self) -> Batch:
        lanes, function = self._lanes(), self._owner()
        artifact = self._artifact(lanes)
        body = artifact.load()
        return Batch(body, artifact.operations, artifact.layouts, lanes, function.inputs, function.outputs)

    def step(self, lanes: Lanes) -> tuple[Code, int]:
        """The function that the loop over steps calls, and its length in operations."""
        if lanes not in self._steps:
            with building:
                if lanes not in self._steps:
                    artifact = self._artifact(lanes, whole=True)
                    self._steps[lanes] = artifact.load(), artifact.operations
        return self._steps[lanes]

    def codes(self, lanes: Lanes) -> list[Code]:
        """All code that a step runs."""
        return [self.step(lanes)[0]]

    def workspace(self, lanes: Lanes, inputs: int, outputs: int) -> Any:
        """Further requirements of the function of `step` besides its tiles: none (`staged.py` has some)."""
        return None

    def entry(self) -> Entry:
        """The code compiled so far, for call stubs.  They do not poll, so bytecode is not for them."""
        one, batch = self._scalar, self._batch
        return Entry(
            one if one and one.slowdown == 1 else None,
            batch.for_call_stubs if batch and batch.body.slowdown == 1 else None,
        )

    def make_ready(self) -> None:
        """Wait until the code for one sample and for batches is compiled, for callers that do not poll."""
        when_ready(self.scalar())
        when_ready(self.batch().body)

    def _owner(self) -> Compiled:
        function = self._function()
        assert function is not None, "an executable belongs to its function, which holds it"
        return function

    def _artifact(self, lanes: Lanes, whole: bool = False) -> Artifact | BytecodeArtifact:
        function = self._owner()
        with progress(f"compiling {function.name}"), collector_paused():  # the identity may be that of the whole trace
            identity = f"{function.identity} whole" if whole else function.identity
            key = code_key(identity, lanes)
            if (stored := disk.read(key)) is not None:
                return Artifact.from_bytes(stored)
            final = lowered(function.program, lanes.dtype)
            if (quick := bytecode_artifact(final, identity, lanes, whole)) is not None:
                return quick
            artifact = build(final, lanes, whole)
        disk.write(key, artifact.as_bytes())
        return artifact

    def run_one(self, inputs: Arrays, outputs: Arrays) -> None:
        """One sample: C-contiguous arrays of this dtype."""
        code = self.scalar()
        poll(code)
        ONE(code.address)(pointers(map(address, inputs)), pointers(map(address, outputs)))

    def on_arrays(self, inputs: Arrays, outputs: Arrays) -> Callable[[], None] | None:
        """`run_one` as a function for these arrays; None while bytecode runs."""
        code = self.scalar()
        poll(code)
        if code.slowdown != 1:
            return None
        arguments, results = pointers(map(address, inputs)), pointers(map(address, outputs))
        owned, run = (code, inputs, outputs), ONE(code.address)

        def call(_: Any = owned) -> None:
            run(arguments, results)

        return call

    def run(self, n: int, inputs: Arrays, outputs: Arrays, shared: Sequence[bool], stored: bool = False) -> None:
        """As `Batch.run`."""
        self.batch().run(n, inputs, outputs, shared, stored)

    def constants(self) -> list[NDArray[Any]]:
        """As `Batch.constants`."""
        return self.batch().constants()
