"""Write src/sixvec/kernels/methods.pyi: the typed signatures of the methods that Robot gets from the algorithms.

Run by `make stubs`; a test fails if the file is not up to date.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path

from sixvec.algorithms import REGISTRY, Algorithm
from sixvec.algorithms.declaration import EXTERNAL, TARGET
from sixvec.arguments.binding import REQUIRED
from sixvec.kernels.derivative import named_tuple

LINE = 120
STUB = Path(__file__).parent.parent / "src/sixvec/kernels/methods.pyi"

HEAD = '''"""Written by `make stubs` from the declarations in sixvec.algorithms; do not edit."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.joint_wrenches import JointReference
from sixvec.algorithms.momentum import About
from sixvec.algorithms.parts.reference import Reference
from sixvec.model.held_frame import Rolling

Array = NDArray[np.floating[Any]]
'''

HOLD = "Mapping[Any, str | Sequence[str] | Rolling] | None"
KINDS = {EXTERNAL: "Mapping[str, ArrayLike] | None", TARGET: "ArrayLike | None", "hold": HOLD}
"""What a user passes where the equations see something else."""


def _result(algorithm: Algorithm) -> str:
    """The name of the tuple of several results."""
    return str(named_tuple(algorithm.name, algorithm.outputs).__name__)


def text() -> str:
    """The whole stub file."""
    several = [a for a in REGISTRY.values() if len(a.outputs) > 1]
    tuples = [
        f"class {named_tuple(a.name, a.outputs).__name__}(NamedTuple):\n"
        + "\n".join(f"    {o.name}: Array" for o in a.outputs)
        for a in several
    ]
    methods = [line for a in REGISTRY.values() for line in (_method(a), *(f"    {x} = {a.name}" for x in a.aliases))]
    return HEAD + "\n" + "\n\n".join([*tuples, "class Methods:\n" + "\n".join(methods)]) + "\n"


def _method(algorithm: Algorithm) -> str:
    parameters = algorithm.signature
    shown = ["self"]
    for p in parameters:
        if p.name in algorithm.arrays:
            kind = "ArrayLike"
        elif p.name in KINDS:
            kind = KINDS[p.name]
        else:
            kind = str(p.annotation)
        default = "" if p.default is REQUIRED else f" = {_literal(p.default)}"
        default = " = None" if p.name == "hold" else default
        shown.append(f"{p.name}: {kind}{default}")
    result = _result(algorithm) if len(algorithm.outputs) > 1 else "Array"
    out = f"tuple[{', '.join(['Array'] * len(algorithm.outputs))}]" if len(algorithm.outputs) > 1 else "Array"
    shown += ["*", f"out: {out} | None = None"]
    start, end = f"    def {algorithm.name}(", f") -> {result}:"
    line = f"{start}{', '.join(shown)}{end}"
    if len(line) > LINE:  # as ruff would break it
        line = f"{start}\n        {', '.join(shown)}\n    {end}"
    if max(map(len, line.splitlines())) > LINE:
        line = f"{start}\n" + "".join(f"        {each},\n" for each in shown) + f"    {end}"
    return f"{line}\n{_docstring(algorithm)}"


def _docstring(algorithm: Algorithm) -> str:
    """What editors show: the first sentence of the algorithm's page."""
    paragraph = " ".join((inspect.getdoc(algorithm.function) or "").split("\n\n")[0].split())
    first = re.split(r"(?<=\.)\s+(?=[A-Z])", paragraph, maxsplit=1)[0]
    raw = "r" if "\\" in first else ""
    lines = textwrap.wrap(first, LINE - 8 - 7)
    return "\n".join(f"        {line}" for line in [f'{raw}"""{lines[0]}', *lines[1:]]) + '"""'


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    STUB.write_text(text())
