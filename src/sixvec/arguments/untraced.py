"""Functions that `torch.compile` calls as they are, without tracing their Python code.

Tracing replaces NumPy by torch, in code that reads the memory of arrays and calls machine code.  torch is not imported
here: it recognises a mark on the functions that users call, and the first of them excludes the whole package.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = __name__.partition(".")[0]
_excluded = False


def untraced(function: F) -> F:
    """Mark a function; it should call `leave_untraced` first.

    >>> @untraced
    ... def half(x):
    ...     leave_untraced()
    ...     return 0.5 * x
    >>> half(3.0)
    1.5
    """
    function._torchdynamo_disable = True  # type: ignore[attr-defined]
    return function


def leave_untraced() -> None:
    """Exclude the package from tracing, if torch traces anything in this process."""
    global _excluded
    rules = sys.modules.get("torch._dynamo.trace_rules")
    if rules is not None and not _excluded:
        _excluded = True
        rules.add(_PACKAGE)
