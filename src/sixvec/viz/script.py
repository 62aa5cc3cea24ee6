"""What `view` does in a script: without a prompt, the program would end at once and take the page with it."""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Callable
from typing import Any

from sixvec.errors import level_of_user


def is_script() -> bool:
    """Whether the user's call is in the program that Python runs, and no prompt or notebook follows it."""
    if hasattr(sys, "ps1") or sys.flags.interactive or ("IPython" in sys.modules and _in_ipython()):
        return False
    frame = sys._getframe(level_of_user() - 1)
    main: Any = sys.modules.get("__main__")
    return frame.f_globals is vars(main) and hasattr(main, "__file__")


def at_end(wait: Callable[[], None]) -> None:
    """Call `wait` when the program has reached its end, unless an exception ended it."""

    def waiting() -> None:
        if getattr(sys, "last_value", None) is None:
            wait()

    # The threads of the server end before functions of atexit are called.
    getattr(threading, "_register_atexit", atexit.register)(waiting)


def _in_ipython() -> bool:
    from IPython import get_ipython

    return get_ipython() is not None
