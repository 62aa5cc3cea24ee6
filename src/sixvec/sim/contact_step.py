"""A time step with contacts, after Moreau: velocities jump and positions follow.

A step of length h from (q, v) first computes the velocities due to the forces alone, v_f = v + h a.  The impulses
p of the contacts then give  v₁ = v_f + M⁻¹ Jᵀ p,  with Coulomb's law for each of them
(`constraints/contacts/impulse_step.py`), and positions move with v₁; free joints in coordinates of the centre of
mass (`sixvec.sim.mass_centres`), so that a body keeps the energy ½ v₁ᵀ M v₁ as it moves.  The mass matrix of a
robot with joints changes meanwhile; its velocities are corrected accordingly (`sixvec.sim.energy_balance`).  Along the
normal of a contact with gap g the new velocity satisfies

    w₁ ≥ -g/h           where it does not touch: it lands at the end of the step at the earliest
    w₁ ≥ 0              where it touches or overlaps
    w₁ ≥ -e w₀          where it would hit in this step with restitution e, faster than forces press it together

which is Newton's law of impact.  If that would add energy, as it can if friction couples several contacts, only the
part of the restitution that adds none is applied: no contact impulse ever increases the energy.  Those of a step that
is not solved are scaled accordingly.  Overlaps of bodies,
initial or due to curved surfaces and finite steps, are corrected in positions only, by a fifth in each step.  Loops,
driven joints and wheels that roll take part in every impact: M⁻¹ is that of the remaining motions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.constrained_motion import least_motion
from sixvec.algorithms.parts.factorization import Factors, dot
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.constraints.contacts.contact import Contact, Obstacle
from sixvec.constraints.contacts.impulse_step import UNKNOWN, WIDTH, Block, Kind, inverse, sweeps, without_energy
from sixvec.constraints.contacts.impulses import TOLERANCE, impulse_loop
from sixvec.constraints.contacts.rows import contact_rows
from sixvec.errors import ArgumentError
from sixvec.kernels import Port, Stage, Staged
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Body, Model
from sixvec.model.canonical import canonical
from sixvec.model.spanning_tree import spanning_tree
from sixvec.scalar import Scalar, sqrt, where
from sixvec.sim.energy_balance import NUMBERS, balanced, balances
from sixvec.sim.fixed_axes import advanced
from sixvec.sim.free_motion import moved_freely
from sixvec.sim.free_rotation import gyroscopic_accelerations, single_bodies
from sixvec.sim.free_velocities import free_velocities
from sixvec.sim.friction import friction_limits
from sixvec.sim.groups import Group, groups
from sixvec.sim.lifted_pairs import free_pairs, lifts_of
from sixvec.sim.mass_centres import Centres, carried_centre, carriers, centres
from sixvec.sim.projection import projected
from sixvec.sim.rebound import rebounds
from sixvec.sim.step_options import StepOptions, acting, input_ports
from sixvec.sim.step_rows import StepRows
from sixvec.spatial import Vec3

OVERLAP_FRACTION = 0.2
"""Fraction of an overlap corrected in each step."""

LIFTING_SWEEPS = 8

MOST_LOST = 1.1
"""What loops take from free velocities is given back if the energy was less than this many times what is left."""

RIGID = 1e-10
"""Rows with less than this fraction of their mobility without loops, driven joints and wheels are fixed."""


@lru_cache(maxsize=64)
def contact_step(model: Model, options: StepOptions, contacts: tuple[Obstacle, ...]) -> Staged:
    """One step as stages: the terms of the contact problem, its solution, and the resulting motion."""
    robot = canonical(model)
    for name in (*options.pushed.held, *options.pushed.changing):
        model.frame(name)
    kinds, rubbing = contact_blocks(model, options, contacts)
    if not kinds:
        raise ArgumentError("rollout: contacts is empty; leave it out for a robot that touches nothing")
    m, n = sum(WIDTH[k] for k in kinds), len(kinds) - len(rubbing)
    normals = [sum(WIDTH[k] for k in kinds[:i]) for i in range(n)]
    pairs = [] if _is_bound(robot, options) else free_pairs(robot, _of_points(contacts))
    bounces = any(c.restitution for c in contacts)
    identity = (
        f"{model.fingerprint} contact {options} {[c.described if isinstance(c, Contact) else c for c in contacts]}"
    )
    state = (Port("q", (model.nq,)), Port("v", (model.nv,)), Port("p", (m,)))
    places = [f"centre {b.name}" for b in carriers(robot, options.prescribed)]
    jointed = groups(robot, options.prescribed, rolls=bool(options.hold))
    terms = (
        Port("free", (model.nv,)), Port("response", (m, model.nv)), Port("G", (m, m)), Port("b", (m,)),
        Port("limits", (len(kinds),)), Port("unknown", ()), Port("begun", ()), Port("tolerance", ()),
        Port("pushed", (n,)), Port("gap", (n,)), Port("inelastic", (m,)), Port("mean", (m,)), Port("rate", (m,)),
        Port("balance", (NUMBERS * len(jointed) + 1 + model.nv,)), *(Port(name, (3,)) for name in places),
    )  # fmt: skip

    def contact_terms(q: Any, v: Any, dt: Any, *inputs: Any) -> Any:
        return _terms(robot, model, options, contacts, rubbing, jointed, q, v, dt, inputs)

    def contact_motion(q: Any, dt: Any, free: Any, response: Any, pushed: Any, balance: Any, p: Any, *more: Any) -> Any:
        about = centres(robot, options.prescribed, [Vec3.of(r) for r in more[: len(places)]])
        soft, rates, inelastic, rate, *elastic = more[len(places) :]
        soft = without_energy(soft, [x - y for x, y in zip(rates, inelastic, strict=True)], rate)
        p = _without_gain(p, soft, *elastic) if bounces else soft
        after = [x + sum((r[i] * k for r, k in zip(response, p, strict=True)), 0.0) for i, x in enumerate(free)]
        q1, v1 = _moved(robot, options, q, dt, after, (pushed, normals, response, pairs), about)
        if jointed:
            v1 = balanced(robot, jointed, balance, q, free, after, q1, v1)
        return q1, v1, p, q1, v1, [x / dt for x in p]

    ports = input_ports(options)
    names = {p.name: p for p in terms}
    first = CompiledFunction(contact_terms, (*state[:2], *ports), terms, f"{identity} terms")
    inner = ("free", "response", "pushed", "balance")
    moving = [Port("q", (model.nq,)), Port("dt", ()), *(names[k] for k in inner), state[2]]
    moving += [names[k] for k in places]
    moving += [Port("soft", (m,)), Port("rates", (m,)), names["inelastic"], names["rate"]]
    if bounces:
        moving += [names["G"], names["mean"]]
    results = (*state, Port("q_step", (model.nq,)), Port("v_step", (model.nv,)), Port("force", (m,)))
    last = CompiledFunction(contact_motion, tuple(moving), results, f"{identity} motion {bounces}")
    for made in (first, last):
        made.needs_double = True
    loop = impulse_loop(kinds)
    solving = ("G", "b", "limits", "tolerance")
    stages = [
        Stage(first, ("q", "v", *(p.name for p in ports)), tuple(p.name for p in terms)),
        Stage(
            loop, ("p", "unknown", "b", "unknown", "begun", *solving), ("found", "residual", "rates", "most", "count")
        ),
    ]
    values = ["q", "dt", *inner, "found", *places]
    if bounces:
        again = ("found", "unknown", "inelastic", "unknown", "begun", "G", "inelastic", *solving[2:])
        stages.append(Stage(loop, again, ("softly", "soft_residual", "soft_rates", "soft_most", "soft_count")))
        values += ["softly", "soft_rates", "inelastic", "rate", "G", "mean"]
    else:
        values += ["found", "rates", "inelastic", "rate"]
    ahead = ("q_next", "v_next", "p_next", "q_step", "v_step", "force")
    stages.append(Stage(last, tuple(values), ahead))
    outputs = (
        Port("q_next", (model.nq,)), Port("v_next", (model.nv,)), Port("p_next", (m,)), *results[3:], names["gap"],
        Port("residual", ()),
    )  # fmt: skip
    return Staged("rollout", (*state, *ports), outputs, stages)


def contact_blocks(
    model: Model, options: StepOptions, contacts: Sequence[Obstacle]
) -> tuple[tuple[Kind, ...], list[int]]:
    """The kinds of all blocks of rows, and the coordinates of joints with friction, whose blocks are the last."""
    limits = friction_limits(canonical(model))
    rubbing = [i for i, f in enumerate(limits) if options.passive and f and i not in options.prescribed]
    kinds: list[Kind] = []
    for c in contacts:
        kinds += ["contact"] * c.points if isinstance(c, Contact) else ["stop"]
    kinds += ["friction"] * len(rubbing)
    return tuple(kinds), rubbing


def _terms(
    robot: Model,
    model: Model,
    options: StepOptions,
    contacts: tuple[Obstacle, ...],
    rubbing: list[int],
    jointed: list[Group],
    q: Any,
    v: Any,
    dt: Any,
    inputs: Any,
) -> Any:
    """Free velocities, their response to impulses, and the contact problem at (q, v)."""
    acceleration = acting(robot, options, q, v, inputs)
    carrying = carriers(robot, options.prescribed)
    M: Any = mass_matrix(robot, q) if carrying or jointed or not _is_bound(robot, options) else []
    moving_centres = [carried_centre(robot, b, M) for b in carrying]
    about = centres(robot, options.prescribed, moving_centres)
    bound = bool(robot.closures or options.hold)
    rotating: list[Body] = [] if bound else single_bodies(robot, options.prescribed)

    def steady(q: Any, v: Any) -> list[Scalar]:
        """Accelerations without the gyroscopic forces on rotating bodies, which act after the impulses."""
        return [x + y for x, y in zip(acceleration(q, v), gyroscopic_accelerations(robot, rotating, v), strict=True)]

    free, middle, a = free_velocities(robot, rotating, q, v, steady, dt, about)
    balance: list[Scalar] = [0.0] * (1 + robot.nv)
    if jointed:
        if robot.closures or options.hold:  # forces of loops and wheels do no work
            a = acting(spanning_tree(robot), options._replace(hold=()), q, v, inputs)(q, middle)
        free, balance = balances(robot, jointed, M, q, v, free, middle, a, dt)
    if bound:
        free = _within_loops(StepRows(robot, options.hold, options.prescribed), q, free, M)
    touching = contact_rows(model, q, contacts, [dt * x for x in free])
    units = [[float(i == k) for i in range(robot.nv)] for k in rubbing]
    J = [*(row for r in touching for row in r.jacobian), *units]
    response, G = _delassus(robot, options, q, J, M)
    rate = [dot(row, free) for row in J]
    before = [dot(row, v) for row in J]
    elastic, inelastic, normals, at = list(rate), list(rate), [], 0
    for r in touching:
        hits = where(rebounds(before[at], rate[at]), where(r.gap + dt * rate[at] < 0.0, 1.0, 0.0), 0.0) > 0.5
        lands = where(r.gap > 0.0, r.gap, 0.0) / dt
        inelastic[at] = rate[at] + lands
        elastic[at] = inelastic[at]
        if r.restitution:
            back = before[at] * r.restitution
            if r.room is not None:
                room = where(r.room > 0.0, -r.room, 0.0) / dt
                back = where(back > room, back, room)
            elastic[at] = rate[at] + where(hits, back, lands)
        normals.append(at)
        at += len(r.jacobian)
    limits = [r.friction for r in touching] + [friction_limits(robot)[i] * dt for i in rubbing]
    gaps = [r.gap for r in touching]
    pushed = _pushed(gaps, normals, G)
    mean = list(rate)
    if any(r.restitution for r in touching):
        rest = [0.0] * robot.nv
        fall = advanced(robot, q, rest, acceleration(q, rest), dt)
        mean = [x - 0.5 * dot(row, fall) for x, row in zip(rate, J, strict=True)]
    solving = (free, response, G, elastic, limits, UNKNOWN, 0.0, TOLERANCE)
    return *solving, pushed, gaps, inelastic, mean, rate, balance, *map(list, moving_centres)


def _within_loops(rows: StepRows, q: Any, free: Any, M: Any) -> list[Scalar]:
    """The velocities that the loops allow nearest to the free ones, with the same energy.

    Free velocities satisfy the derivative of the rows at the start of the step, so the rows themselves to first order
    only.  Impulses act on what the loops allow: their work would be wrong on anything else.
    """
    allowed = rows.stopped(q, free)
    if rows.driven or not M:
        return allowed
    before, after = (dot(x, [dot(row, x) for row in M]) for x in (free, allowed))
    near = where(after > 0.0, where(before < MOST_LOST * after, 1.0, 0.0), 0.0) > 0.5
    scale = sqrt(where(near, before / where(near, after, 1.0), 1.0))
    return [scale * x for x in allowed]


def _of_points(contacts: Sequence[Obstacle]) -> list[Contact | None]:
    """The contact of each point; None for a stop."""
    return [x for c in contacts for x in ([c] * c.points if isinstance(c, Contact) else [None])]


def _is_bound(robot: Model, options: StepOptions) -> bool:
    return bool(robot.closures or options.prescribed or options.hold)


def _delassus(
    robot: Model, options: StepOptions, q: Any, J: Sequence[Sequence[Any]], inertia: Any
) -> tuple[list[list[Any]], list[list[Any]]]:
    """M⁻¹ Jᵀ by rows, and J M⁻¹ Jᵀ; with loops, driven joints or wheels that roll, for the remaining motions."""
    if _is_bound(robot, options):
        at, rows = JointVector(q, robot.q_slices), StepRows(robot, options.hold, options.prescribed)
        A, rank = rows.jacobian(q), rows.rank
        M = Factors(inertia or mass_matrix(robot, at), tree_order(robot))
        response = []
        for row in J:
            motion, z = least_motion(robot, at, row, A, [0.0] * len(A), rank)[0], M.half(row)
            moves = dot(row, motion) > RIGID * M.weighted(z, z)
            response.append([0.0 if i in options.prescribed else where(moves, x, 0.0) for i, x in enumerate(motion)])
        G = [[dot(row, x) for x in response] for row in J]
        return response, [[(G[i][j] + G[j][i]) * 0.5 for j in range(len(J))] for i in range(len(J))]
    require_mass(robot)
    M = Factors(inertia, tree_order(robot))
    Z = [M.half(row) for row in J]
    lower = [[M.weighted(z, w) for w in Z[: i + 1]] for i, z in enumerate(Z)]
    G = [[lower[max(i, j)][min(i, j)] for j in range(len(J))] for i in range(len(J))]
    return [M.rest(z) for z in Z], G


def _pushed(gaps: Sequence[Any], normals: Sequence[int], G: Any) -> list[Any]:
    """Impulses of the least motion, in the metric of the mass matrix, that corrects part of the overlaps."""
    depths = [where(g < 0.0, g * OVERLAP_FRACTION, 0.0) for g in gaps]
    N = [[G[i][j] for j in normals] for i in normals]
    steps = [[where(w < 0.0, inverse(N[i][i]), 0.0)] for i, w in enumerate(depths)]
    stops: list[Block] = [("stop", [i]) for i in range(len(gaps))]
    return list(sweeps(N, depths, [0.0] * len(gaps), stops, depths, steps, count=LIFTING_SWEEPS))


def _moved(robot: Model, options: StepOptions, q: Any, dt: Any, v: Any, push: Any, about: Centres) -> tuple[Any, Any]:
    """Positions and velocities at the end of the step: centres of mass of free joints move straight."""
    bound = bool(robot.closures or options.hold)
    rotating = [] if bound else single_bodies(robot, options.prescribed)
    pushed, normals, response, pairs = push

    def motion(points: Sequence[int]) -> list[Scalar]:
        return [sum((response[normals[i]][k] * pushed[i] for i in points), 0.0) for k in range(robot.nv)]

    lift, lifts = lifts_of(pairs, pushed, range(len(normals)), motion)
    q1, v1 = moved_freely(robot, rotating, q, dt, v, lift, about, lifts)
    return projected(StepRows(robot, options.hold, options.prescribed), q1, v1) if bound else (q1, v1)


def _without_gain(p: Any, soft: Any, G: Any, mean: Any) -> list[Any]:
    """soft + s (p - soft) with the largest s ≤ 1 for which the impulses add no energy.

    They add  p·w + ½ pᵀ G p  to that of the motion without them, with w = J v_f for kinetic energy alone.  Weight and
    other forces at rest, f, act on the mean velocity of the step, which impulses change by half as much: so w, the
    `mean`, is  J (v_f - h M⁻¹ f / 2).  The inelastic impulses add no energy.
    """
    d = [x - y for x, y in zip(p, soft, strict=True)]
    Gd, Gs = ([dot(row, x) for row in G] for x in (d, soft))
    a, c = 0.5 * dot(d, Gd), dot(soft, mean) + 0.5 * dot(soft, Gs)
    b = dot(d, mean) + dot(d, Gs)
    gains = a + b + c > 0.0
    c = where(c > 0.0, 0.0, c)
    curved = a > 0.0
    root = (sqrt(where(gains, b * b - 4.0 * a * c, 1.0)) - b) / where(curved, 2.0 * a, 1.0)
    s = where(gains, where(curved, where(root < 1.0, where(root > 0.0, root, 0.0), 1.0), 0.0), 1.0)
    return [x + s * y for x, y in zip(soft, d, strict=True)]
