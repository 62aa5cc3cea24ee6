"""From a name, a file or a text to a model."""

from sixvec.formats.load import load_model, parse_model
from sixvec.lazy import modules_on_demand

__all__ = ["load_model", "parse_model"]

__getattr__ = modules_on_demand(__name__, "doctor", "mesh_location", "tables")
