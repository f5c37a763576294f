"""Whether the robot stands, by the stamps of its poses and when they were seen."""

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.verify.standstill import Standstill

HERE, THERE = Pose2D(1.0, 2.0, 0.0), Pose2D(1.5, 2.0, 0.0)


def stands_after(*seen: tuple[float, Pose2D | None], every_s: float = 0.5) -> bool:
    """Return what half a second of standstill makes of poses at their stamps, in s."""
    watch = Standstill(0.5)
    for index, (stamp_s, pose) in enumerate(seen):
        watch.see(pose, nanoseconds(stamp_s), nanoseconds(index * every_s))
    return watch.stands


def test_robot_stands_that_kept_its_pose_for_long_enough() -> None:
    assert stands_after((100.0, HERE), (100.5, HERE))
    assert not stands_after((100.0, HERE), (100.4, HERE))


def test_robot_that_moves_or_is_lost_does_not_stand() -> None:
    assert not stands_after((100.0, HERE), (100.5, THERE))
    assert not stands_after((100.0, HERE), (100.5, None))
    assert not stands_after((100.0, HERE), (100.0, HERE))


def test_standstill_begins_anew_where_the_stamps_jump_back() -> None:
    before = (100.0, HERE), (101.0, HERE)
    assert not stands_after(*before, (3.0, HERE))
    assert not stands_after(*before, (3.0, HERE), (3.4, HERE))
    assert stands_after(*before, (3.0, HERE), (3.5, HERE))


def test_stamps_that_jump_ahead_are_no_standstill() -> None:
    assert not stands_after((100.0, HERE), (106.0, HERE), every_s=0.1)
    assert stands_after(*[(100.0 + index, HERE) for index in range(6)], every_s=0.1)
