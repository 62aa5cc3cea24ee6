"""The doctor: all problems of a robot file at once, with lines and advice."""

from sixvec.formats.doctor.check import check_file
from sixvec.formats.doctor.finding import Finding, Report, Severity

__all__ = ["Finding", "Report", "Severity", "check_file"]
