"""Objects that say what to write for a name that they do not have."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, ClassVar

from sixvec.quoting import quoted

_MOST = 3

_FILM = 'robot.animate(path, "motion.gif") writes a film, robot.play(path) shows the motion in the browser'
_PLOT = "path.plot()[0].figure.savefig(file) writes the chart"


class Answering:
    """Base of what users hold: `_instead` says what to write for names that are not there.

    >>> class Sum(Answering):
    ...     total = 3
    ...     _instead = {"add": "write sum + number"}
    >>> Sum().add
    Traceback (most recent call last):
    AttributeError: Sum has no attribute 'add'; write sum + number
    """

    _instead: ClassVar[dict[str, str]] = {}

    if not TYPE_CHECKING:  # otherwise the types of all names would be unknown

        def __getattr__(self, name: str) -> Any:
            cls = type(self)
            message = f"{cls.__name__} has no attribute {quoted(name)!r}"
            if not name.startswith("_"):  # these are what other libraries ask for
                message += f"; {_answer(cls, name)}"
            raise AttributeError(message, name=name, obj=self)


def _answer(cls: type[Answering], name: str) -> str:
    if name in cls._instead:
        return cls._instead[name]
    public = [n for n in (*dir(cls), *getattr(cls, "__dataclass_fields__", ())) if not n.startswith("_")]
    names = sorted({*public})
    if near := difflib.get_close_matches(name, names, n=_MOST, cutoff=0.75):
        return f"did you mean {' or '.join(near)}?"
    return f"it has {', '.join(names)}"


def answers(table: dict[str, str]) -> dict[str, str]:
    """The advice for each name, from the names for each advice.

    >>> answers({"write path.t": "time times"})
    {'time': 'write path.t', 'times': 'write path.t'}
    """
    return {name: advice for advice, names in table.items() for name in names.split()}


OF_PATHS = answers(
    {
        _FILM: "animate play gif film video record render view",
        _PLOT: "savefig save_plot draw show chart",
        "path.q, path.v, path.tau and path.t are arrays; numpy.savez(file, q=path.q, v=path.v) keeps them": ""
        "save to_csv export to_numpy numpy to_dict write dump csv",
        "write path.t": "time times timestamps",
        "write path.q": "qs positions position states state x configurations",
        "write path.v": "vs qd qdot velocities velocity dq",
        "write path.tau": "torque torques forces u control controls efforts",
        "write robot.energy(path.q, path.v)": "energy total_energy",
        "write robot.pose(path.q, frame)": "poses pose ee tool",
    }
)
"""Names that people try on a path of states."""

OF_MOTIONS = answers(
    {
        "write move.q(t), move.v(t), move.a(t)": "at evaluate eval position positions state get_position at_time value",
        "write move.duration": "T total_time time t_end min_duration",
        "write path = move.sampled(dt), then path.t": "t times timestamps",
        "write move.sampled(dt)": "sample samples resample discretize interpolate",
        'robot.animate(move, "motion.gif") writes a film, robot.play(move) shows it in the browser': ""
        "animate play gif film video view",
        "write move.export(file, dt)": "save to_csv write dump csv to_ros",
    }
)
"""Names that people try on a motion over time."""

OF_WORLDS = answers(
    {
        "world.sphere, world.box, world.capsule, world.cylinder, world.ellipsoid, world.half_space and world.mesh add "
        "an obstacle": "add add_obstacle add_shape add_geometry Box Sphere Capsule Cylinder Mesh shape obstacle",
        "write world.half_space(pose)": "plane floor ground add_plane halfspace",
        "write world.box(size, pose)": "cube add_box cuboid",
        "write world.sphere(radius, pose)": "ball add_sphere",
        "write world.mesh(file, pose)": "add_mesh stl",
        "write robot.distance(q, world), robot.is_clear(q, world)": ""
        "distance distances is_clear collides check collision",
    }
)
"""Names that people try on a world of obstacles."""

OF_BATCHES = answers(
    {
        "write env.state": "obs observe observation observations get_obs",
        "env.state are the observations; write sixvec.sim.vector_env(env) for spaces, rewards and random actions": ""
        "action_space observation_space single_action_space reward rewards sample done dones terminated",
        'robot.view(env.q[0]) shows a robot, robot.animate(path, "motion.gif") the path of one': "render view animate",
        "nothing is to be closed": "close",
        "write env.count": "num_envs size n n_envs n_env batch_size",
    }
)
"""Names that people try on a batch of environments."""

OF_STACKS = answers(
    {
        "write stack(q, {name: target}, dt), with the names of the tasks, which gives a step with its velocity v": ""
        "step solve solve_ik run velocity update compute_velocity integrate differential_ik",
        "give all tasks at once: sixvec.tasks.Stack(robot, task, …)": "add add_task append push",
    }
)
"""Names that people try on a stack of tasks."""
