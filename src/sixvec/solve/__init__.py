"""Matrices in batches: rank, inverses, least squares within bounds, and metrics that relate radians to metres."""

from sixvec.lazy import modules_on_demand
from sixvec.solve.decomposition import pseudo_inverse, rank
from sixvec.solve.metric import Metric
from sixvec.solve.quadratic_program import QuadraticProgram, quadratic_program
from sixvec.solve.spectral_inverse import spectral_inverse
from sixvec.solve.spectrum import spectrum

__all__ = [
    "Metric", "QuadraticProgram", "pseudo_inverse", "quadratic_program", "rank", "spectral_inverse", "spectrum",
]  # fmt: skip

__getattr__ = modules_on_demand(__name__, "hierarchy")
