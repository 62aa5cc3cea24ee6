"""Verification of a robot: its numbers, identities, loops, and the results of other libraries."""

from sixvec.verify.check import Finding
from sixvec.verify.verification import Verification, verify

__all__ = ["Finding", "Verification", "verify"]
