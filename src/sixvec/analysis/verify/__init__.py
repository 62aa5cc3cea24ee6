"""Verification of a robot: its numbers, identities, loops, and the results of other libraries."""

from sixvec.analysis.verify.verification import Verification, verify

__all__ = ["Verification", "verify"]
