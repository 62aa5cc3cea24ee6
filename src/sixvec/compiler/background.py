"""Compilation in another process, which stores the result in the disk cache and may outlive this one for a while."""

from __future__ import annotations

import atexit
import gc
import os
import pickle
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixvec.compiler import cache as disk
from sixvec.compiler import child_limits, claim
from sixvec.compiler.artifact import Artifact, build
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.fingerprint import code_key
from sixvec.compiler.graph import Graph, Node, Operand
from sixvec.compiler.program import Port, Program

if TYPE_CHECKING:
    from subprocess import Popen

SWITCH = "SIXVEC_BACKGROUND"
"""The variable of the environment that is "off" where nothing may be compiled in the background."""

_CHILD = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer);"
    "from sixvec.compiler.child_limits import limit; limit(int(sys.argv[1]));"
    "from sixvec.compiler.background import main; main()"
)


@dataclass(frozen=True, slots=True)
class CompileJob:
    """What to compile, and where to store it."""

    name: str
    identity: str
    lanes: Lanes
    whole: bool
    key: str
    folder: Path
    program: bytes = field(repr=False)
    """A pickled `Flat`."""

    def stored(self) -> Artifact | None:
        """The result, if it is there."""
        stored = disk.read(self.key, self.folder)
        return Artifact.from_bytes(stored) if stored is not None else None

    def compile(self) -> Artifact:
        """Compile in this process and store the result."""
        artifact = build(pickle.loads(self.program).program(), self.lanes, self.whole)
        if disk.directory() == self.folder and self.folder.is_dir():  # a folder that was removed stays so
            disk.write(self.key, artifact.as_bytes())
        claim.forget(self.folder, self.key)
        return artifact

    def is_claimed(self) -> bool:
        """Whether some process is compiling it."""
        return claim.is_claimed(self.folder, self.key)

    def tried(self) -> int:
        """CPU seconds that were not enough for it."""
        return claim.tried(self.folder, self.key)

    def give_up(self, seconds: int) -> None:
        claim.give_up(self.folder, self.key, seconds)
        claim.forget(self.folder, self.key)


def compile_job(final: Program, identity: str, lanes: Lanes, whole: bool) -> CompileJob | None:
    """A job for a lowered program, or None if this process must compile it itself.

    The other process must be a Python that can store the result in the disk cache.
    """
    python = os.path.basename(sys.executable or "").lower()
    possible = (
        os.environ.get(SWITCH, "on").lower() not in ("off", "0", "no", "false")
        and os.name == "posix"
        and python.startswith(("python", "pypy"))  # not a program that contains one
        and not getattr(sys, "frozen", False)
    )
    if not possible or (folder := disk.writable()) is None:
        return None
    key = code_key(identity, lanes)
    return CompileJob(final.name, identity, lanes, whole, key, folder, pickle.dumps(Flat.of(final)))


@dataclass(frozen=True, slots=True)
class Flat:
    """A program without references between its nodes: arguments are the numbers of nodes, or constants."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    nodes: list[tuple[str, tuple[Any, ...]]]
    results: list[list[int | float]]

    @classmethod
    def of(cls, program: Program) -> Flat:
        number: dict[Operand, int] = {node: i for i, node in enumerate(program.nodes)}
        nodes = [
            (n.op, n.source if n.op == "input" else tuple([number[a] if type(a) is Node else a for a in n.args]))
            for n in program.nodes
        ]
        results = [[number[x] if type(x) is Node else x for x in entries] for entries in program.results]
        return cls(program.name, program.inputs, program.outputs, nodes, results)  # type: ignore[arg-type]

    def program(self) -> Program:
        """The same program, node by node."""
        graph, nodes = Graph(), list[Node]()
        for op, args in self.nodes:
            if op == "input":
                nodes.append(graph.input(*args))
            else:
                nodes.append(graph.intern(op, *[nodes[a] if type(a) is int else a for a in args]))
        results = tuple(tuple(nodes[x] if type(x) is int else x for x in entries) for entries in self.results)
        return Program(self.name, self.inputs, self.outputs, results)


def is_begun(job: CompileJob) -> bool:
    """Have it compiled by another process, unless one does so already; False if no process can be started."""
    file = claim.claimed(job.folder, job.key)
    if file is None:
        return job.is_claimed()
    try:
        child = _started(job, file)
        _jobs[child.pid] = job
        children.append(child)
    except Exception:
        claim.forget(job.folder, job.key)
        return False
    finally:
        os.close(file)  # the child has it
    return True


def _started(job: CompileJob, file: int) -> Popen[bytes]:
    from subprocess import DEVNULL, Popen
    from tempfile import TemporaryFile

    here = {SWITCH: "off", "SIXVEC_CACHE_DIR": str(job.folder.parent), "OPENBLAS_NUM_THREADS": "1"}
    with TemporaryFile() as stdin:  # not a pipe, which would wait for the child
        pickle.dump(_search_path(), stdin)
        pickle.dump(job, stdin)
        stdin.seek(0)
        return Popen(
            [sys.executable, "-I", *(["-B"] if sys.dont_write_bytecode else []), "-c", _CHILD, str(os.getpid())],
            stdin=stdin,
            stdout=DEVNULL,
            stderr=DEVNULL,
            env=os.environ | here,
            pass_fds=[file],
            start_new_session=True,  # Ctrl-C is not meant for it
        )


def _search_path() -> list[str]:
    """Where the child finds modules: as this process does, but not relative to the working directory, which may change.

    The library's own folder is the last: an import hook or a relative path may have found it.
    """
    paths = [str(x) for x in sys.path if isinstance(x, str) and os.path.isabs(x)]
    return [*paths, str(Path(__file__).absolute().parents[2])]


children: list[Popen[bytes]] = []
"""Processes that compile for this one, or did until a moment ago."""

_jobs: dict[int, CompileJob] = {}
"""What they compile, by their numbers."""


def running() -> int:
    """How many processes compile for this one; those that have ended are reaped."""
    for child in tuple(children):
        if child.poll() is not None:
            with suppress(ValueError, KeyError):  # another thread was faster
                job = _jobs.pop(child.pid)
                if child.returncode == child_limits.TOO_LONG and not job.tried():
                    job.give_up(child_limits.allowed())
                children.remove(child)
    return len(children)


@atexit.register
def _leave() -> None:
    """Processes that still compile go on alone for a while, without a warning that they do."""
    for child in children:
        child.returncode = child.returncode or 0


def main() -> None:
    """Run the job on standard input."""
    gc.disable()
    job: CompileJob = pickle.load(sys.stdin.buffer)
    child_limits.give_up = job.give_up
    try:
        same = code_key(job.identity, job.lanes) == job.key  # files may have changed since the job was created
        if same and job.folder.is_dir() and job.stored() is None:
            job.compile()
    finally:
        claim.forget(job.folder, job.key)
