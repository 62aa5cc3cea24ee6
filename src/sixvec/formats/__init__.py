"""From a name or a file to a model."""

from sixvec.formats.load import load_model
from sixvec.formats.urdf.read import load_urdf, parse_urdf

__all__ = ["load_model", "load_urdf", "parse_urdf"]
