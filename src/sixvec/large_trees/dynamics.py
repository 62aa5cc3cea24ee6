"""Dynamics of large trees: two or three passes over flat arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import common_batch, require_finite
from sixvec.compiler.call import as_array
from sixvec.compiler.input_checks import are_checked
from sixvec.large_trees.evaluation import Evaluation
from sixvec.large_trees.joint_kinds import Numbers
from sixvec.large_trees.large_tree import LargeTree

Result = NDArray[np.floating[Any]]
"""float64, or float32 if all inputs are."""

External = Mapping[str, ArrayLike] | ArrayLike | None

_WEIGHTLESS = np.zeros(3)


def inverse_dynamics(tree: LargeTree, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: External = None) -> Result:
    """Joint forces that produce the accelerations `a`:  tau = M(q) a + C(q, v) v + g(q) - Σ Jᵀ f_external.

    Shapes (..., nq), (..., nv), (..., nv); batch axes broadcast and are processed in sequence.  `external` is a
    dictionary from frame to wrench (6), or (..., links, 6): on each link (moment; force) at its origin, in its own
    axes, in the order of `tree.link_names` or of the links from which the tree was made.  The recursion is in float64;
    where all inputs are float32, so is the result.

    Recursive Newton-Euler algorithm (RNEA) in two passes, O(n): Featherstone (9)-(13).

    >>> from sixvec import load
    >>> from sixvec.large_trees import LargeTree, inverse_dynamics
    >>> panda = LargeTree.from_model(load("panda").model)
    >>> inverse_dynamics(panda, panda.neutral(), [0.0] * 7, [0.0] * 7).shape
    (7,)
    """

    def one(at: Evaluation, q: Numbers, v: Numbers, a: Numbers, wrench: Numbers | None = None) -> Numbers:
        at.net_forces(q, v, a, wrench, tree.gravity)
        return at.joint_forces() + tree.passes.rotor_bias(v)

    return _each(tree, "inverse_dynamics", one, {"q": q, "v": v, "a": a}, external)


def forward_dynamics(tree: LargeTree, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: External = None) -> Result:
    """Joint accelerations under the forces `tau`:  a = M⁻¹ (tau - C v - g + Σ Jᵀ f_external).

    Shapes as for `inverse_dynamics`.  Articulated-body algorithm (ABA) in three passes, O(n): Featherstone (49)-(68),
    with accelerations relative to the motion with a = 0 as in `algorithms/forward_dynamics.py`.

    >>> from sixvec import load
    >>> from sixvec.large_trees import LargeTree, forward_dynamics, inverse_dynamics
    >>> panda, rest = LargeTree.from_model(load("panda").model), [0.0] * 7
    >>> gravity = inverse_dynamics(panda, panda.neutral(), rest, rest)
    >>> abs(forward_dynamics(panda, panda.neutral(), rest, gravity)).max() < 1e-9
    np.True_
    """

    def one(at: Evaluation, q: Numbers, v: Numbers, tau: Numbers, wrench: Numbers | None = None) -> Numbers:
        at.net_forces(q, v, None, wrench, tree.gravity)
        return _accelerations(tree, at, tau - tree.passes.rotor_bias(v), (q, v, tau, wrench))

    return _each(tree, "forward_dynamics", one, {"q": q, "v": v, "tau": tau}, external)


def mass_matrix_product(tree: LargeTree, q: ArrayLike, x: ArrayLike) -> Result:
    """M(q) x without the matrix, which would have nv² entries: inverse dynamics at rest without gravity.

    >>> from sixvec import load
    >>> from sixvec.large_trees import LargeTree, mass_matrix_product
    >>> panda = LargeTree.from_model(load("panda").model)
    >>> mass_matrix_product(panda, panda.neutral(), [0.0] * 6 + [1.0]).shape
    (7,)
    """

    def one(at: Evaluation, q: Numbers, x: Numbers) -> Numbers:
        at.net_forces(q, None, x, None, _WEIGHTLESS)
        return at.joint_forces()

    return _each(tree, "mass_matrix_product", one, {"q": q, "x": x})


def mass_matrix_solve(tree: LargeTree, q: ArrayLike, x: ArrayLike) -> Result:
    """M(q)⁻¹ x without either matrix: forward dynamics at rest without gravity.

    >>> from sixvec import load
    >>> from sixvec.large_trees import LargeTree, mass_matrix_product, mass_matrix_solve
    >>> panda = LargeTree.from_model(load("panda").model)
    >>> x = mass_matrix_solve(panda, panda.neutral(), [1.0] * 7)
    >>> abs(mass_matrix_product(panda, panda.neutral(), x) - 1.0).max() < 1e-9
    np.True_
    """

    def one(at: Evaluation, q: Numbers, x: Numbers) -> Numbers:
        at.net_forces(q, None, None, None, _WEIGHTLESS)
        return _accelerations(tree, at, x, (q, x))

    return _each(tree, "mass_matrix_solve", one, {"q": q, "x": x})


def _accelerations(tree: LargeTree, at: Evaluation, tau: Numbers, arrays: tuple[Numbers | None, ...]) -> Numbers:
    """The second and third pass of ABA; the result is finite only if `given` is."""
    drive = at.articulated(tau)
    if not np.isfinite(drive).all() and all(x is None or np.isfinite(x).all() for x in arrays):
        tree.passes.require_mass(drive)
    return at.accelerations()


def _each(
    tree: LargeTree, name: str, one: Callable[..., Numbers], arrays: dict[str, Any], external: External = None
) -> Result:
    """`one` for every sample of the broadcast batch."""
    if external is not None:
        arrays = arrays | {"external": tree.wrenches(external) if isinstance(external, Mapping) else external}
    ports = [tree.passes.ports[key] for key in arrays]
    inputs = [as_array(x, port, name) for x, port in zip(arrays.values(), ports, strict=True)]
    if are_checked():
        for x, port in zip(inputs, ports, strict=True):
            require_finite(f"{name}: {port.name}", x)
    leads = [x.shape[: x.ndim - len(port.shape)] for x, port in zip(inputs, ports, strict=True)]
    single = all(x.dtype == np.float32 for x in inputs)
    at = tree.passes.evaluation()
    if not any(leads):
        result = one(at, *inputs).copy()
    else:
        batch = common_batch(name, leads, [port.name for port in ports], [x.shape for x in inputs])
        whole = [np.broadcast_to(x, batch + port.shape) for x, port in zip(inputs, ports, strict=True)]
        result = np.empty((*batch, tree.nv))
        for index in np.ndindex(*batch):
            result[index] = one(at, *(x[index] for x in whole))
    tree.passes.give_back(at)
    return result.astype(np.float32) if single else result
