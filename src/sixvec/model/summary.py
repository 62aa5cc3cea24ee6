"""A robot in plain values, for programs: what `sixvec show --json` prints."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from sixvec.model.body import Body
from sixvec.model.closure import Closure, Gear
from sixvec.model.held_frame import RollingFrame
from sixvec.model.model import Model
from sixvec.model.topology import topology


def summary(model: Model) -> dict[str, Any]:
    """Bodies with their joints, limits and masses, frames and loops; an infinite limit is None.

    >>> from sixvec.model.robots import BUILT_IN
    >>> arm = summary(BUILT_IN["panda"]())
    >>> arm["nv"], arm["bodies"][1]["joint"], arm["bodies"][1]["effort"]
    (7, 'panda_joint1', [87.0])
    """
    wheels = {"rolling": [_wheel(w) for w in model.rolling]} if model.rolling else {}
    return {
        "name": model.name,
        "topology": topology(model),
        "nq": model.nq,
        "nv": model.nv,
        "mass": sum(float(b.inertia.mass) for b in model.bodies),
        "gravity": [float(x) for x in model.gravity],
        "bodies": [_body(model, b) for b in model.bodies],
        "frames": [{"name": f.name, "body": f.body} for f in model.frames],
        "closures": [_closure(c) for c in model.closures],
        **wheels,
    }


def _body(model: Model, b: Body) -> dict[str, Any]:
    axis = getattr(b.joint, "axis", None) or getattr(b.joint, "normal", None)
    coupling = b.mimic and {
        "leader": b.mimic.leader,
        "multiplier": float(b.mimic.multiplier),
        "offset": float(b.mimic.offset),
    }
    return {
        "name": b.name,
        "parent": b.parent,
        "joint": b.joint_name,
        "type": type(b.joint).__name__.lower(),
        "axis": None if axis is None else [float(x) for x in axis],
        "q": [] if coupling else _indices(model.q_slices[b.name]),
        "v": [] if coupling else _indices(model.v_slices[b.name]),
        "lower": _finite(b.limits.lower),
        "upper": _finite(b.limits.upper),
        "velocity": _finite(b.limits.velocity),
        "effort": _finite(b.limits.effort),
        "mimic": coupling,
        "mass": float(b.inertia.mass),
    }


def _wheel(wheel: RollingFrame) -> dict[str, Any]:
    return {"frame": wheel.frame, "radius": float(wheel.radius), "directions": [*wheel.directions]}


def _closure(c: Any) -> dict[str, Any]:
    kind = type(c.joint if isinstance(c, Closure) else c).__name__.lower()
    common = {"name": c.name, "type": kind, "constraints": c.constraints}
    if isinstance(c, Closure):
        return common | {"first": c.first, "second": c.second}
    if isinstance(c, Gear):
        return common | {
            "leader": c.leader, "follower": c.follower, "ratio": float(c.ratio), "offset": float(c.offset)
        }  # fmt: skip
    return common | {"terms": [[body, float(factor)] for body, factor in c.terms], "offset": float(c.offset)}


def _indices(at: slice) -> list[int]:
    return [*range(at.start, at.stop)]


def _finite(limits: Iterable[float]) -> list[float | None]:
    return [float(x) if math.isfinite(x) else None for x in limits]
