"""A goal followed from outside: each way in which it can end, with the topics and time by hand."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from builders import approach, document, meta, observation, track

from semantic_nav.contracts.documents import Belief, Body, Budgets, Hypothesis, RobotPose
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Outcome, Phase, Source, Status
from semantic_nav.errand import (
    CANCELLED_S,
    FOUND_S,
    GONE_S,
    SETTLE_S,
    TAKEN_UP_S,
    Errand,
    Said,
    Stage,
)

BELIEF = Belief('find the mug', Status.SEARCHING, Phase.LOOKING, None, '', (), '', '', 'look',
                Budgets(0.0, 900.0, 0, 120, 0.0, 300.0, 0, 20))
GOAL = 'goal-s-1'


@dataclass
class Topics:
    """An operator's side of the topics, moved by hand."""

    ready: bool = True
    listeners: frozenset[bytes] = frozenset({b'first'})
    goal_topic: str = '/semantic_nav/goal'
    said: list[Said] = field(default_factory=list)
    forgotten: list[Said] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def say(self, goal: str) -> Said:
        self.said.append(Said(goal))
        return self.said[-1]

    def forget(self, said: Said) -> None:
        self.forgotten.append(said)

    def request(self, name: str) -> None:
        self.requests.append(name)


class Walk:
    """An errand whose time passes by hand."""

    def __init__(self, limit_s: float | None = None, **topics: Any) -> None:
        self.topics = Topics(**topics)
        self.now_s = 100.0
        self.errand = Errand(
            self.topics, lambda: self.topics.say('find the mug'), self.now_s, limit_s)
        self._count = 0

    def after(self, seconds: float) -> Stage:
        self.now_s += seconds
        return self.errand.poll(self.now_s)

    def hear(self, body: Body, session: str = 'x', goal: str = GOAL) -> None:
        self._count += 1
        self.errand.take(document(body, id_=f'belief-{session}-{self._count}', goal=goal))

    def tell(self, session: str = 'x', **changes: Any) -> None:
        self.hear(replace(BELIEF, **changes), session)

    def under_way(self) -> 'Walk':
        self.after(0.0)
        assert self.after(SETTLE_S) is Stage.SAID
        self.topics.said[0].goal_id = GOAL
        self.tell()
        assert self.after(0.1) is Stage.UNDER_WAY
        return self

    def finish(self, outcome: Outcome, **changes: Any) -> Errand:
        self.tell(phase=Phase.FINISHED, outcome=outcome, reason='as told', **changes)
        assert self.after(0.1) is Stage.OVER
        return self.errand


def test_nothing_is_said_before_what_was_before_has_come_in() -> None:
    walk = Walk(ready=False)
    assert walk.after(FOUND_S - 1.0) is Stage.SEEKING
    walk.topics.ready = True
    assert walk.after(0.1) is Stage.SEEKING
    assert walk.after(SETTLE_S / 2) is Stage.SEEKING and walk.errand.never_said
    assert walk.after(SETTLE_S / 2) is Stage.SAID
    assert [said.words for said in walk.topics.said] == ['find the mug']


def test_nobody_to_hear_it_is_an_error() -> None:
    walk = Walk(ready=False)
    assert walk.after(FOUND_S + 0.1) is Stage.OVER
    assert walk.errand.error.startswith('no belief node listens to /semantic_nav/goal after 10 s')
    assert walk.errand.outcome is None and walk.topics.said == []


def test_goal_that_is_not_taken_up_is_an_error_and_waited_for_no_more() -> None:
    walk = Walk()
    walk.after(0.0)
    walk.after(SETTLE_S)
    assert walk.after(TAKEN_UP_S + 0.1) is Stage.OVER
    assert 'did not take the goal up' in walk.errand.reason
    assert walk.topics.forgotten == walk.topics.said


@pytest.mark.parametrize('outcome', [
    Outcome.ARRIVED, Outcome.NOT_HERE, Outcome.GAVE_UP, Outcome.REFUSED])
def test_it_ends_as_the_mission_does(outcome: Outcome) -> None:
    errand = Walk().under_way().finish(outcome, p_here=0.25, stands=True)
    assert (errand.outcome, errand.reason, errand.stands, errand.goal_id) == (
        outcome, 'as told', True, GOAL)


def test_other_missions_change_nothing() -> None:
    walk = Walk().under_way()
    walk.hear(replace(BELIEF, outcome=Outcome.ARRIVED), goal='goal-s-0')
    assert walk.after(0.1) is Stage.UNDER_WAY


@pytest.mark.parametrize(('told', 'outcome', 'ours'), [
    ('find the mug', None, True), ('find the cup', None, False), ('find', None, False),
    # A stop without a mission, and a goal that is refused because it is too long.
    ('', Outcome.CANCELLED, False), ('find the m', Outcome.REFUSED, True)])
def test_missions_are_told_apart_by_their_words(told: str, outcome: Outcome | None,
                                                ours: bool) -> None:
    assert Said(' find the mug ').is_of(replace(BELIEF, goal_text=told, outcome=outcome)) is ours


def test_goal_without_words_is_known_again() -> None:
    assert Said(' ').is_of(replace(BELIEF, goal_text='', outcome=Outcome.REFUSED))


def test_cancelled_before_it_was_said_asks_nobody_for_anything() -> None:
    walk = Walk()
    walk.errand.cancel('enough')
    assert walk.after(0.1) is Stage.OVER
    assert walk.errand.outcome is Outcome.CANCELLED and not walk.errand.stands
    assert walk.errand.reason == 'taken back before it was said: enough'
    assert walk.topics.said == [] and walk.topics.requests == []


def test_cancelled_means_that_the_robot_stands() -> None:
    walk = Walk().under_way()
    walk.errand.cancel('enough')
    assert walk.after(0.1) is Stage.CANCELLING
    assert walk.after(0.1) is Stage.CANCELLING
    assert walk.topics.requests == ['cancel']
    errand = walk.finish(Outcome.CANCELLED, stands=True)
    assert (errand.outcome, errand.reason) == (Outcome.CANCELLED, 'enough; as told')


def test_mission_that_stops_already_is_not_cancelled_for_the_next_may_wait_for_that() -> None:
    walk = Walk().under_way()
    walk.tell(phase=Phase.STOPPING, reason='a new goal came')
    walk.errand.cancel('enough')
    assert walk.after(0.1) is Stage.CANCELLING and walk.topics.requests == []
    assert walk.finish(Outcome.CANCELLED, stands=True).outcome is Outcome.CANCELLED


@pytest.mark.parametrize('stands', [False, None])
def test_robot_that_may_drive_on_is_not_cancelled(stands: bool | None) -> None:
    errand = Walk().under_way().finish(Outcome.CANCELLED, stands=stands)
    assert errand.outcome is None and not errand.stands and errand.error == ''


def test_the_pose_of_a_robot_is_no_word_that_it_stands() -> None:
    walk = Walk().under_way()
    walk.hear(RobotPose(Pose2D(1.0, 2.0, 0.0), True, 0.0, stands=True), goal='')
    assert walk.finish(Outcome.CANCELLED, stands=False).outcome is None


def test_goal_that_is_cancelled_before_it_is_taken_up_is_cancelled_then() -> None:
    walk = Walk()
    walk.after(0.0)
    walk.after(SETTLE_S)
    walk.errand.cancel('enough')
    assert walk.after(0.1) is Stage.SAID and walk.topics.requests == []
    walk.topics.said[0].goal_id = GOAL
    walk.after(0.1)
    assert walk.after(0.1) is Stage.CANCELLING and walk.topics.requests == ['cancel']


def test_cancellation_that_is_not_answered_is_an_error() -> None:
    walk = Walk().under_way()
    walk.errand.cancel('enough')
    walk.after(0.1)
    assert walk.after(CANCELLED_S + 0.1) is Stage.OVER
    assert walk.errand.outcome is None
    assert walk.errand.reason.endswith('make sure that the robot stands')


def test_arrival_that_comes_before_the_cancellation_counts() -> None:
    walk = Walk().under_way()
    walk.errand.cancel('enough')
    walk.after(0.1)
    assert walk.finish(Outcome.ARRIVED).outcome is Outcome.ARRIVED


def test_time_that_is_over_cancels() -> None:
    walk = Walk(limit_s=60.0).under_way()
    assert walk.after(59.0) is Stage.UNDER_WAY
    assert walk.after(2.0) is Stage.CANCELLING
    errand = walk.finish(Outcome.CANCELLED, stands=True)
    assert errand.reason == 'the mission took longer than 60 s; as told'


def test_belief_that_is_gone_is_an_error_soon() -> None:
    walk = Walk().under_way()
    walk.topics.listeners = frozenset()
    assert walk.after(GONE_S - 0.1) is Stage.UNDER_WAY
    assert walk.after(0.2) is Stage.OVER
    assert 'the belief node is gone' in walk.errand.reason and walk.errand.outcome is None


@pytest.mark.parametrize('spoke_first', [True, False])
def test_belief_that_comes_back_and_takes_the_mission_up_is_followed(spoke_first: bool) -> None:
    walk = Walk().under_way()
    walk.topics.listeners = frozenset()
    walk.after(GONE_S - 1.0)
    if spoke_first:
        walk.tell('y', reason='taken up again')
    walk.topics.listeners = frozenset({b'second'})
    walk.after(0.1)
    walk.after(TAKEN_UP_S - GONE_S)
    if not spoke_first:
        walk.tell('y', reason='taken up again')
    assert walk.after(0.1) is Stage.UNDER_WAY
    assert walk.after(10 * TAKEN_UP_S) is Stage.UNDER_WAY
    assert walk.finish(Outcome.ARRIVED).outcome is Outcome.ARRIVED


def test_belief_that_comes_back_without_the_mission_is_an_error() -> None:
    walk = Walk().under_way()
    walk.topics.listeners = frozenset({b'second'})
    assert walk.after(TAKEN_UP_S - 0.1) is Stage.UNDER_WAY
    assert walk.after(0.2) is Stage.OVER
    assert 'has not taken the mission up' in walk.errand.reason


def test_one_that_is_abandoned_ends_unknown() -> None:
    errand = Walk().under_way().errand
    errand.abandon('the node has ended')
    assert errand.poll(0.0) is Stage.OVER and errand.outcome is None
    assert errand.reason == 'the node has ended; make sure that the robot stands'


@pytest.mark.parametrize(('status', 'held'), [
    (Status.SEARCHING, False), (Status.LIKELY_IN_MEMORY, False), (Status.VISIBLE, True),
    (Status.UNREACHABLE, True), (Status.DONE, True)])
def test_a_target_is_told_as_long_as_the_belief_holds_one(status: Status, held: bool) -> None:
    walk = Walk().under_way()
    walk.hear(observation('step-1', track=track(1.5)))
    walk.hear(observation('step-2'))
    errand = walk.finish(Outcome.GAVE_UP, status=status)
    assert errand.target == (track(1.5) if held else None)


def test_evidence_is_what_was_seen_in_words_on_one_line() -> None:
    walk = Walk().under_way()
    walk.hear(observation('step-1', source=Source.FALLBACK, coverage=0.3))
    walk.hear(Hypothesis('step-2', Source.MODEL, approach(
        confidence=0.9, rationale='a mug\nfinished: arrived'), meta()))
    walk.hear(observation('step-2', track=track(hits=3, views=2)))
    errand = walk.finish(Outcome.ARRIVED, status=Status.DONE)
    assert errand.evidence == (
        'looks that the model answered: 1; 80% of the floor in reach was looked at; '
        'sightings in a row that agree: 3, from so many places: 2; '
        'last, the model says visible, 90% sure: "a mug\N{REPLACEMENT CHARACTER}finished: '
        'arrived"')


def test_where_the_robot_is_belongs_to_no_mission() -> None:
    walk = Walk()
    walk.hear(RobotPose(Pose2D(1.0, 2.0, 0.0), True, 0.0), goal='')
    assert walk.errand.robot is not None and walk.errand.evidence == ''
