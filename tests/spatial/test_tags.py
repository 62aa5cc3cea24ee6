"""Tags catch what does not belong together and leave nothing in compiled code."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from body_samples import array, close, random_motions, same
from naming import named
from sixvec.errors import FrameError
from sixvec.spatial import AccelerationField, Force, Motion, Pose, Vec3
from sixvec.spatial.tagged import Tagged, TaggedPose

V = Motion.of([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
F = Force.of([0.3, 0.1, -0.2, 1.0, 2.0, -1.0])
X = Pose.exp(Motion.of([0.1, -0.4, 0.3, 1.0, 2.0, 3.0]))
X_WB = TaggedPose(X, "W", "B")


@pytest.mark.covers("BODY-06", "BODY-07")
def test_equal_tags_compute() -> None:
    a, b = Tagged(V, "W", "W"), Tagged(V * 2.0, "W", "W")
    assert (a + b).value == V * 3.0
    assert (b - a).value == V
    assert (-a).value == -V and (a * 2.0) == b and (2.0 * a) == b
    assert (a + b).axes == "W" and (a + b).point == "W"
    assert a.dot(Tagged(F, "W", "W")) == V.dot(F)
    assert a.cross(Tagged(F, "W", "W")).value == V.cross(F)
    assert list(a) == list(V)


@pytest.mark.covers("BODY-06", "BODY-07")
@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Tagged(V, "B", "W"), r"Motion\[axes W, point W\] and Motion\[axes B, point W\]"),
        (Tagged(V, "W", "B"), r"Motion\[axes W, point W\] and Motion\[axes W, point B\]"),
        (Tagged(F, "W", "W"), r"Motion\[axes W, point W\] and Force\[axes W, point W\]: they are of different kinds"),
        (V, r"Motion\[axes W, point W\] and an untagged Motion"),
    ],
)
def test_unequal_tags_raise_and_are_named(other: object, message: str) -> None:
    a = Tagged(V, "W", "W")
    with pytest.raises(FrameError, match="cannot add " + message):
        a + other
    with pytest.raises(FrameError, match="cannot subtract " + message):
        a - other


@pytest.mark.covers("BODY-12")
def test_power_needs_one_reference_point() -> None:
    with pytest.raises(FrameError, match=named("Motion[axes W, point W]", "Force[axes W, point B]")):
        Tagged(V, "W", "W").dot(Tagged(F, "W", "B"))


@pytest.mark.covers("BODY-01")
def test_letters_cancel() -> None:
    X_BC = TaggedPose(X.inv(), "B", "C")
    X_WC = X_WB @ X_BC
    assert (X_WC.target, X_WC.source) == ("W", "C")
    close(np.array(X_WC.pose.as_matrix()), np.eye(4))
    with pytest.raises(FrameError, match=named("Pose[of C in B]", "C", "Pose[of B in W]")):
        X_BC @ X_WB
    assert X_WB.inv().target == "B"


@pytest.mark.covers("BODY-06", "BODY-07", "Bruyninckx (4.12)", "Bruyninckx (4.14)", "Bruyninckx (4.16)-(4.17)")
def test_a_tagged_twist_takes_all_three_kinds() -> None:
    body = Tagged(V, "B", "B")
    screw = X_WB @ body
    assert (screw.axes, screw.point) == ("W", "W")
    same(screw.value, X @ V)
    pose_twist = body.in_axes(X_WB)
    assert (pose_twist.axes, pose_twist.point) == ("W", "B")
    same(pose_twist.value, Motion(X.rot @ V.ang, X.rot @ V.lin))
    again = screw.at_point("B", Tagged(X.pos, "W"))
    assert (again.axes, again.point) == ("W", "B")
    same(again.value, pose_twist.value)
    with pytest.raises(FrameError, match=named("B")):
        X_WB @ pose_twist
    with pytest.raises(FrameError, match="axes"):
        screw.at_point("B", Tagged(X.pos, "B"))
    with pytest.raises(FrameError, match="axes"):
        screw.in_axes(X_WB)
    with pytest.raises(FrameError, match="Motion"):
        X_WB @ V


@pytest.mark.covers("BODY-07")
def test_free_vectors_only_turn() -> None:
    v = X_WB @ Tagged(Vec3(1.0, 2.0, 3.0), "B")
    assert v.axes == "W" and v.point is None
    same(v.value, X.rot @ Vec3(1.0, 2.0, 3.0))


@pytest.mark.covers("BODY-06")
def test_tags_cost_nothing_in_compiled_code() -> None:
    def plain(x: list, v: list, f: list) -> list:
        X, V, F = Pose.exp(Motion.of(x)), Motion.of(v), Force.of(f)
        return [(X @ V + V).dot(F), *(X @ V)]

    def tagged(x: list, v: list, f: list) -> list:
        X_AB = TaggedPose(Pose.exp(Motion.of(x)), "A", "B")
        moved = X_AB @ Tagged(Motion.of(v), "B", "B")
        return [(moved + Tagged(Motion.of(v), "A", "A")).dot(Tagged(Force.of(f), "A", "A")), *moved]

    spec = "x[6] v[6] f[6] -> out[7]"
    without, with_tags = sixvec.compiled(spec)(plain), sixvec.compiled(spec)(tagged)
    assert with_tags.program.count() == without.program.count()
    rows = random_motions(2, 9).reshape(3, 3, 6)
    assert (with_tags(*rows) == without(*rows)).all()
    close(without(rows[0, 0], rows[1, 0], rows[2, 0]), np.array(plain(*rows[:, 0].tolist())))
    close(array(Tagged(V, "W", "W")), array(V))


def test_fields_of_accelerations_are_those_of_moving_points() -> None:
    """A carrier with ω, α and a, and on it a motion with vJ and aJ: Coriolis' acceleration is 2 ω × vJ."""
    w, al, a, r = (np.array(x) for x in ([0.3, -0.5, 0.7], [1.1, 0.2, -0.4], [2.0, 3.0, -1.0], [0.4, 0.6, -0.9]))
    field = AccelerationField(*(Vec3.of(x.tolist()) for x in (w, al, a)))
    close(array(field.at(Vec3.of(r.tolist()))), a + np.cross(al, r) + np.cross(w, np.cross(w, r)))
    s, u, ds, du = (np.array(x) for x in ([0.2, 0.9, -0.3], [1.0, -2.0, 0.5], [0.6, 0.1, 0.8], [-0.7, 0.4, 0.3]))
    moving = field.then(Motion.of([*s, *u]), Motion.of([*ds, *du]))
    close(array(moving.ang_velocity), w + s)
    close(array(moving.ang), al + ds + np.cross(w, s))
    close(array(moving.lin), a + du + np.cross(s, u) + 2.0 * np.cross(w, u))
    close(array(field.rate(Vec3.of(u.tolist())).lin), a - np.cross(w, u))
    same(AccelerationField.from_motion(V, field.rate(V.lin)).ang, field.ang)
    assert np.array(field.as_matrix())[3].tolist() == [0.0] * 4 == np.array(field.pose_second_rate(X))[3].tolist()
    still = AccelerationField.at_rest(Vec3(1.0, 2.0, 3.0))
    assert still.at(Vec3(7.0, 8.0, 9.0)) == Vec3(1.0, 2.0, 3.0)
