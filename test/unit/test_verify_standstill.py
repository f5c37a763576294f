"""Whether the robot stands, by the stamps of its poses and when they were seen."""

from builders import Clock

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.driving.halt import Halt
from semantic_nav.verify.driving.standstill import Standstill
from semantic_nav.verify.floor.localisation import Localisation

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


def test_robot_that_moved_before_a_moment_has_not_moved_since() -> None:
    watch = Standstill(0.5)
    watch.see(HERE, nanoseconds(100.0), 0)
    watch.see(THERE, nanoseconds(100.1), nanoseconds(0.1))
    assert watch.moved
    watch.begin(THERE, nanoseconds(100.2), nanoseconds(0.2))
    assert not watch.moved
    watch.see(HERE, nanoseconds(100.3), nanoseconds(0.3))
    assert watch.moved


def test_robot_that_nobody_can_locate_is_watched_for_a_while() -> None:
    """Its pose may come yet, and tell that it moves."""
    halt, clock, nowhere = Halt(VerifierConfig(settle_max_s=4.0)), Clock(), Localisation()
    halt.watch(nowhere, clock.now)
    clock.advance(3.9)
    assert not halt.rests(clock.now)
    clock.advance(0.2)
    assert halt.rests(clock.now)
