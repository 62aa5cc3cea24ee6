"""Forces inside the joints: rotors, damping, friction and springs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.rotor_forces import rotor_bias
from sixvec.algorithms.passive_forces import added, passive_forces, subtracted


def with_joint_effects(function: Callable[..., Any]) -> Callable[..., Any]:
    """Equations that relate the forces on the bodies to tau, with the forces inside the joints added.

    The bodies feel  tau + passive - C v, where C v are the forces of the rotors of ball and free joints.  If tau is an
    argument, the equations get this sum; if it is the result, the sum is solved for it.  The option `passive`, False
    by default, adds `passive_forces`.
    """
    signature = inspect.signature(function)
    passive = inspect.Parameter("passive", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False, annotation="bool")
    extended = signature.replace(parameters=[*signature.parameters.values(), passive])

    @wraps(function)
    def with_effects(*args: Any, **options: Any) -> Any:
        values = extended.bind(*args, **options).arguments
        resists = values.pop("passive", False)
        model, q, v = (values[name] for name in ("model", "q", "v"))
        if "tau" in values:
            tau = added(values["tau"], passive_forces(model, q, v)) if resists else values["tau"]
            values["tau"] = JointVector(subtracted(tau, rotor_bias(model, v)), model.v_slices)
            return function(**values)
        tau = added(function(**values), rotor_bias(model, v))
        return subtracted(tau, passive_forces(model, q, v)) if resists else tau

    with_effects.__signature__ = extended  # type: ignore[attr-defined]
    return with_effects
