"""The table of the eight states of the operator page, row by row."""

from dataclasses import replace
from typing import Any

import pytest

from semantic_nav.contracts.documents import Belief, Budgets, Decision, Result, RobotPose
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import ActOutcome, Code, Outcome, Phase, Status
from semantic_nav.operator.standing import TABLE, Command, Facts, State, judge

POSE = RobotPose(Pose2D(0.0, 0.0, 0.0), True, 0.0, stands=True)
OPEN = Belief('find the mug', Status.SEARCHING, Phase.DRIVING, None, 'to a view of 3 m²', (), '',
              '', 'drive: explore', Budgets(1.0, 900.0, 0, 120, 0.0, 300.0, 0, 20))
WAITS = {'phase': Phase.LOOKING, 'waits': True, 'reason': 'it is barred'}
PAUSED = replace(OPEN, phase=Phase.PAUSED, pause_requested=True)
HELD = replace(OPEN, phase=Phase.PAUSED)
BY_SOMEBODY = replace(POSE, held='the pause topic')
REFUSED = Decision(Code.COLLISION_DETECTED, 'a chair stands there')
BACKS = Decision(Code.OK, 'back 0.4 m', '0' * 32, back_up_m=0.4)
ABORTED = Result(ActOutcome.ABORTED, 'it got stuck')


def over(outcome: Outcome, **changes: Any) -> Belief:
    return replace(OPEN, phase=Phase.FINISHED, outcome=outcome, next_action='', **changes)


def facts(belief: Belief | None = OPEN, **changes: Any) -> Facts:
    return Facts(**{'belief': belief, 'pose': POSE, **changes})


#: Facts, the state, what its reason says, and a deed that is permitted; or, with -, one that is
#: not.
ROWS = [
    (facts(None), State.READY, 'no goal was said yet', 'goal'),
    (facts(None), State.READY, '', '-cancel'),
    (facts(over(Outcome.ARRIVED)), State.READY, 'arrived', 'goal'),
    (facts(over(Outcome.NOT_HERE)), State.READY, 'not here', '-pause'),
    (facts(over(Outcome.TOURED)), State.READY, 'looked everywhere', 'tour'),
    (facts(over(Outcome.CANCELLED, stands=False)), State.NEEDS_ASSISTANCE, 'not known to stand',
     'cancel'),
    (facts(over(Outcome.CANCELLED, stands=True)), State.READY, 'cancelled', 'goal'),
    (facts(), State.EXECUTING, 'drive: explore; to a view of 3 m²', 'pause'),
    (facts(replace(OPEN, phase=Phase.LOOKING, next_action='look')), State.EXECUTING, 'look',
     'cancel'),
    (facts(replace(OPEN, phase=Phase.STOPPING)), State.EXECUTING, '', '-pause'),
    (facts(PAUSED), State.WAITING, '', 'resume'), (facts(PAUSED), State.WAITING, '', '-pause'),
    (facts(PAUSED), State.WAITING, '', 'model'),
    (facts(HELD), State.WAITING, '', 'pause'), (facts(HELD), State.WAITING, '', '-resume'),
    (facts(), State.EXECUTING, '', '-model'), (facts(None), State.READY, '', 'model'),
    (facts(over(Outcome.ARRIVED)), State.READY, '', 'model'),
    (facts(replace(OPEN, phase=Phase.STOPPING)), State.EXECUTING, '', '-model'),
    (facts(replace(OPEN, phase=Phase.ASKING)), State.NEEDS_ASSISTANCE, '', 'model'),
    (facts(replace(OPEN, **WAITS)), State.WAITING, '', 'model'),
    (facts(errors=('hypothesis, model: it is gone',)), State.EXECUTING, '', '-model'),
    (facts(None, errors=('hypothesis, model: it is gone',)), State.FAULTED, '', 'model'),
    (facts(replace(OPEN, phase=Phase.ASKING, question='which mug?')), State.NEEDS_ASSISTANCE,
     'which mug?', 'answer'),
    (facts(replace(OPEN, **WAITS)), State.WAITING, 'it is barred', 'cancel'),
    (facts(replace(OPEN, **WAITS), verdict=REFUSED), State.BLOCKED, 'a chair stands there',
     'cancel'),
    (facts(replace(OPEN, **WAITS), verdict=replace(REFUSED, code=Code.NAV_UNAVAILABLE)),
     State.WAITING, '', 'cancel'),
    (facts(replace(OPEN, **WAITS), errors=('memory, store: the disk is full',)), State.FAULTED,
     'the disk is full', 'cancel'),
    (facts(verdict=BACKS), State.RECOVERING, 'backs off', 'pause'),
    (facts(verdict=ABORTED), State.RECOVERING, 'it got stuck', 'pause'),
    (facts(errors=('memory, store: the disk is full',)), State.EXECUTING, '', 'pause'),
    (facts(None, errors=('hypothesis, model: no server',)), State.FAULTED, 'no server', 'goal'),
    (facts(None, lacks=('verifier, map: waiting for map',)), State.BLOCKED, 'waiting for map',
     'goal'),
    (facts(None, unproved=('verifier: no depth picture yet',)), State.READY,
     'unproved: verifier: no depth picture yet', 'goal'),
    (facts(unproved=('verifier: no depth picture yet',)), State.EXECUTING, '', 'pause'),
    (facts(pose=replace(POSE, held='the battery is low')), State.SAFETY_STOPPED,
     'the battery is low', 'cancel'),
    (facts(None, pose=BY_SOMEBODY), State.SAFETY_STOPPED, 'the pause topic', '-pause'),
    (facts(HELD, pose=BY_SOMEBODY), State.SAFETY_STOPPED, 'the pause topic', '-resume'),
    (facts(HELD, pose=BY_SOMEBODY), State.SAFETY_STOPPED, 'the pause topic', 'pause'),
    (facts(PAUSED, pose=BY_SOMEBODY), State.SAFETY_STOPPED, 'the pause topic', 'resume'),
    (facts(PAUSED, pose=BY_SOMEBODY), State.SAFETY_STOPPED, 'the pause topic', '-pause'),
    (facts(replace(OPEN, phase=Phase.STOPPING), pose=BY_SOMEBODY), State.SAFETY_STOPPED,
     'the pause topic', '-pause'),
    (facts(silent=('verifier',)), State.FAULTED, 'verifier: no sign of life', 'cancel'),
    (facts(silent=('verifier',)), State.FAULTED, '', 'pause'),
    (facts(PAUSED, silent=('verifier',)), State.FAULTED, '', 'resume'),
    (facts(PAUSED, silent=('belief',)), State.FAULTED, '', '-resume'),
    (facts(None, silent=('verifier',)), State.FAULTED, 'no sign of life', '-cancel'),
    (facts(listening=False), State.FAULTED, 'no belief node listens', '-goal'),
    (Facts(), State.READY, 'no goal was said yet', 'goal'),
]


@pytest.mark.parametrize(('known', 'state', 'reason', 'deed'), ROWS)
def test_the_state_follows_from_what_is_known(known: Facts, state: State, reason: str,
                                              deed: str) -> None:
    standing = judge(known)
    assert standing.state is state
    assert standing.reason and reason in standing.reason
    assert standing.next
    assert (Command(deed.removeprefix('-')) in standing.permitted) is not deed.startswith('-')


@pytest.mark.parametrize('known', [known for known, *_ in ROWS])
def test_the_robot_goes_to_places_when_a_goal_may_be_said(known: Facts) -> None:
    permitted = judge(known).permitted
    assert (Command.GO in permitted) is (Command.TOUR in permitted) is (Command.GOAL in permitted)


@pytest.mark.parametrize('known', [known for known, *_ in ROWS])
def test_places_are_named_and_forgotten_while_the_memory_answers(known: Facts) -> None:
    for remembering in (True, False):
        permitted = judge(replace(known, remembering=remembering)).permitted
        assert (Command.NAME in permitted) is (Command.FORGET in permitted) is remembering


@pytest.mark.parametrize('belief', [
    None, OPEN, PAUSED, HELD, replace(OPEN, phase=Phase.STOPPING),
    replace(OPEN, phase=Phase.ASKING), replace(OPEN, **WAITS), over(Outcome.ARRIVED)])
def test_what_is_broken_is_told_in_every_state(belief: Belief | None) -> None:
    gone = 'hypothesis, model: no model server (start it)'
    standing = judge(facts(belief, errors=(gone,)))
    assert gone in (standing.reason, *standing.broken)
    assert not judge(facts(belief)).broken


def test_each_state_and_each_row_of_the_table_is_tried() -> None:
    assert {state for _, state, *_ in ROWS} == set(State)
    tried = {next(rule for rule in TABLE if rule.reason(known)) for known, *_ in ROWS}
    assert tried == set(TABLE)
