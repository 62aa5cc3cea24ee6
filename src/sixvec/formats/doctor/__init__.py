"""The doctor: all problems of a robot file at once, with lines and advice."""

from sixvec.lazy import on_demand

__all__, __getattr__, __dir__ = on_demand(__name__, {"check": "check_file", "finding": "Finding Report Severity"})
