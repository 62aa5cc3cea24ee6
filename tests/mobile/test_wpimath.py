"""Differential, mecanum and swerve kinematics against the library of a robotics competition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv

kinematics: Any = pytest.importorskip("wpimath.kinematics")
geometry: Any = pytest.importorskip("wpimath.geometry")

RNG = np.random.default_rng(3)
L, W, R = 0.6, 0.4, 0.05
CORNERS = [geometry.Translation2d(x * L / 2, y * W / 2) for x in (1, -1) for y in (1, -1)]


def speeds(twist: Any) -> Any:
    return kinematics.ChassisSpeeds(twist[1], twist[2], twist[0])


def as_twist(s: Any) -> list[float]:
    return [s.omega, s.vx, s.vy]


def test_differential_drive() -> None:
    peer, base = kinematics.DifferentialDriveKinematics(0.5), sv.mobile.differential_drive(0.5, 0.1)
    for v in RNG.normal(size=(20, 2)):
        found = peer.toChassisSpeeds(kinematics.DifferentialDriveWheelSpeeds(*v))
        assert np.allclose(base.forward_velocity(v / 0.1).twist, as_twist(found), rtol=0.0, atol=1e-14)
        back = peer.toWheelSpeeds(found)
        assert np.allclose(base.inverse_velocity(as_twist(found)).rates * 0.1, [back.left, back.right])


def test_mecanum() -> None:
    peer, base = kinematics.MecanumDriveKinematics(*CORNERS), sv.mobile.mecanum(L, W, R)
    for v in RNG.normal(size=(20, 4)):
        given = kinematics.MecanumDriveWheelSpeeds(*v)
        assert np.allclose(base.forward_velocity(v / R).twist, as_twist(peer.toChassisSpeeds(given)), atol=1e-13)
        twist = RNG.normal(size=3)
        s = peer.toWheelSpeeds(speeds(twist))
        assert np.allclose(base.inverse_velocity(twist).rates * R, [s.frontLeft, s.frontRight, s.rearLeft, s.rearRight])


def test_swerve() -> None:
    peer, base = kinematics.SwerveDrive4Kinematics(*CORNERS), sv.mobile.swerve(L, W, R)
    for v, angles in zip(RNG.normal(size=(20, 4)), RNG.uniform(-3.0, 3.0, (20, 4)), strict=True):
        states = [kinematics.SwerveModuleState(s, geometry.Rotation2d(a)) for s, a in zip(v, angles, strict=True)]
        found = as_twist(peer.toChassisSpeeds(states))
        assert np.allclose(base.forward_velocity(v / R, angles).twist, found, rtol=0.0, atol=1e-13)
        twist = RNG.normal(size=3)
        modules = peer.toSwerveModuleStates(speeds(twist))
        answer = base.inverse_velocity(twist)
        assert np.allclose(answer.rates * R, [m.speed for m in modules])
        assert np.allclose(answer.steer, [m.angle.radians() for m in modules])
