"""A time step with contacts as one program without iterations, for known states of its contacts: it has derivatives.

Its impulses solve the laws in the states that given impulses p show (`constraints/contacts/active_laws.py`); all else
is that of `sixvec.sim.impulse_step`.
"""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.constraints.contacts.active_laws import active_solution
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.sim.impulse_motion import advanced, without_gain
from sixvec.sim.impulse_step import FAR, ImpulseStep

RESULTS = 4
"""What a path keeps of each step, besides activations: q, v, force and gap."""


def active_step(step: ImpulseStep) -> CompiledFunction:
    """The state ahead, and what a path keeps, from the state, dt, the inputs of `step.kept`, controls and impulses.

    The state is q and v, and the activations of actuators if they have any.
    """
    problem, order = step.problem, tree_order(step.problem.tree)
    activations = step.state[4:]

    def contact_step_on_active_set(q: Any, v: Any, *others: Any) -> Any:
        activation, (dt, *varied, u, p) = (others[0], others[1:]) if activations else (None, others)
        values = dict(zip([k.name for k in step.kept], varied, strict=True))
        u = u if step.law is None else step.law(q, v, u)
        later = problem.later(u, activation, dt) if activations else None
        t = problem.terms(q, v, u, dt, activation=activation, later=later, **values)
        w, p = active_solution(t.blocks, t.w, p, order)
        if t.blocks:
            w, p = without_gain(t.w, t.mean, w, p)
        tree = problem.tree_of(values.get("parameters"))
        q1, v1 = advanced(problem, tree, t, q, dt, w)
        ahead = [q1, v1, *([later] if activations else [])]
        force, gap = problem.layout.placed(p, t.gaps, FAR)
        return *ahead, q1, v1, [x / dt for x in force], gap, *([later] if activations else [])

    state = (*step.state[:2], *activations)
    inputs = (*state, step.inputs[0], *step.kept, step.inputs[-1], Port("p", (step.size,)))
    results = (
        Port("q_step", state[0].shape), Port("v_step", state[1].shape), step.force, step.gap,
        *(Port(f"{p.name}_step", p.shape) for p in activations),
    )  # fmt: skip
    made = CompiledFunction(contact_step_on_active_set, inputs, (*state, *results), f"{step.identity} on active set")
    made.needs_double = True
    return made
