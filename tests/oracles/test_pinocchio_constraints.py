"""Held frames of published robots: ours and Pinocchio's constraint dynamics."""

from __future__ import annotations

import numpy as np
import pytest

from pinocchio_bridge import peer, pin
from published import ALL, MASSLESS, Published
from sixvec.algorithms.parts.held_frames import held_frames


@pytest.mark.every(3)
@pytest.mark.covers("CON-05", "CON-06")
@pytest.mark.parametrize("published", [p for p in ALL if p not in MASSLESS][::3], ids=lambda p: p.name)
@pytest.mark.parametrize("kind", ["weld", "point"])
def test_a_held_frame(published: Published, kind: str) -> None:
    other = peer(published)
    robot, model = other.robot, other.model
    data = model.createData()  # theirs keeps what constraints leave in it, and other answers go wrong
    frame = model.frames[other.frame(published.tip)]
    contact = pin.ContactType.CONTACT_6D if kind == "weld" else pin.ContactType.CONTACT_3D
    contacts, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    contacts.append(pin.RigidConstraintModel(contact, model, frame.parentJoint, frame.placement, pin.LOCAL))
    datas.append(contacts[0].createData())
    pin.initConstraintDynamics(model, data, contacts, datas)
    rng, hold = np.random.default_rng(0), {published.tip: kind}
    for q in robot.random(rng, 4):
        A = robot.constraint_jacobian(q, hold=hold)
        if np.linalg.cond(A) > 1e4:
            continue  # Pinocchio needs rows that do not depend on each other
        v, tau = rng.normal(size=(2, robot.nv))
        v -= np.linalg.pinv(A) @ (A @ v)
        settings = pin.ProximalSettings(1e-14, 1e-12, 50)
        theirs = pin.constraintDynamics(
            model, data, other.to_q(q), v[other.order], tau[other.order], contacts, datas, settings
        )
        expected = other.vector(theirs)
        found = robot.constrained_dynamics(q, v, tau, hold=hold).a
        assert np.abs(found - expected).max() < 1e-8 * (1.0 + np.abs(expected).max())


@pytest.mark.covers("CON-05", "CON-06")
@pytest.mark.parametrize("published", [p for p in ALL if p not in MASSLESS][1::5], ids=lambda p: p.name)
@pytest.mark.parametrize("kind", ["weld", "point"])
def test_derivatives_with_a_held_frame(published: Published, kind: str) -> None:
    """Without compiling: the algorithm runs on plain numbers.

    Theirs is the acceleration of the point, which changes with a velocity of the point in another way than the
    derivative of its components.
    """
    other = peer(published)
    robot, model = other.robot, other.model
    data = model.createData()  # theirs keeps what constraints leave in it, and other answers go wrong
    frame = model.frames[other.frame(published.tip)]
    contact = pin.ContactType.CONTACT_6D if kind == "weld" else pin.ContactType.CONTACT_3D
    contacts, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    contacts.append(pin.RigidConstraintModel(contact, model, frame.parentJoint, frame.placement, pin.LOCAL))
    datas.append(contacts[0].createData())
    pin.initConstraintDynamics(model, data, contacts, datas)
    directions = "weld" if kind == "weld" else ("acceleration x", "acceleration y", "acceleration z")
    rng, hold = np.random.default_rng(0), held_frames(robot.model, {published.tip: directions})
    q = robot.random(rng)
    A = np.array(robot.evaluate("constraint_jacobian", q.tolist(), hold=hold), float)
    if np.linalg.cond(A) > 1e4:
        pytest.skip("Pinocchio needs rows that do not depend on each other")
    v, tau = rng.normal(size=(2, robot.nv))
    v -= np.linalg.pinv(A) @ (A @ v)
    settings = pin.ProximalSettings(1e-14, 1e-12, 50)
    state = other.to_q(q), v[other.order], tau[other.order]
    pin.constraintDynamics(model, data, *state, contacts, datas, settings)
    pin.computeConstraintDynamicsDerivatives(model, data, contacts, datas, settings)
    ours = robot.evaluate("constrained_dynamics_derivatives", q.tolist(), v.tolist(), tau.tolist(), hold=hold)
    turned = [3, 4, 5, 0, 1, 2] if kind == "weld" else [0, 1, 2]
    accelerations = [(other.back, x) for x in (data.ddq_dq, data.ddq_dv, data.ddq_dtau)]
    forces = [(turned, x) for x in (data.dlambda_dq, data.dlambda_dv, data.dlambda_dtau)]
    for found, (rows, theirs) in zip(ours, accelerations + forces, strict=True):
        expected = theirs[rows][:, other.back]
        assert np.abs(np.array(found, float) - expected).max() < 1e-7 * (1.0 + np.abs(expected).max())
