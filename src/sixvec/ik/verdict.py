"""The old place of `sixvec.verdict`."""

from sixvec.verdict import Verdict

__all__ = ["Verdict"]
