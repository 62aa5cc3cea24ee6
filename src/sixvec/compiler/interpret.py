"""The reference interpreter: the semantics of a program on NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.graph import Node
from sixvec.compiler.ops import OPS
from sixvec.compiler.program import Program


def interpret(program: Program, inputs: Mapping[str, NDArray[Any]]) -> tuple[NDArray[Any], ...]:
    """Evaluate `program`; inputs are (..., *port.shape) with broadcastable leading axes, and so are the outputs."""
    arrays = {p.name: np.asarray(inputs[p.name]) for p in program.inputs}
    dtype = np.result_type(np.float32, *arrays.values())
    flat, batch = {}, ()
    for port in program.inputs:
        lead = arrays[port.name].shape[: arrays[port.name].ndim - len(port.shape)]
        flat[port.name] = arrays[port.name].astype(dtype).reshape(*lead, port.size)
        batch = np.broadcast_shapes(batch, lead)
    meaning = {name: op.value for name, op in OPS.items()}
    value: dict[Node, Any] = {}
    for node in program.nodes:
        if node.op == "input":
            name, index = node.source
            value[node] = flat[name][..., index]
        else:
            args = [value[a] if type(a) is Node else dtype.type(a) for a in node.args]
            value[node] = meaning[node.op](*args)
    outputs = []
    for port, entries in zip(program.outputs, program.results, strict=True):
        out = np.empty((*batch, port.size), dtype)
        for i, x in enumerate(entries):
            out[..., i] = value[x] if isinstance(x, Node) else x
        outputs.append(out.reshape((*batch, *port.shape)))
    return tuple(outputs)
