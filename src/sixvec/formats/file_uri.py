"""What `file://` means: a path of this machine."""

from __future__ import annotations

import os
from urllib.parse import unquote


def path_of_uri(rest: str, drives: bool = os.name == "nt") -> str:
    """The path in what follows `file://`.  Where there are drives, `/C:/robots` is `C:/robots`.

    >>> path_of_uri("/home/me/left%20arm.stl"), path_of_uri("/C:/robots/arm.stl", drives=True)
    ('/home/me/left arm.stl', 'C:/robots/arm.stl')
    """
    path = unquote(rest)
    has_drive = drives and path[:1] == "/" and path[1:2].isalpha() and path[2:3] == ":"
    return path[1:] if has_drive else path
