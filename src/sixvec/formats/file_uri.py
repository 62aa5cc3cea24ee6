"""`file://` URIs: paths on this machine."""

from __future__ import annotations

import os
from urllib.parse import unquote


def path_of_uri(rest: str, drives: bool = os.name == "nt") -> str:
    """The path of a `file://` URI, from the text after it.  On systems with drives, `/C:/robots` is `C:/robots`.

    >>> path_of_uri("/home/me/left%20arm.stl"), path_of_uri("/C:/robots/arm.stl", drives=True)
    ('/home/me/left arm.stl', 'C:/robots/arm.stl')
    """
    path = unquote(rest)
    has_drive = drives and path[:1] == "/" and path[1:2].isalpha() and path[2:3] == ":"
    return path[1:] if has_drive else path
