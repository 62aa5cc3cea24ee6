"""From a name or a file to a model."""

from sixvec.loaders.load import load_model
from sixvec.loaders.urdf import load_urdf, parse_urdf

__all__ = ["load_model", "load_urdf", "parse_urdf"]
