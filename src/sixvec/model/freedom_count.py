"""The freedoms of a mechanism, counted from its links and joints."""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.errors import ArgumentError

SPATIAL, PLANAR = 6, 3


def kutzbach(links: int, freedoms: Sequence[int], dimension: int = SPATIAL) -> int:
    """Chebyshev, Kutzbach and Grübler's count  d (n - j - 1) + Σ f: n links with the ground, j joints.

    d is 6 in space and 3 in a plane or on a sphere.  It depends on the parts but not on the geometry: special
    dimensions can allow more motion than it predicts (Bruyninckx §5.2, (5.3)).

    >>> from sixvec.analysis import kutzbach
    >>> kutzbach(7, [1] * 6), kutzbach(32, [1] * 36), kutzbach(4, [1] * 4, dimension=3)
    (6, 6, 1)
    """
    if links < 1 or dimension not in (SPATIAL, PLANAR) or any(f < 0 for f in freedoms):
        raise ArgumentError(
            f"kutzbach needs at least the ground link, freedoms of 0 or more and dimension 3 or 6, "
            f"not {links} links, {list(freedoms)} and {dimension}"
        )
    return dimension * (links - len(freedoms) - 1) + sum(freedoms)


def chebyshev(moving_links: int, moving_pins: int, fixed_pivots: int) -> int:
    """Chebyshev's count for planar linkages with revolute joints:  3 m - 2 (n + v)  (Bruyninckx §5.2, (5.4)).

    >>> from sixvec.analysis import chebyshev
    >>> chebyshev(moving_links=3, moving_pins=2, fixed_pivots=2)
    1
    """
    if min(moving_links, moving_pins, fixed_pivots) < 0:
        raise ArgumentError(
            f"counts are 0 or more, not {moving_links} links, {moving_pins} pins, {fixed_pivots} pivots"
        )
    return 3 * moving_links - 2 * (moving_pins + fixed_pivots)
