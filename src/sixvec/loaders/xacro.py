"""Xacro, the macro language in front of URDF: expanded by the optional package `xacro`, then read as URDF.

A xacro file is a program: it evaluates expressions and reads the files that it names.  Only files named `*.xacro` are
ever expanded, and they deserve the trust that one gives to a script.
"""

from __future__ import annotations

import contextlib
import importlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sixvec.errors import FileFormatError, MissingExtra
from sixvec.loaders.urdf import urdf_model
from sixvec.loaders.xml import Node, parse_xml, quoted, read_xml
from sixvec.model import Model
from sixvec.spatial import Vec3

SUFFIX = ".xacro"

_LONGEST_REASON = 300


def load_xacro(
    source: Path, arguments: Mapping[str, str] | None = None, *, floating: bool = False, gravity: Vec3 | None = None
) -> Model:
    """The robot in a xacro file; `arguments` are the values of its <xacro:arg> elements."""
    return urdf_model(xacro_root(source, arguments), floating=floating, gravity=gravity)


def xacro_root(source: Path, arguments: Mapping[str, str] | None = None) -> Node:
    """The outermost element of the URDF that a xacro file expands to."""
    return parse_xml(expanded(source, arguments), str(source))


def expanded(source: Path, arguments: Mapping[str, str] | None = None) -> str:
    """The text of the URDF that a xacro file expands to.

    The file goes through the reader of all model files first: its bounds, and no document types or entities.
    """
    read_xml(source)
    xacro = _xacro()
    # The package writes its own account of a problem to the console; the error has it.
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            document = xacro.process_file(str(source), mappings=dict(arguments or {}))
        except RecursionError:
            raise FileFormatError(f"{source}: xacro cannot expand it: its macros call each other without end") from None
        except Exception as problem:  # expressions of the file may raise anything
            reason = quoted(str(problem), _LONGEST_REASON)
            raise FileFormatError(
                f"{source}: xacro cannot expand it: {type(problem).__name__}: {reason}; "
                "check the names of properties, arguments and included files"
            ) from None
    return str(document.toprettyxml(indent="  "))


def _xacro() -> Any:
    try:
        return importlib.import_module("xacro")
    except ImportError:
        raise MissingExtra(
            'expanding "*.xacro" needs the package xacro: pip install "sixvec[xacro]"; '
            "or expand the file elsewhere (xacro arm.xacro > arm.urdf) and load the URDF"
        ) from None
