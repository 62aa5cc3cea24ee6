"""Identification of a robot's inertial parameters from its motions and joint forces.

>>> import numpy, sixvec
>>> robot = sixvec.load("planar_2r")
>>> q, v, a = (numpy.random.default_rng(0).normal(size=(3, 50, 2)))
>>> fit = identify(robot, q, v, a, robot.inverse_dynamics(q, v, a))
>>> numpy.allclose(fit.values, fit.base.of(inertial_parameters(robot.model)))
True
"""

from typing import TYPE_CHECKING

from sixvec.identification.base_parameters import BaseParameters, base_parameters
from sixvec.identification.calibration import Calibration, UndeterminedCalibration, calibrate, parameter_jacobian
from sixvec.identification.consistent import ConsistentFit, consistent_parameters
from sixvec.identification.least_squares import Identification, identify
from sixvec.identification.log_cholesky import from_log_cholesky, log_cholesky
from sixvec.identification.parameters import inertial_parameters, parameter_names, with_parameters
from sixvec.identification.prior import ball_prior, own_prior
from sixvec.identification.regressor_pattern import regressor_pattern
from sixvec.lazy import modules_on_demand

__all__ = [
    "BaseParameters", "Calibration", "ConsistentFit", "Identification", "UndeterminedCalibration", "ball_prior",
    "base_parameters", "calibrate", "consistent_parameters", "from_log_cholesky", "identify", "inertial_parameters",
    "log_cholesky", "own_prior", "parameter_jacobian", "parameter_names", "regressor_pattern", "with_parameters",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = modules_on_demand(__name__)
