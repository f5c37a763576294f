"""A localisation that comes back from an error in small steps is doubted like one that jumps."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from builders import Clock, canonical
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples
from test_verify_jumps import approaching, is_healthy, results_of, wait
from verifier_rig import VerifierRig

from semantic_nav.contracts.core import Output
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.vocabulary import ActOutcome, Code
from semantic_nav.verify.effects import CancelNav
from semantic_nav.verify.events import PoseResolved
from semantic_nav.verify.floor.localisation import Localisation, Shift

#: What AMCL had come back by after a robot was carried, at most so far a step, in metres.
ERROR_M, STEP_M = 0.62, 0.09
SPEED_M_S = 0.26


def shifts(believed: Iterator[tuple[float, Pose2D]], odometry: float = 1.0) -> Iterator[Shift]:
    """Yield how far the localisation moves a robot that drives ahead.

    Args:
        believed: the seconds from pose to pose, and how far off each is believed to be.
        odometry: what it tells of each metre.
    """
    robot, clock, way_m = Localisation(), Clock(), 0.0
    for step_s, off in believed:
        clock.advance(step_s)
        way_m += SPEED_M_S * step_s
        map_T_base = Transform.from_pose(Pose2D(way_m + off.x, off.y, off.yaw))
        odom_T_base = Transform.from_pose(Pose2D(way_m * odometry, 0.0, 0.0))
        event = PoseResolved(clock.now.clock_ns, map_T_base, map_T_base @ odom_T_base.inverse())
        doubted = robot.is_doubted(clock.now, 15.0)
        shift = robot.shift_by(event, doubted=doubted)
        robot = robot.after(event, shift, clock.now, doubted=doubted)
        yield shift


def steps_back(sizes_m: list[float], rate_hz: int) -> Iterator[tuple[float, Pose2D]]:
    """Yield a robot that is off, and comes back step by step within 10 s."""
    left_m = sum(sizes_m)
    rate_hz = max(rate_hz, math.ceil(len(sizes_m) / 9.0))
    for _ in range(5 * rate_hz):
        yield 1 / rate_hz, Pose2D(0.0, left_m, 0.0)
    for size_m in sizes_m:
        left_m -= size_m
        for _ in range(int(9.0 / len(sizes_m) * rate_hz)):
            yield 1 / rate_hz, Pose2D(0.0, left_m, 0.0)


def amcl(seed: int, updates: int) -> Iterator[tuple[float, Pose2D]]:
    """Yield the errors of AMCL: median 0.076, 90 % 0.142 and largest 0.20 m, yaw 0.055 rad."""
    rng = np.random.default_rng(seed)
    for _ in range(updates):
        away_m = min(0.20, 0.066 * math.sqrt(-2.0 * math.log(1.0 - rng.random())))
        direction = rng.uniform(-math.pi, math.pi)
        yield 1.0, Pose2D(away_m * math.cos(direction), away_m * math.sin(direction),
                          float(np.clip(rng.normal(0.0, 0.033), -0.167, 0.167)))


@given(sizes_m=st.lists(st.floats(0.03, STEP_M), min_size=7, max_size=20).filter(
           lambda sizes_m: sum(sizes_m) >= ERROR_M),
       rate_hz=st.integers(1, 20))
@settings(max_examples=examples(40), deadline=None)
def test_steps_that_add_up_are_a_jump_at_any_rate_of_poses(
        sizes_m: list[float], rate_hz: int) -> None:
    alarms = [one for one in shifts(steps_back(sizes_m, rate_hz)) if one.is_jump]
    assert alarms and 'crept by 0.' in alarms[0].words


@pytest.mark.parametrize('odometry', [0.97, 0.99, 1.0, 1.01, 1.03])
def test_errors_of_a_healthy_amcl_are_none(odometry: float) -> None:
    found = list(shifts(amcl(3, 10_000), odometry))
    assert max(one.by_m for one in found) > 0.2, 'it errs'
    assert not any(one.is_jump for one in found)


def test_corrections_of_slam_are_none() -> None:
    """slam_toolbox corrected 278 times in 52 m, by 3.2 cm at most."""
    rng = np.random.default_rng(5)
    off_m = np.clip(np.cumsum(rng.uniform(-0.032, 0.032, (2000, 2)), axis=0), -0.1, 0.1)
    found = shifts((0.7, Pose2D(float(x), float(y), 0.0)) for x, y in off_m)
    assert not any(one.is_jump for one in found)


def creep(rig: VerifierRig, steps: int = 7, speed_m_s: float = 0.0) -> list[Output]:
    """Let the localisation come back by some of seven steps; returns what followed."""
    followed: list[Output] = []
    for _ in range(steps):
        off = Transform.from_pose(Pose2D(0.0, ERROR_M / 7, 0.0))
        rig.map_T_odom = off @ rig.map_T_odom
        rig.pose = (off @ Transform.from_pose(rig.pose)).pose()
        for _ in range(6):
            followed += rig.drive(replace(rig.pose, x=rig.pose.x + 0.2 * speed_m_s), 0.2)
    return followed


def test_drive_is_cut_and_nothing_is_placed_while_it_is_doubted() -> None:
    rig = approaching()
    goal_id = rig.sent_id
    cancelled = [one.nav_goal_id for one in creep(rig, speed_m_s=0.1)
                 if isinstance(one, CancelNav)]
    assert cancelled[0] == goal_id and not is_healthy(rig, 0.4)
    _, observed = rig.see_mug()
    assert observed.pose is None and 'crept by 0.53 m within 10 s' in observed.ungrounded_reason
    rig.finish('canceled')
    (result,) = results_of(wait(rig, 18.0))
    assert (result.outcome, result.code) == (ActOutcome.UNAVAILABLE, Code.POSE_UNAVAILABLE)
    assert 'crept by 0.53 m' in result.reason and is_healthy(rig, 1.0)


def test_what_was_placed_meanwhile_moves_along() -> None:
    rig = VerifierRig()
    creep(rig, 2)
    _, observed = rig.see_mug()
    x, y, _ = observed.track.position
    creep(rig, 5)
    _, after = rig.see(canonical('explore'))
    assert after.held.position[:2] == pytest.approx((x, y + 5 / 7 * ERROR_M), abs=0.01)


def test_what_was_placed_before_stays_in_the_map() -> None:
    rig = VerifierRig()
    _, observed = rig.see_mug()
    rig.map_T_odom = Transform.from_pose(Pose2D(0.0, 0.1, 0.0)) @ rig.map_T_odom
    wait(rig, 30.0)
    creep(rig)
    _, after = rig.see(canonical('explore'))
    assert after.held.position == pytest.approx(observed.track.position)
