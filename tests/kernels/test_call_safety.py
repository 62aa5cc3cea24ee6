"""Nothing that can change is remembered, nothing is skipped, and whatever was used travels to other processes."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError


@pytest.fixture
def panda() -> sv.Robot:
    return sv.load("panda")


@pytest.fixture(scope="module")
def state() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    return tuple(rng.normal(size=7) for _ in range(3))


def test_a_dictionary_of_wrenches_that_was_filled_since(panda, state) -> None:
    external: dict[str, np.ndarray] = {}
    free = panda.inverse_dynamics(*state, external=external)
    external["panda_link8"] = np.ones(6)
    loaded = panda.inverse_dynamics(*state, external=external)
    assert np.array_equal(loaded, sv.load("panda").inverse_dynamics(*state, external={"panda_link8": np.ones(6)}))
    assert not np.allclose(loaded, free)
    external.clear()
    assert np.array_equal(panda.inverse_dynamics(*state, external=external), free)


def test_a_list_of_prescribed_joints_that_was_changed_since(panda, state) -> None:
    prescribed = [0]
    for _ in range(2):
        panda.hybrid_dynamics(*state, state[0], prescribed=prescribed)
    prescribed[0] = 5
    found = panda.hybrid_dynamics(*state, state[0], prescribed=prescribed)
    expected = sv.load("panda").hybrid_dynamics(*state, state[0], prescribed=[5])
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_out_is_not_taken_for_an_input(panda, state) -> None:
    q = state[0]
    for _ in range(2):
        panda.pose(q, out=None, frame="panda_link8")
    with pytest.raises(TypeError, match="pose"):
        panda.pose(out=q, frame="panda_link8")


def test_the_model_of_a_robot_cannot_be_exchanged(panda) -> None:
    with pytest.raises(AttributeError):
        panda.model = sv.load("ur5e").model


@pytest.mark.parametrize("call", [
    lambda r, q: r.jacobian(q, "panda_link8", reference="wrld"),
    lambda r, q: r.jacobian(q, "panda_link9"),
    lambda r, q: r.forward_dynamics(q, q, q, passive="no"),
    lambda r, q: r.forward_dynamics(q, q, q, external={"tool": np.zeros(6)}),
    lambda r, q: r.rollout(q, q, np.zeros((3, 7)), 0.1, integrator="eular"),
    lambda r, q: r.rollout(q, q, np.zeros((3, 7)), 0.1, external={"tool": np.zeros(6)}),
])  # fmt: skip
def test_empty_batches_are_checked_like_others(panda, call) -> None:
    with pytest.raises(sv.SixvecError):
        call(panda, np.zeros((0, 7)))


@pytest.mark.parametrize("n", [0, -1, 1.5, True, 2**70, np.nan, "2", None, [1]])
def test_numbers_of_threads(n) -> None:
    before = sv.set_threads(2)
    with pytest.raises(ArgumentError, match="threads"):
        sv.set_threads(n)
    assert sv.set_threads(np.int64(before)) == 2


def test_a_used_robot_its_methods_kernels_and_results_pickle(panda, state) -> None:
    used = panda.inverse_dynamics_derivatives(*state)
    things = {
        "robot": panda,
        "method": panda.inverse_dynamics_derivatives,
        "alias": panda.rnea,
        "kernel": panda.kernel("pose", frame="panda_link8"),
        "derivative": panda.kernel("potential_energy").derivative("q"),
        "product": panda.kernel("kinetic_energy").hessian_product("v"),
        "gradient": panda.kernel("center_of_mass").gradient("q"),
        "loaded": panda.with_payload("panda_link8", panda.model.bodies[3].inertia),
        "result": used,
    }
    for copied in (pickle.loads(pickle.dumps(things)), copy.deepcopy(things), copy.copy(things)):
        assert np.array_equal(copied["robot"].gravity_forces(state[0]), panda.gravity_forces(state[0]))
        assert np.array_equal(copied["method"](*state).dq, used.dq)
        assert np.array_equal(copied["alias"](*state), panda.inverse_dynamics(*state))
        for name, inputs in (("kernel", 1), ("derivative", 1)):
            assert np.array_equal(copied[name](*state[:inputs]), things[name](*state[:inputs]))
        args = state[0], state[1], 1.0, state[2]
        assert np.array_equal(copied["product"](*args), things["product"](*args))
        loaded = copied["loaded"]
        assert np.array_equal(loaded.gravity_forces(state[0]), things["loaded"].gravity_forces(state[0]))
        assert not np.allclose(loaded.gravity_forces(state[0]), panda.gravity_forces(state[0]))
        assert type(copied["result"]) is type(used)
        assert np.array_equal(copied["result"].da, used.da)


@sv.compiled("x -> y z")
def twice(x):
    return 2 * x, 3 * x


def test_compiled_functions_pickle_by_name() -> None:
    assert pickle.loads(pickle.dumps(twice)) is twice

    @sv.compiled("x -> y")
    def local(x):
        return x

    with pytest.raises(TypeError, match="level"):
        pickle.dumps(local)


class TestCheckedInputs:
    @pytest.fixture(autouse=True)
    def _checked(self):
        before = sv.check_inputs(True)
        yield
        sv.check_inputs(before)

    def test_values_that_are_not_finite(self, panda, state) -> None:
        q, v, a = state
        panda.inverse_dynamics(q, v, a)
        for bad in (np.nan, np.inf):
            wrong = v.copy()
            wrong[3] = bad
            with pytest.raises(ArgumentError, match=named("inverse_dynamics", "v")):
                panda.inverse_dynamics(q, wrong, a)
            with pytest.raises(ArgumentError, match=named("v")):
                panda.kernel("inverse_dynamics")(q, np.array([v, wrong]), a)
            with pytest.raises(ArgumentError, match=named("inverse_dynamics", "external")):
                panda.inverse_dynamics(q, v, a, external={"panda_link8": [0, 0, 0, 0, 0, bad]})

    def test_quaternions_that_are_not_unit(self) -> None:
        robot = sv.load("solo12")
        q = robot.neutral()
        zeros = np.zeros(robot.nv)
        robot.forward_dynamics(q, zeros, zeros)
        batch = np.array([q, q])
        batch[1, 3:7] *= 1.01
        energy = robot.kernel("potential_energy").derivative("q")
        for single in (lambda: robot.mass_matrix(batch[1]), lambda: energy(batch[1])):
            with pytest.raises(ArgumentError, match="base_link"):
                single()
        for call in (
            lambda: robot.forward_dynamics(batch, zeros, zeros),
            lambda: robot.rollout(batch, zeros, np.zeros((2, robot.nv)), 0.1),
            lambda: robot.difference(q, batch),
        ):
            with pytest.raises(ArgumentError, match="base_link"):
                call()

    def test_the_switch_takes_truth_values_only(self) -> None:
        with pytest.raises(ArgumentError, match="check_inputs"):
            sv.check_inputs(1)

    def test_doors_open_again(self, panda, state) -> None:
        sv.check_inputs(False)
        panda.inverse_dynamics(*state)
        assert np.isnan(panda.inverse_dynamics(state[0] * np.nan, state[1], state[2])).all()
        sv.check_inputs(True)
        with pytest.raises(ArgumentError, match=named("inverse_dynamics", "q")):
            panda.inverse_dynamics(state[0] * np.nan, state[1], state[2])


def test_copies_of_calls_in_place_have_arrays_of_their_own(panda) -> None:
    q = panda.random(0, 10)
    own = panda.kernel("mass_matrix").in_place(10)
    expected = own(q).copy()
    for copied in (copy.deepcopy(own), pickle.loads(pickle.dumps(own))):
        assert np.array_equal(copied(q), expected)
        copied(q + 1.0)
        assert np.array_equal(own.result, expected)


def test_what_a_user_adds_to_a_robot_travels_with_it() -> None:
    class Mine(sv.Robot):
        pass

    robot = sv.load("planar_2r")
    robot.tag = "left"
    robot.mass_matrix(np.zeros(2))
    assert pickle.loads(pickle.dumps(robot)).tag == copy.copy(robot).tag == "left"
    mine = Mine(robot.model)
    mine.tag = "right"
    assert isinstance(copy.deepcopy(mine), Mine) and copy.deepcopy(mine).tag == "right"


def test_used_derivatives_of_functions_and_large_trees_travel_too() -> None:
    slope = twice.derivative("x")
    assert pickle.loads(pickle.dumps(slope))(1.0) == slope(1.0)
    tree = sv.large_trees.LargeTree.from_model(sv.load("planar_2r"))
    zeros = np.zeros(2)
    force = sv.large_trees.inverse_dynamics(tree, zeros, zeros, zeros)
    copied = pickle.loads(pickle.dumps(tree))
    assert np.array_equal(sv.large_trees.inverse_dynamics(copied, zeros, zeros, zeros), force)


class Sly(str):
    """Equal to every name."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("panda_link8")


def test_names_and_numbers_are_what_they_are(panda, state) -> None:
    q = state[0]
    last = panda.pose(q, "panda_link8")
    second = sv.load("panda").pose(q, "panda_link2")
    assert np.array_equal(panda.pose(q, Sly("panda_link2")), second)
    assert np.array_equal(panda.pose(q, "panda_link8"), last)
    panda.hybrid_dynamics(*state, q, prescribed=(0,))
    with pytest.raises(ArgumentError, match="prescribed"):
        panda.hybrid_dynamics(*state, q, prescribed=(0.0,))


def test_masked_entries_raise() -> None:
    robot = sv.load("planar_2r")
    q, hidden = np.zeros(2), np.ma.array([0.1, 0.2], mask=[False, True])
    calls = [
        lambda: robot.gravity_forces(hidden),
        lambda: robot.inverse_dynamics(q, q, hidden),
        lambda: robot.rollout(hidden, q, q, 0.1, steps=1),
        lambda: robot.ik(np.eye(4), robot.frame_names[-1], q0=hidden),
        lambda: robot.assemble(hidden),
    ]
    for call in calls:
        with pytest.raises(ArgumentError, match="masked"):
            call()
    robot.gravity_forces(q)  # the call stub expects this call now
    with pytest.raises(ArgumentError, match=named("gravity_forces", "q")):
        robot.gravity_forces(hidden)
    assert np.array_equal(robot.gravity_forces(np.ma.array(q)), robot.gravity_forces(q))
