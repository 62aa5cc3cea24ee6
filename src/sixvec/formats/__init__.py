"""From a name, a file or a text to a model."""

from sixvec.formats.load import load_model, parse_model

__all__ = ["load_model", "parse_model"]
