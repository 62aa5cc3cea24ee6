"""The doctor: everything that is wrong with a robot file, at once, with lines and advice."""

from sixvec.doctor.check import Report, check_file
from sixvec.doctor.finding import Finding, Severity

__all__ = ["Finding", "Report", "Severity", "check_file"]
