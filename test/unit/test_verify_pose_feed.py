"""Which poses reach the verifier's core, and so the journals."""

from dataclasses import replace

import pytest

from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.effects import WatchSurroundings
from semantic_nav.verify.events import PoseMissing, PoseResolved
from semantic_nav.verify.floor.pose_feed import PoseFeed

RESTING = WatchSurroundings(pose_kept_back_s=60.0)
AT = Pose2D(1.0, 2.0, 3.14)


def at(second: float, pose: Pose2D = AT, age_s: float = 0.1) -> tuple[PoseResolved, Now]:
    now_ns = round((1000 + second) * NS_PER_S)
    stamp_ns = now_ns - round(age_s * NS_PER_S)
    return (PoseResolved(stamp_ns, Transform.from_pose(pose), Transform.identity()),
            Now(now_ns, now_ns, now_ns))


def fed(*poses: tuple[PoseResolved | PoseMissing, Now],
        watched: WatchSurroundings = RESTING) -> list[bool]:
    feed = PoseFeed(pose_max_age_s=1.0)
    return [feed.is_news(event, watched, now) for event, now in poses]


def test_a_robot_that_rests_is_told_once_a_minute() -> None:
    told = fed(*(at(second) for second in range(181)))
    assert [second for second, one in enumerate(told) if one] == [0, 60, 120, 180]


def test_everything_is_told_where_the_core_wants_it() -> None:
    assert all(fed(*(at(0.2 * count) for count in range(50)), watched=WatchSurroundings()))


@pytest.mark.parametrize('pose', [
    replace(AT, x=1.02), replace(AT, y=1.98), replace(AT, yaw=3.16), replace(AT, yaw=-3.11)])
def test_one_that_moves_is_told_at_once(pose: Pose2D) -> None:
    assert fed(at(0), at(1, pose), at(2, pose)) == [True, True, False]


def test_one_that_creeps_is_told_in_the_end() -> None:
    assert fed(*(at(second, replace(AT, x=1.0 + 0.004 * second)) for second in range(7))) == [
        True, False, False, True, False, False, True]


def test_the_same_heading_on_the_other_side_of_the_turn_is_no_news() -> None:
    assert fed(at(0, replace(AT, yaw=3.141)), at(1, replace(AT, yaw=-3.141))) == [True, False]


def test_a_pose_that_grows_old_is_told_once_and_again_when_it_is_fresh() -> None:
    """A localisation that died leaves its last pose in TF."""
    assert fed(at(0), at(1, age_s=1.1), at(2, age_s=2.1), at(3)) == [True, True, False, True]


def test_a_pose_that_is_missing_is_told_once() -> None:
    missing = [(PoseMissing(f'none at {second}'), at(second)[1]) for second in (1, 2, 3)]
    assert fed(at(0), *missing, at(4)) == [True, True, False, False, True]


def test_a_clock_that_was_set_back_is_told() -> None:
    _, now = at(2)
    back, _ = at(-5)
    assert fed(at(0), (back, replace(now, clock_ns=back.stamp_ns))) == [True, True]
