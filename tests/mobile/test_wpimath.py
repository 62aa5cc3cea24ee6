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


def test_odometry_of_mecanum_and_swerve() -> None:
    start, dt = geometry.Pose2d(0.3, -0.2, 0.4), 0.05
    twists = RNG.normal(size=(30, 3))
    heading = 0.4 + np.cumsum(twists[:, 0]) * dt
    base, peer = sv.mobile.mecanum(L, W, R), kinematics.MecanumDriveKinematics(*CORNERS)
    rates = base.inverse_velocity(twists).rates
    path = base.odometry(rates, dt, [0.3, -0.2, 0.4])
    wheels = np.cumsum(rates * R * dt, axis=0)

    def mecanum_positions(p: Any) -> Any:
        found = kinematics.MecanumDriveWheelPositions()
        found.frontLeft, found.frontRight, found.rearLeft, found.rearRight = p
        return found

    odometry = kinematics.MecanumDriveOdometry(peer, start.rotation(), mecanum_positions(np.zeros(4)), start)
    for k in range(30):
        pose = odometry.update(geometry.Rotation2d(heading[k]), mecanum_positions(wheels[k]))
        assert np.allclose(path.pose[k], [pose.x, pose.y, heading[k]], atol=1e-9)

    base, peer = sv.mobile.swerve(L, W, R), kinematics.SwerveDrive4Kinematics(*CORNERS)
    motion = base.inverse_velocity(twists)
    path = base.odometry(motion.rates, dt, [0.3, -0.2, 0.4], steer=motion.steer)
    wheels = np.cumsum(motion.rates * R * dt, axis=0)

    def modules(p: Any, angles: Any) -> Any:
        return tuple(kinematics.SwerveModulePosition(d, geometry.Rotation2d(a)) for d, a in zip(p, angles, strict=True))

    still = modules(np.zeros(4), np.zeros(4))
    odometry = kinematics.SwerveDrive4Odometry(peer, start.rotation(), still, start)
    for k in range(30):
        pose = odometry.update(geometry.Rotation2d(heading[k]), modules(wheels[k], motion.steer[k]))
        assert np.allclose(path.pose[k], [pose.x, pose.y, heading[k]], atol=1e-9)
