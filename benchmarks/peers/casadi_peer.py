"""CasADi-generated C: adam-robotics writes the equations, CasADi the C, the machine's compiler the loop over a batch.

What an expert would use instead of a library call.  Everything that helps it is done: the base is at rest and
constant, so that its terms vanish; common subexpressions are shared; the compiler knows the processor; the loop over
the states is in C, on arrays that exist.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import casadi as cs
import numpy as np
from adam.casadi import KinDynComputations

from contender import Unavailable
from robots import STANDARD_GRAVITY
from state import Array, State

FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")

LOOP = """
#include <string.h>
void batch(const double *const *inputs, double *out, long n) {{
  const double *arg[{inputs} + {arguments}];
  double *res[{results}];
  casadi_int iw[{integers} + 1];
  casadi_real w[{reals} + 1];
  for (long i = 0; i < n; ++i) {{
    for (int k = 0; k < {inputs}; ++k) arg[k] = inputs[k] + i * {size};
    res[0] = out + i * {answer};
    {name}(arg, res, iw, w, 0);
  }}
}}
"""


class GeneratedC:
    """Inverse and forward dynamics and the mass matrix of an arm on a fixed base, compiled in `folder`."""

    name = "CasADi C"

    def __init__(self, urdf: Path, joints: list[str], folder: Path) -> None:
        if shutil.which("gcc") is None:
            raise Unavailable("no gcc")
        gravity = np.array([0.0, 0.0, -STANDARD_GRAVITY, 0.0, 0.0, 0.0])
        arm = KinDynComputations(str(urdf), joints, gravity=gravity)
        n = len(joints)
        q, v, x = (cs.SX.sym(name, n) for name in ("q", "v", "x"))
        M = arm.mass_matrix(cs.SX.eye(4), q)[6:, 6:]
        h = arm.bias_force(cs.SX.eye(4), q, cs.SX.zeros(6), v)[6:]
        D, LT, p = cs.ldl(M)
        equations = {
            "inverse_dynamics": ([q, v, x], M @ x + h),
            "forward_dynamics": ([q, v, x], cs.ldl_solve(x - h, D, LT, p)),
            "mass_matrix": ([q], cs.densify(M)),
        }
        self._batches = {name: _compiled(name, *sides, folder) for name, sides in equations.items()}
        self.operations = {name: made[1] for name, made in self._batches.items()}

    def batch(self, kernel: str, states: State, inputs: tuple[str, ...], out: Array) -> Callable[[], None]:
        """The loop over the batch; matrices are symmetric, so that CasADi's columns are our rows."""
        function = self._batches[kernel][0]
        arrays = [np.ascontiguousarray(getattr(states, name)) for name in inputs]
        pointers = (ctypes.c_void_p * len(arrays))(*(x.ctypes.data for x in arrays))
        address, count = ctypes.c_void_p(out.ctypes.data), ctypes.c_long(len(states))

        def call() -> None:
            function(pointers, address, count)

        call.arrays = (arrays, out)  # type: ignore[attr-defined]  # alive as long as the call
        return call


def _compiled(name: str, inputs: list[cs.SX], output: cs.SX, folder: Path) -> tuple[Callable[..., None], int]:
    """A function of the library that gcc makes of it, and the number of its operations."""
    f = cs.Function(name, inputs, [cs.cse(output)])
    generator = cs.CodeGenerator(f"{name}.c")
    generator.add(f)
    text = generator.dump() + LOOP.format(
        name=name,
        inputs=len(inputs),
        arguments=f.sz_arg(),
        results=f.sz_res(),
        integers=f.sz_iw(),
        reals=f.sz_w(),
        size=inputs[0].numel(),
        answer=output.numel(),
    )
    (folder / f"{name}.c").write_text(text, encoding="utf-8")
    subprocess.run(["gcc", *FLAGS, f"{name}.c", "-o", f"{name}.so", "-lm"], cwd=folder, check=True)
    function = ctypes.CDLL(str(folder / f"{name}.so")).batch
    function.restype = None
    return function, f.n_instructions()
