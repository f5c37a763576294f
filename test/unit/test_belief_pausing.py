"""A mission that is paused: the robot stands, nothing is used up, and it goes on with a look."""

from collections.abc import Callable
from typing import Any

import pytest
from belief_walk import APPROACH, ASK, Walk, stands_otherwise, walk
from builders import ORIGIN, accepted, candidate, ended, track

from semantic_nav.belief.events import SwitchedOff
from semantic_nav.contracts.documents import RobotPose
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import ActOutcome, Outcome, Phase, Status, StepKind

FAR, NEAR = track(4.0, 0.0), track(0.9, 0.0)
STANDING = RobotPose(ORIGIN, True, 0.0, stands=True)
HOUR_S = 3600.0


def driving(**config: float) -> Walk:
    """Return a mission whose robot drives, and does not stand as soon as it is told."""
    mission = walk(**config)
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())
    mission.stands = False
    return mission


def looking() -> Walk:
    return walk()


def waiting() -> Walk:
    mission = walk()
    mission.no_picture()
    return mission


def asking() -> Walk:
    mission = walk()
    mission.saw(ASK)
    return mission


def kinds(mission: Walk) -> list[StepKind]:
    return [step.kind for step in mission.new_steps]


def test_pause_in_a_drive_stops_the_robot_until_it_stands() -> None:
    mission = driving()
    assert mission.pause()
    stop = mission.step
    assert mission.stopped and (mission.belief.phase, mission.belief.stands) == (
        Phase.PAUSED, False)
    said = 0
    for _ in range(12):
        mission.tick(0.25)
        said += len(mission.new_steps)
    assert said == 3 and mission.step.body == stop.body and mission.step.id != stop.id
    mission.comes_to_rest()
    assert (mission.belief.phase, mission.belief.stands) == (Phase.PAUSED, True)
    assert mission.belief.reason == 'its pause was asked for; the robot stands'
    mission.tick(HOUR_S)
    assert mission.out == []


@pytest.mark.parametrize('pose', ['before', 'of another stop', 'that moves'])
def test_only_a_standstill_after_this_stop_is_told(pose: str) -> None:
    mission = driving()
    before = mission.step.id
    mission.pause()
    stands_otherwise(mission, pose, before)
    assert mission.belief.stands is False
    mission.tick(1.0)
    assert kinds(mission) == [StepKind.STOP]


@pytest.mark.parametrize('start', [looking, waiting, driving])
def test_mission_that_is_resumed_goes_on_with_a_look(start: Callable[[], Walk]) -> None:
    mission = start()
    mission.pause()
    mission.comes_to_rest()
    mission.tick(HOUR_S)
    assert mission.belief.phase is Phase.PAUSED
    assert mission.resume()
    assert kinds(mission) == [StepKind.LOOK] and not mission.look.confirm
    assert mission.belief.phase is Phase.LOOKING and mission.belief.stands is None


def test_resume_does_not_wait_for_the_standstill() -> None:
    mission = driving()
    mission.pause()
    assert mission.resume() and kinds(mission) == [StepKind.LOOK]


@pytest.mark.parametrize('begun', [False, True])
def test_last_look_stays_the_last(begun: bool) -> None:
    mission = walk()
    mission.saw(APPROACH, track=NEAR)
    mission.verdict(accepted())
    mission.verdict(ended())
    assert mission.look.confirm
    if not begun:
        mission.no_picture()
    mission.pause()
    mission.resume()
    assert mission.look.confirm


def test_question_waits_on_with_the_time_that_was_left() -> None:
    mission = asking()
    question = mission.belief.question
    mission.tick(100.0)
    mission.pause()
    assert mission.belief.question == ''
    mission.tick(HOUR_S)
    mission.resume()
    assert (mission.belief.phase, mission.belief.question) == (Phase.ASKING, question)
    assert mission.new_steps == []
    mission.tick(79.0)
    assert mission.belief.phase is Phase.ASKING
    mission.tick(2.0)
    assert mission.look


@pytest.mark.parametrize('stop', [Walk.pause, Walk.hold])
def test_answer_that_comes_in_a_pause_is_kept_for_its_end(stop: Callable[[Walk], Any]) -> None:
    mission = asking()
    stop(mission)
    mission.answer('\x00')
    assert mission.belief.reason.endswith(
        'the answer was refused: the text holds the control character U+0000')
    mission.answer('the big one')
    assert mission.belief.phase is Phase.PAUSED and mission.dropped == 0
    assert mission.belief.goal_text == 'find the red mug (the big one)'
    assert mission.belief.reason.endswith('; the operator answered')
    assert mission.kept is not None and mission.kept.question == ''
    mission.answer('the small one')
    assert mission.dropped == 1, 'it was answered already'
    mission.let_go() if mission.held else mission.resume()
    assert mission.look and mission.belief.goal_text == 'find the red mug (the big one)'


def test_answer_in_a_pause_without_a_question_comes_too_late() -> None:
    mission = walk()
    mission.pause()
    mission.answer('the big one')
    assert mission.out == [] and mission.dropped == 1


def test_no_time_passes_in_a_pause() -> None:
    mission = walk(time_limit_s=60.0)
    mission.tick(20.0)
    mission.pause()
    assert mission.belief.budgets.time_s == 20.0
    mission.tick(HOUR_S)
    mission.remembers(candidate('a', score=0.9))
    assert mission.belief.status is Status.LIKELY_IN_MEMORY
    assert mission.belief.budgets.time_s == 20.0
    mission.resume()
    mission.tick(39.0)
    assert mission.belief.outcome is None
    mission.tick(2.0)
    assert mission.belief.outcome is Outcome.GAVE_UP


@pytest.mark.parametrize('end', ['cancel', 'goal', 'switched off'])
def test_time_of_a_pause_that_ends_the_mission_is_not_counted(end: str) -> None:
    mission = walk()
    old = mission.goal_id
    mission.tick(20.0)
    mission.pause()
    mission.tick(HOUR_S)
    if end == 'cancel':
        mission.cancel()
    elif end == 'goal':
        mission.goal('find a chair')
    else:
        mission.hear(SwitchedOff())
    (over,) = [one.body for one in mission.beliefs
               if one.goal_id == old and one.body.outcome is not None]
    assert over.outcome is Outcome.CANCELLED
    assert over.budgets.time_s == 20.0
    if end == 'goal':
        assert mission.look and mission.belief.goal_text == 'find a chair'


def test_robot_that_is_pushed_in_a_pause_has_driven_no_way() -> None:
    mission = driving()
    mission.drives_to(0.0, 0.0)
    mission.drives_to(1.0, 0.0)
    mission.pause()
    mission.drives_to(1.5, 0.0)
    mission.drives_to(3.0, 0.0)
    mission.resume()
    mission.drives_to(3.5, 0.0)
    mission.cancel()
    assert mission.belief.budgets.distance_m == 1.5


def test_pose_that_is_not_to_be_trusted_is_no_way_driven() -> None:
    mission = driving()
    mission.drives_to(0.0, 0.0)
    mission.say(RobotPose(Pose2D(1.0, 0.0, 0.0), False, 0.0), goal='')
    mission.drives_to(1.5, 0.0)
    mission.cancel()
    assert mission.belief.budgets.distance_m == 0.5


def test_what_the_step_before_led_to_is_dropped() -> None:
    mission = driving()
    act = mission.step.id
    mission.pause()
    mission.say(ended(ActOutcome.CANCELLED), cause=act)
    assert mission.out == [] and mission.dropped == 1
    assert mission.belief.budgets.refusals == 0


def test_whoever_was_started_anew_is_told_to_stop_again() -> None:
    mission = driving()
    mission.pause()
    mission.comes_to_rest()
    mission.restarted('verifier')
    assert mission.belief.stands is False
    mission.tick(0.25)
    assert kinds(mission) == [StepKind.STOP]
    mission.comes_to_rest()
    assert mission.belief.stands and mission.belief.phase is Phase.PAUSED


def test_mission_that_is_resumed_waits_for_who_is_missing() -> None:
    mission = driving()
    mission.pause()
    mission.listeners('verifier')
    assert mission.belief.phase is Phase.PAUSED
    mission.resume()
    assert mission.new_steps == [] and 'verifier' in mission.belief.reason


def test_bad_goal_leaves_a_pause_alone() -> None:
    mission = driving()
    mission.pause()
    mission.goal('')
    assert mission.new_steps == [] and mission.belief.phase is Phase.PAUSED


@pytest.mark.parametrize(('what', 'state', 'message'), [
    ('pause', 'no mission', 'there is no mission'),
    ('resume', 'no mission', 'there is no mission'),
    ('pause', 'over', 'there is no mission'),
    ('pause', 'stopping', 'the mission is about to end'),
    ('resume', 'stopping', 'the mission is about to end'),
    ('pause', 'paused', 'it is paused already'),
    ('resume', 'driving', 'it is not paused')])
def test_request_that_means_nothing_now_is_refused_with_the_reason(
        what: str, state: str, message: str) -> None:
    mission = Walk() if state == 'no mission' else driving()
    if state in ('over', 'stopping'):
        mission.cancel()
    if state == 'over':
        mission.comes_to_rest()
    elif state == 'paused':
        mission.pause()
    assert not (mission.pause() if what == 'pause' else mission.resume())
    assert mission.answer_to is not None and mission.answer_to.message == message
    assert mission.out == [] and mission.dropped == 0


def test_requests_that_are_taken_are_answered_so() -> None:
    mission = driving()
    for request in (mission.pause, mission.resume, mission.cancel):
        request()
        assert mission.answer_to is not None
        assert (mission.answer_to.accepted, mission.answer_to.message) == (True, 'accepted')


def test_each_pause_has_a_stop_of_its_own() -> None:
    mission = driving()
    mission.pause()
    stop = mission.step
    mission.resume()
    mission.pause()
    assert mission.step.id != stop.id
    mission.say(STANDING, cause=stop.id)
    assert mission.belief.stands is False, 'it may have set out since'
    mission.say(RobotPose(Pose2D(1.0, 0.0, 0.0), True, 0.0, stands=True), cause=mission.step.id)
    assert mission.belief.stands


# Held by a pause topic

@pytest.mark.parametrize('start', [looking, waiting, driving])
def test_mission_rests_while_the_robot_is_held_and_goes_on_by_itself(
        start: Callable[[], Walk]) -> None:
    mission = start()
    mission.stands = False
    mission.hold('why')
    assert mission.stopped and mission.belief.phase is Phase.PAUSED
    assert mission.belief.reason == 'why'
    mission.comes_to_rest()
    assert mission.belief.reason == 'why; the robot stands'
    mission.tick(HOUR_S)
    assert mission.out == []
    mission.let_go()
    assert kinds(mission) == [StepKind.LOOK] and mission.belief.phase is Phase.LOOKING
    assert mission.belief.budgets.time_s < 60.0


def test_pause_that_was_asked_for_outlasts_a_hold() -> None:
    mission = driving()
    mission.hold('why')
    assert mission.pause() and mission.new_steps == []
    assert mission.belief.reason == 'its pause was asked for; why'
    assert mission.belief.pause_requested
    mission.let_go()
    assert mission.belief.phase is Phase.PAUSED and mission.belief.pause_requested
    assert mission.belief.reason == 'its pause was asked for'
    assert mission.resume() and mission.look


def test_resumed_mission_waits_until_the_robot_is_let_go() -> None:
    mission = driving()
    mission.pause()
    mission.hold('why')
    assert mission.resume() and mission.new_steps == []
    assert (mission.belief.phase, mission.belief.reason) == (Phase.PAUSED, 'why')
    assert not mission.belief.pause_requested
    assert not mission.resume()
    assert mission.answer_to is not None
    assert mission.answer_to.message == 'it is not paused, but held: why'
    mission.let_go()
    assert mission.look


def test_goal_that_comes_while_the_robot_is_held_rests_at_once() -> None:
    mission = driving()
    mission.hold()
    mission.comes_to_rest()
    mission.goal('find a chair')
    mission.comes_to_rest()
    mission.hold()
    assert (mission.belief.goal_text, mission.belief.phase) == ('find a chair', Phase.PAUSED)
