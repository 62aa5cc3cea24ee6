"""Odd-even (cyclic) reduction of symmetric positive definite block-tridiagonal systems.

    A_ii = D_i,   A_i,i+1 = U_i,   A_i+1,i = U_iᵀ

Every second block row is eliminated at once; the remaining system is again block-tridiagonal, half as long, and
positive definite as a Schur complement, so no pivoting is needed.  ⌈log₂(n+1)⌉ levels instead of n.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.large_trees.constraint_force.namespace import Array, Namespace
from sixvec.large_trees.constraint_force.six_arrays import transposed


@dataclass(frozen=True)
class Level:
    """Blocks 0, 2, 4, … eliminated: `inverse` is D⁻¹ of each, `gain` D⁻¹ times its couplings [left, right]."""

    inverse: Array
    gain: Array
    remaining: int


@dataclass(frozen=True)
class Reduction:
    """A factorised system: `solve` takes any number of right-hand sides.

    >>> import numpy as np
    >>> D, U = 4.0 * np.ones((5, 1, 1)), np.ones((4, 1, 1))
    >>> A = reduction(np, D, U)
    >>> x = A.solve(np.arange(5.0).reshape(5, 1, 1))
    >>> bool(np.allclose(4.0 * x[2] + x[1] + x[3], 2.0)), len(A.levels)
    (True, 3)
    """

    xp: Namespace
    diagonal: Array
    coupling: Array
    levels: tuple[Level, ...]

    def solve(self, r: Array, refinements: int = 0) -> Array:
        """x with A x = r, both (n, k, columns); each refinement solves once more for the residual."""
        x = self._solve(r)
        for _ in range(refinements):
            x = x + self._solve(r - self.times(x))
        return x

    def times(self, x: Array) -> Array:
        """A x."""
        y, U = self.diagonal @ x, self.coupling
        if len(x) == 1:
            return y
        ahead, behind = U @ x[1:], transposed(self.xp, U) @ x[:-1]
        nothing = x[:1] * 0.0
        return y + self.xp.concatenate([ahead, nothing], 0) + self.xp.concatenate([nothing, behind], 0)

    def _solve(self, r: Array) -> Array:
        xp, free = self.xp, []
        for level in self.levels:
            m, k, eliminated = level.remaining, r.shape[1], r[0::2]
            free.append(level.inverse @ eliminated)
            if m:
                carried = transposed(xp, level.gain) @ eliminated
                r = r[1::2] - carried[:m, k:] - _ending_at(xp, carried[1:, :k], m)
        x = free[-1]
        for level, even in zip(reversed(self.levels[:-1]), reversed(free[:-1]), strict=True):
            x = _interleaved(xp, even - level.gain @ _neighbours(xp, x, len(even)), x)
        return x


def reduction(xp: Namespace, D: Array, U: Array) -> Reduction:
    """Factorise the system with diagonal blocks D (n, k, k) and couplings U (n-1, k, k).

    With W = [left, right] the couplings of an eliminated block to its neighbours, a level needs only Wᵀ D⁻¹ W: its
    diagonal blocks are subtracted from the neighbours, and its negated corner couples them.

    >>> import numpy
    >>> from sixvec.large_trees.constraint_force import reduction
    >>> blocks, couplings = numpy.full((3, 1, 1), 2.0), numpy.full((2, 1, 1), -1.0)
    >>> type(reduction(numpy, blocks, couplings)).__name__
    'Reduction'
    """
    diagonal, coupling, levels, k = D, U, [], D.shape[-1]
    while True:
        m = len(D) // 2
        inverse = xp.linalg.inv(D[0::2])
        if not m:
            levels.append(Level(inverse, inverse, 0))
            return Reduction(xp, diagonal, coupling, tuple(levels))
        W = _couplings(xp, U, len(D) - m)
        gain = inverse @ W
        S = transposed(xp, W) @ gain
        levels.append(Level(inverse, gain, m))
        D = D[1::2] - S[:m, k:, k:] - _ending_at(xp, S[1:, :k, :k], m)
        U = -S[1:m, :k, k:]


def reduction_levels(n: int) -> int:
    """⌈log₂(n+1)⌉, the last one solving a single block.

    >>> from sixvec.large_trees.constraint_force import reduction_levels
    >>> [reduction_levels(n) for n in (1, 8, 256, 2**20)]
    [1, 4, 9, 21]
    """
    return n.bit_length()


def _couplings(xp: Namespace, U: Array, eliminated: int) -> Array:
    """[A_i,i-1  A_i,i+1] of every eliminated block; zero beyond the ends."""
    nothing = U[:1] * 0.0
    shifted = xp.concatenate([nothing, transposed(xp, U[1::2])], 0)
    right = U[0::2] if len(U[0::2]) == eliminated else xp.concatenate([U[0::2], nothing], 0)
    return xp.concatenate([shifted, right], 2)


def _neighbours(xp: Namespace, x: Array, eliminated: int) -> Array:
    """The unknowns left and right of every eliminated block, stacked; zero beyond the ends."""
    nothing = x[:1] * 0.0
    padded = xp.concatenate([nothing, x, nothing], 0)
    return xp.concatenate([padded[:eliminated], padded[1 : eliminated + 1]], 1)


def _ending_at(xp: Namespace, x: Array, n: int) -> Array:
    """x, padded with a zero block if it is one short of n: the last kept block may have no right neighbour."""
    return x if len(x) == n else xp.concatenate([x, x[:1] * 0.0], 0) if len(x) else 0.0


def _interleaved(xp: Namespace, even: Array, odd: Array) -> Array:
    n = len(odd)
    paired = xp.stack([even[:n], odd], 1).reshape((2 * n, *odd.shape[1:]))
    return paired if len(even) == n else xp.concatenate([paired, even[n:]], 0)
