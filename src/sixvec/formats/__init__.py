"""From a name or a file to a model."""

from typing import TYPE_CHECKING, Any

from sixvec.formats.load import load_model

if TYPE_CHECKING:
    from sixvec.formats.urdf.read import load_urdf, parse_urdf

__all__ = ["load_model", "load_urdf", "parse_urdf"]


def __getattr__(name: str) -> Any:
    if name in ("load_urdf", "parse_urdf"):  # imported on first use: built-in robots need no reader
        from sixvec.formats.urdf import read

        return getattr(read, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
