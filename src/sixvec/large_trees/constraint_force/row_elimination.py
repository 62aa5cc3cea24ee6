"""One block of odd-even reduction as functions of scalars; `cyclic_reduction` is the same on whole arrays."""

from __future__ import annotations

from sixvec.large_trees.constraint_force.row_algebra import Matrix, Vector, less, symmetric
from sixvec.spatial.linear import backward, dot, forward, ldlt, transpose


def elimination(kept: Matrix, right: Matrix, left: Matrix, corner: Matrix, *, held: int) -> tuple[Vector, ...]:
    """Eliminate block 2j of a level and pass on block 2j+1.

    `kept` are both blocks with their right-hand sides, packed, before the shares `right` and `left` of the level above
    are subtracted; `corner` are minus the couplings of block 2j to its neighbours.  With D = L Δ Lᵀ, W the couplings
    to both sides and Y = L⁻¹ [W r], all shares are in Yᵀ Δ⁻¹ Y.

    Returns the gain D⁻¹ W and D⁻¹ r, the shares that block 2j subtracts from its left and right neighbours, minus the
    coupling that results between them, and block 2j+1.
    """
    middle = less(less(kept[0], right[0]), left[0])
    size = held * (held + 1) // 2
    before, after = _square(corner[0], held), _square(corner[1], held)
    # A_2j,2j-1 is the transpose of A_2j-1,2j.
    columns = [[-x for x in row] for row in before] + [[-x for x in column] for column in transpose(after)]
    L, inverse = ldlt(symmetric(middle[:size], held))
    Y: list[Vector] = []
    Z: list[Vector] = []
    solved: list[Vector] = []
    # Column by column: a thread has few registers, and a computed gain can be stored.
    for column in (*columns, middle[size:]):
        Y.append(forward(L, column))
        Z.append([y * d for y, d in zip(Y[-1], inverse, strict=True)])
        solved.append(backward(L, Z[-1]))

    def share(first: int) -> Vector:
        diagonal = [dot(Y[first + i], Z[first + j]) for i in range(held) for j in range(i + 1)]
        return [*diagonal, *(dot(Y[first + i], Z[-1]) for i in range(held))]

    gain = [x for row in transpose(solved[:-1]) for x in row]
    between = [dot(Y[i], Z[held + j]) for i in range(held) for j in range(held)]
    return gain, solved[-1], share(0), share(held), between, less(less(kept[1], right[1]), left[1])


def back_substitution(gain: Matrix, free: Vector, before: Vector, after: Vector) -> Vector:
    """The unknowns of block 2j from those of its neighbours, followed by those of block 2j+1, which are `after`."""
    known = [*before, *after]
    return [*less(free, [dot(row, known) for row in gain]), *after]


def _square(entries: Vector, n: int) -> Matrix:
    return [entries[i * n : (i + 1) * n] for i in range(n)]
