"""Conversions to and from the types of other libraries, which are imported only when a function here is called."""

from sixvec.interop.scipy import as_scipy, from_scipy, quaternion_from_scipy
from sixvec.lazy import modules_on_demand

__all__ = ["as_scipy", "from_scipy", "quaternion_from_scipy"]

__getattr__ = modules_on_demand(__name__, "controller", "cupy", "dask", "jax", "torch", "zarr")
