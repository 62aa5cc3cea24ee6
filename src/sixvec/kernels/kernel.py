"""Interface of robots and compiler: an algorithm, run on symbols for one model, becomes a function of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sixvec.algorithms.declaration import EXTERNAL, TARGET, Algorithm, flatten, input_shape, size
from sixvec.algorithms.hybrid_dynamics import coordinates
from sixvec.arguments import require_distinct
from sixvec.compiler.program import Port, Program, trace
from sixvec.errors import ArgumentError, ShapeError
from sixvec.kernels.derivative import Differentiable, named_tuple
from sixvec.kernels.options import require_options
from sixvec.kernels.signature import gufunc_signature
from sixvec.lazy import lazy
from sixvec.model import Model
from sixvec.model.edits.load import loaded_model
from sixvec.model.edits.vary import KINDS, varied_model

_WRENCH, _INERTIA = 6, 10


class Kernel(Differentiable):
    """One algorithm compiled for one robot, with its options fixed; call it with arrays.

    >>> import sixvec
    >>> kernel = sixvec.load("panda").kernel("gravity_forces")
    >>> kernel.count()["sin"]
    6
    >>> kernel([0.0] * 7).shape
    (7,)
    """

    def __init__(
        self,
        model: Model,
        algorithm: Algorithm,
        options: Mapping[str, Any],
        external: Sequence[str] = (),
        payloads: Sequence[str] = (),
        target: bool = False,
        varied: tuple[str, tuple[str, ...]] | None = None,
    ) -> None:
        require_options(algorithm, options, external)
        algorithm.require(model)
        self.model, self.algorithm, self.options, self.external = model, algorithm, dict(options), tuple(external)
        self.payloads, self.target, self.varied = tuple(payloads), target, varied
        """The frames that carry loads, whose inertias are inputs; whether there are target accelerations; which
        parameters of which bodies are the last input."""
        if varied and algorithm.original_bodies:
            raise ArgumentError(f"{algorithm.name} does not take parameters as inputs")
        require_distinct(f"{algorithm.name}: external", self.external)
        require_distinct(f"{algorithm.name}: payload", self.payloads)
        for name in (*self.external, *self.payloads, self.options.get("frame")):
            if name is not None:
                model.frame(name)
        coordinates(model, self.options.get("prescribed", ()))
        self.name, hold = algorithm.name, self.options.get("hold", ())
        self.inputs = tuple(
            [Port(name, input_shape(model, name)) for name in algorithm.arrays]
            + [Port(f"external[{name}]", (_WRENCH,)) for name in self.external]
            + [Port(TARGET, (size(model, "nrows", hold),)) for _ in range(target)]
            + [Port(f"payload[{name}]", (_INERTIA,)) for name in self.payloads]
            + ([Port(f"parameters[{varied[0]}]", (len(KINDS[varied[0]]) * len(varied[1]),))] if varied else [])
        )
        self.outputs = tuple(Port(o.name, tuple(size(model, d, hold) for d in o.shape)) for o in algorithm.outputs)
        self.needs_double = algorithm.loops == "enforced" and bool(hold or model.is_constrained)
        self.result_type = named_tuple(self.name, algorithm.outputs) if len(self.outputs) > 1 else None

    def __reduce__(self) -> Any:
        return Kernel, (
            self.model,
            self.algorithm,
            self.options,
            self.external,
            self.payloads,
            self.target,
            self.varied,
        )

    def __repr__(self) -> str:
        options = "".join(f", {k}={v!r}" for k, v in self.options.items())
        return f"<Kernel {self.name} of {self.model.name}{options}>"

    @property
    def signature(self) -> str:
        """As a generalised ufunc: `(n),(n),(n)->(n)`."""
        return gufunc_signature(self.model, self.algorithm, self.inputs[len(self.algorithm.arrays) :])

    @property
    def bytes_per_sample(self) -> int:
        """Of all arrays of a call in double precision."""
        return 8 * sum(p.size for p in (*self.inputs, *self.outputs))

    @lazy
    def program(self) -> Program:
        """The scalar program, obtained by running the algorithm on symbols."""
        return trace(self.name, self.inputs, self.equations)

    def equations(self, *scalars: list[Any]) -> list[tuple[Port, list[Any]]]:
        """The algorithm on scalars of any kind, a list for each input: the entries of each output."""
        arrays = len(self.algorithm.arrays)
        options = dict(self.options)
        if self.external:
            options[EXTERNAL] = dict(zip(self.external, scalars[arrays:], strict=False))
        loads = arrays + len(self.external) + self.target
        if self.target:
            options[TARGET] = scalars[loads - 1]
        model = self.algorithm.form(self.model)
        for name, load in zip(self.payloads, scalars[loads:], strict=False):
            model = loaded_model(model, name, load)
        if self.varied:
            model = varied_model(model, self.model, *self.varied, scalars[-1])
        result = self.algorithm(model, *scalars[:arrays], **options)
        parts = result if len(self.outputs) > 1 else (result,)
        results = [(p, flatten(x, len(p.shape))) for p, x in zip(self.outputs, parts, strict=True)]
        for port, entries in results:
            if len(entries) != port.size:  # machine code would write beyond the array
                raise ShapeError(f"{self.name}: {port.name} has {len(entries)} entries, but its shape is {port.shape}")
        return results

    @property
    def identity(self) -> str:
        """A key that determines the program; for the library's own algorithms it is known without tracing."""
        if not (self.algorithm.function.__module__.startswith("sixvec.") and self.model.is_known_by_its_data):
            return self.program.digest
        inputs = f"{self.external} {self.payloads} {self.target} {self.varied}"
        return f"{self.model.fingerprint} {self.name} {sorted(self.options.items())} {inputs}"
