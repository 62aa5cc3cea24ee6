"""The arguments of an edit: a model, and bodies named by their joint or by themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from functools import wraps
from typing import ParamSpec

from sixvec.errors import ArgumentError, ModelError, unknown
from sixvec.model.body import Body
from sixvec.model.model import Model

P = ParamSpec("P")


def of_models(edit: Callable[P, Model]) -> Callable[P, Model]:
    """An edit that raises a helpful error when given a robot instead of a model."""

    @wraps(edit)
    def checked(*args: P.args, **kwargs: P.kwargs) -> Model:
        for argument in (*args, *kwargs.values()):
            if isinstance(getattr(argument, "model", None), Model):
                raise ArgumentError(
                    f"{edit.__name__} takes a model, and {argument!r} is a robot; pass robot.model, "
                    f"and make a robot of the result: sixvec.Robot({edit.__name__}(robot.model, ...))"
                )
        return edit(*args, **kwargs)

    return checked


def body_of_joint(model: Model, name: str) -> Body:
    """The body whose joint (or which itself) has this name."""
    for b in model.bodies:
        if b.joint_name == name and name:
            return b
    if name in model.by_name:
        return model.by_name[name]
    joints = [b.joint_label for b in model.bodies if b.joint.nv]
    raise ModelError(unknown("joint", name, joints, model.name))


def require_different_joints(model: Model, names: Collection[str]) -> Model:
    """The model, or an error if several moving joints now have the same name: one of them would be lost."""
    count = Counter(b.joint_label for b in model.bodies if b.joint.nv)
    if twice := sorted(name for name in set(names) if count[name] > 1):
        raise ModelError(f'{model.name}: {count[twice[0]]} joints would be named "{twice[0]}"; names must differ')
    return model


def body(model: Model, name: str) -> Body:
    """The body of this name."""
    if name not in model.by_name:
        raise ModelError(unknown("body", name, model.by_name, model.name))
    return model.by_name[name]
