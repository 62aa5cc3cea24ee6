"""Whether a robot is right: its numbers, its identities, its loops, and what other libraries answer."""

from sixvec.verify.check import Finding
from sixvec.verify.verification import Verification, verify

__all__ = ["Finding", "Verification", "verify"]
