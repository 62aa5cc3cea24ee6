"""Methods of `Robot`, made from the algorithms' declarations."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

from sixvec.algorithms.declaration import EXTERNAL, TARGET, Algorithm
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.arguments import wrenches_by_frame
from sixvec.arguments.binding import REQUIRED, bound
from sixvec.arguments.untraced import leave_untraced, untraced
from sixvec.compiler.call import Compiled
from sixvec.compiler.runtime.call_stub import CallStub, available
from sixvec.kernels.closed_loops import OfClosedLoops, require_closed_loops
from sixvec.kernels.signature import bytes_per_sample, gufunc_signature
from sixvec.kernels.wheel_targets import with_wheels_at_rest

if TYPE_CHECKING:
    from sixvec.kernels.store import Kernels
    from sixvec.robot import Robot


class Method:
    """One algorithm as a method of one robot: binds the arguments, finds the kernel and runs it.

    It is the Python path of a call stub (compiler/runtime/call_stub.py), which handles the next call of the same
    kind without Python.
    """

    def __init__(self, kernels: Kernels, algorithm: Algorithm) -> None:
        self._kernels, self._algorithm = kernels, algorithm
        self._usual: Compiled | None = None
        """The kernel for calls with arrays only, after the first of them."""

    @staticmethod
    def descriptor(algorithm: Algorithm, name: str) -> Any:
        """The descriptor in the class: it creates the method on first use and stores it in the instance."""
        return _Descriptor(algorithm, name)

    def callable(self) -> Any:
        """The fastest callable on this machine: a `functools.partial` forwards a call in a few ns."""
        if not available():
            return PlainMethod(self, self._algorithm)
        function = partial(CallStub(self, self._algorithm.name, documentation(self._algorithm)).function)
        function.__dict__.update(self.facts())
        return function

    def facts(self) -> dict[str, Any]:
        """The attributes of a method, which a built-in function cannot have."""
        algorithm, model = self._algorithm, self._kernels.model
        first, _, text = documentation(algorithm).partition("\n--\n\n")
        return {
            "__name__": algorithm.name,
            "__doc__": text,
            "__text_signature__": first.removeprefix(algorithm.name),
            "signature": gufunc_signature(model, algorithm),
            "bytes_per_sample": bytes_per_sample(model, algorithm),
        }

    @property
    def owner(self) -> Robot:
        """A robot with this method."""
        return self._kernels.robot()

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Compiled | None]:
        if self._usual is not None and not kwargs and len(args) == len(self._algorithm.arrays):
            parameters = self._kernels.parameters_for(args)
            return self._usual.call(*args, *parameters), None if parameters else self._usual
        is_usual = not kwargs and [*self._algorithm.parameters][: len(args)] == [*self._algorithm.arrays]
        out = kwargs.pop("out", None)
        values = bound(self._algorithm.name, self._algorithm.parameters, args, kwargs, also=("out",))
        arrays = [values.pop(name) for name in self._algorithm.arrays]
        wrenches = wrenches_by_frame(self._algorithm.name, values.pop(EXTERNAL, None))
        target = values.pop(TARGET, None)
        if target is not None and self._kernels.model.rolling:
            values["hold"] = held_frames(self._kernels.model, values.get("hold"))
            target = with_wheels_at_rest(self._kernels.model, values["hold"], target)
        aims = () if target is None else (target,)
        kernel = self._kernels.get(self._algorithm.name, external=tuple(wrenches), target=target is not None, **values)
        inputs = (*arrays, *wrenches.values(), *aims)
        checked = require_closed_loops(self._kernels, self._algorithm.name, arrays[0], values)
        parameters = self._kernels.parameters_for(inputs)
        result = kernel.call(*inputs, *parameters, out=out)
        if checked:
            return result, None if wrenches or aims or parameters else OfClosedLoops(kernel, self._kernels.model)
        if is_usual:
            self._usual = kernel
        return result, None if wrenches or aims or parameters else kernel


class PlainMethod:
    """The method on machines without call stubs."""

    def __init__(self, method: Method, algorithm: Algorithm) -> None:
        self._method, self.__name__ = method, algorithm.name
        self.__dict__.update(method.facts())
        parameters = algorithm.signature
        out = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)
        self.__signature__ = inspect.Signature([*parameters, out])

    def __repr__(self) -> str:
        return f"<method {self.__name__} of {self._method.owner!r}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._method(args, kwargs)[0]

    def __reduce__(self) -> Any:
        return getattr, (self._method.owner, self.__name__)


class _Descriptor:
    """Creates an instance's method on first access; from then on Python finds it in the instance."""

    def __init__(self, algorithm: Algorithm, name: str) -> None:
        self.algorithm, self.name = algorithm, name
        self.__doc__ = algorithm.__doc__

    @untraced
    def __get__(self, robot: Robot | None, owner: type) -> Any:
        leave_untraced()
        if robot is None:
            return self.algorithm
        function = Method(robot._kernels, self.algorithm).callable()
        robot.__dict__[self.name] = function
        return function


def documentation(algorithm: Algorithm) -> str:
    """The docstring in the form of built-in functions: signature first."""
    shown = [k if v is REQUIRED else f"{k}={v!r}" for k, v in algorithm.parameters.items()]
    text = inspect.getdoc(algorithm.function) or ""
    return f"{algorithm.name}($self, {', '.join(shown)}, *, out=None)\n--\n\n{text}"
