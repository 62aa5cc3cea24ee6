"""Paths of `file://` URIs, with and without drives."""

from __future__ import annotations

import pytest

from sixvec.formats.packages import path_of_uri


@pytest.mark.parametrize(
    ("text", "drives", "path"),
    [
        ("/C:/robots/arm.stl", True, "C:/robots/arm.stl"),
        ("/C:/robots/arm.stl", False, "/C:/robots/arm.stl"),
        ("/robots/arm.stl", True, "/robots/arm.stl"),
        ("C:/robots/arm.stl", True, "C:/robots/arm.stl"),
        ("/1:/arm.stl", True, "/1:/arm.stl"),
        ("/CD:/arm.stl", True, "/CD:/arm.stl"),
        ("xC:/arm.stl", True, "xC:/arm.stl"),
        ("/c%3A/left%20arm.stl", True, "c:/left arm.stl"),
        ("", True, ""),
        ("/", True, "/"),
    ],
)
def test_paths(text: str, drives: bool, path: str) -> None:
    assert path_of_uri(text, drives) == path
