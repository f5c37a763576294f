"""What the mission makes of acts that are refused for a moment: it tries them again."""

import pytest
from belief_walk import APPROACH, EXPLORE, Walk, walk
from builders import ORIGIN, accepted, ended, refusal, track

from semantic_nav.belief.transition import RETRY_WAIT_S
from semantic_nav.contracts.documents import RobotPose
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import ActOutcome, Code, Outcome, Source

MOMENTARY = (Code.NAV_UNAVAILABLE, Code.MAP_UNAVAILABLE, Code.SENSOR_UNAVAILABLE)


def stands_at(mission: Walk, pose: Pose2D = ORIGIN) -> None:
    mission.say(RobotPose(pose, True, 0.0, stands=True), goal='')


def refused(code: Code = Code.NAV_UNAVAILABLE, action: str = 'explore', **config: float) -> Walk:
    """Return a mission whose act was refused, while the robot stands."""
    mission = walk(**config)
    stands_at(mission)
    mission.saw(EXPLORE if action == 'explore' else APPROACH)
    mission.verdict(refusal(code, 'not now', action))
    return mission


@pytest.mark.parametrize('code', MOMENTARY)
@pytest.mark.parametrize('action', ['explore', 'approach'])
def test_act_that_is_refused_for_a_moment_is_tried_again_without_the_model(
        code: Code, action: str) -> None:
    mission = refused(code, action)
    asked = mission.act
    assert mission.new_steps == [] and mission.belief.next_action == 'wait, then try again'
    assert mission.belief.waits
    mission.tick(RETRY_WAIT_S - 0.1)
    assert mission.new_steps == []
    mission.tick(0.2)
    assert mission.act == asked and mission.belief.next_action == f'drive: {action}'
    assert not mission.belief.waits
    assert mission.belief.budgets.model_calls == 1


@pytest.mark.parametrize(('code', 'action'), [
    (Code.BLOCKED, 'explore'), (Code.BLOCKED, 'approach'), (Code.REPEATED_FAILURE, 'explore')])
def test_so_is_one_whose_way_is_blocked(code: Code, action: str) -> None:
    mission = refused(code, action)
    asked = mission.act
    mission.tick(mission.config.blocked_wait_s + 0.1)
    assert mission.act == asked


def test_so_is_one_that_the_navigator_did_not_take() -> None:
    mission = walk()
    stands_at(mission)
    mission.saw(EXPLORE)
    asked = mission.act
    mission.verdict(accepted('explore'))
    mission.verdict(ended(ActOutcome.UNAVAILABLE, 'explore'))
    mission.tick(RETRY_WAIT_S + 0.1)
    assert mission.act == asked


def test_so_is_one_towards_a_track() -> None:
    mission = walk()
    stands_at(mission)
    mission.saw(EXPLORE, track=track(4.0, 0.0))
    asked = mission.act
    assert asked.track_id is not None
    mission.verdict(refusal(Code.NAV_UNAVAILABLE))
    mission.tick(RETRY_WAIT_S + 0.1)
    assert mission.act == asked


def test_tries_come_at_longer_intervals_and_are_counted() -> None:
    mission, config = refused(waits_limit=4), walk().config
    for waits in (1, 2, 3):
        mission.tick(waits * RETRY_WAIT_S - 0.1)
        assert mission.new_steps == []
        mission.tick(0.2)
        assert mission.act
        mission.verdict(refusal(Code.NAV_UNAVAILABLE, 'not now', 'explore'))
    mission.tick(config.blocked_wait_s)
    assert mission.belief.outcome is Outcome.GAVE_UP


def test_picture_that_is_too_old_is_taken_anew() -> None:
    mission = refused()
    mission.tick(mission.config.stale_after_s - mission.config.start_within_s + 0.1)
    assert mission.look


def test_clock_that_was_set_back_makes_no_picture_fresh() -> None:
    mission = refused()
    mission.clock.jump(-60.0)
    mission.tick(RETRY_WAIT_S + 0.1)
    assert mission.look


@pytest.mark.parametrize('pose', [Pose2D(0.3, 0.0, 0.0), Pose2D(0.0, 0.0, 0.3)])
def test_robot_that_moved_looks_again(pose: Pose2D) -> None:
    mission = refused()
    stands_at(mission, pose)
    mission.tick(RETRY_WAIT_S + 0.1)
    assert mission.look


def test_robot_whose_pose_is_noisy_has_not_moved() -> None:
    mission = refused()
    stands_at(mission, Pose2D(0.03, -0.02, 0.02))
    mission.tick(RETRY_WAIT_S + 0.1)
    assert mission.act


def test_robot_that_was_nowhere_looks_again() -> None:
    mission = walk()
    mission.saw(EXPLORE)
    mission.verdict(refusal(Code.NAV_UNAVAILABLE, 'not now', 'explore'))
    mission.tick(RETRY_WAIT_S + 0.1)
    assert mission.look


def test_pose_that_was_lost_asks_for_a_look() -> None:
    mission = refused(Code.POSE_UNAVAILABLE)
    mission.tick(RETRY_WAIT_S + 0.1)
    assert mission.look


@pytest.mark.parametrize('gone', [True, False])
def test_part_that_was_started_anew_is_asked_nothing_of_before(gone: bool) -> None:
    mission = refused()
    if gone:
        mission.listeners('verifier')
        mission.listeners()
    else:
        mission.restarted('verifier')
    mission.tick(RETRY_WAIT_S + 0.1)
    assert mission.look


def test_model_that_was_silent_is_asked_again() -> None:
    mission = walk()
    stands_at(mission)
    mission.saw(EXPLORE, source=Source.FALLBACK)
    mission.verdict(refusal(Code.NAV_UNAVAILABLE, 'not now', 'explore'))
    mission.tick(RETRY_WAIT_S + 0.1)
    assert mission.look


def test_pause_ends_in_a_look() -> None:
    mission = refused()
    assert mission.pause() and mission.resume()
    assert mission.look
