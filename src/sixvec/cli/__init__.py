"""The command line."""

from sixvec.cli.main import main

__all__ = ["main"]
