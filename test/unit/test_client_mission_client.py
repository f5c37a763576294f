"""A mission followed by its client: each way in which it can end, with topics and time by hand."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from builders import approach, document, meta, observation, track

from semantic_nav.client.mission_client import (
    CANCELLED_S,
    FOUND_S,
    GONE_S,
    SETTLE_S,
    TAKEN_UP_S,
    MissionClient,
    MissionStage,
)
from semantic_nav.contracts.documents import Belief, Body, Budgets, Hypothesis, RobotPose
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Outcome, Phase, Source, Status

BELIEF = Belief('find the mug', Status.SEARCHING, Phase.LOOKING, None, '', (), '', '', 'look',
                Budgets(0.0, 900.0, 0, 120, 0.0, 300.0, 0, 20))
GOAL = 'goal-s-1'


@dataclass
class Asked:
    """A mission that was asked for."""

    goal_id: str = GOAL
    accepted: bool | None = None
    cancels: int = 0

    def cancel(self) -> None:
        self.cancels += 1


@dataclass
class Topics:
    """A client's side of the topics, moved by hand."""

    ready: bool = True
    belief_session: str = 'x'
    action_name: str = '/semantic_nav/find'
    asked: list[Asked] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def ask(self) -> Asked:
        self.asked.append(Asked())
        return self.asked[-1]

    def request(self, name: str) -> None:
        self.requests.append(name)


class Walk:
    """A mission whose time passes by hand."""

    def __init__(self, limit_s: float | None = None, **topics: Any) -> None:
        self.topics = Topics(**topics)
        self.now_s = 100.0
        self.mission = MissionClient(self.topics, self.topics.ask, self.now_s, limit_s)
        self._count = 0

    def after(self, seconds: float) -> MissionStage:
        self.now_s += seconds
        return self.mission.poll(self.now_s)

    def hear(self, body: Body, session: str = 'x', goal: str = GOAL) -> None:
        self._count += 1
        self.mission.take(document(body, id_=f'belief-{session}-{self._count}', goal=goal))

    def tell(self, session: str = 'x', **changes: Any) -> None:
        self.hear(replace(BELIEF, **changes), session)

    def under_way(self) -> 'Walk':
        self.after(0.0)
        assert self.after(SETTLE_S) is MissionStage.ASKED
        self.topics.asked[0].accepted = True
        self.tell()
        assert self.after(0.1) is MissionStage.UNDER_WAY
        return self

    def finish(self, outcome: Outcome, **changes: Any) -> MissionClient:
        self.tell(phase=Phase.FINISHED, outcome=outcome, reason='as told', **changes)
        assert self.after(0.1) is MissionStage.OVER
        return self.mission


def test_nothing_is_said_before_what_was_before_has_come_in() -> None:
    walk = Walk(ready=False)
    assert walk.after(FOUND_S - 1.0) is MissionStage.SEEKING
    walk.topics.ready = True
    assert walk.after(0.1) is MissionStage.SEEKING
    assert walk.after(SETTLE_S / 2) is MissionStage.SEEKING and walk.mission.never_asked
    assert walk.after(SETTLE_S / 2) is MissionStage.ASKED
    assert len(walk.topics.asked) == 1


def test_nobody_to_hear_it_is_an_error() -> None:
    walk = Walk(ready=False)
    assert walk.after(FOUND_S + 0.1) is MissionStage.OVER
    assert walk.mission.error.startswith('no belief node offers /semantic_nav/find after 10 s')
    assert walk.mission.outcome is None and walk.topics.asked == []


def test_goal_that_is_rejected_is_an_error() -> None:
    walk = Walk()
    walk.after(0.0)
    walk.after(SETTLE_S)
    walk.topics.asked[0].accepted = False
    assert walk.after(0.1) is MissionStage.OVER
    assert 'takes no goals now' in walk.mission.reason


def test_goal_that_is_not_taken_up_is_an_error_and_taken_back() -> None:
    walk = Walk()
    walk.after(0.0)
    walk.after(SETTLE_S)
    assert walk.after(TAKEN_UP_S + 0.1) is MissionStage.OVER
    assert 'did not take the goal up' in walk.mission.reason
    assert walk.topics.asked[0].cancels == 1


@pytest.mark.parametrize('outcome', [
    Outcome.ARRIVED, Outcome.NOT_HERE, Outcome.GAVE_UP, Outcome.REFUSED])
def test_it_ends_as_the_mission_does(outcome: Outcome) -> None:
    mission = Walk().under_way().finish(outcome, p_here=0.25, stands=True)
    assert (mission.outcome, mission.reason, mission.record.stands, mission.record.goal_id) == (
        outcome, 'as told', True, GOAL)


def test_other_missions_change_nothing() -> None:
    walk = Walk().under_way()
    walk.hear(replace(BELIEF, outcome=Outcome.ARRIVED), goal='goal-s-0')
    assert walk.after(0.1) is MissionStage.UNDER_WAY


def test_cancelled_before_it_was_asked_for_asks_nobody_for_anything() -> None:
    walk = Walk()
    walk.mission.cancel('enough')
    assert walk.after(0.1) is MissionStage.OVER
    assert walk.mission.outcome is Outcome.CANCELLED and not walk.mission.record.stands
    assert walk.mission.reason == 'taken back before it was asked for: enough'
    assert walk.topics.asked == [] and walk.topics.requests == []


def test_cancelled_means_that_the_robot_stands() -> None:
    walk = Walk().under_way()
    walk.mission.cancel('enough')
    assert walk.after(0.1) is MissionStage.CANCELLING
    assert walk.after(0.1) is MissionStage.CANCELLING
    assert walk.topics.asked[0].cancels == 1 and walk.topics.requests == []
    mission = walk.finish(Outcome.CANCELLED, stands=True)
    assert (mission.outcome, mission.reason) == (Outcome.CANCELLED, 'enough; as told')


@pytest.mark.parametrize('stands', [False, None])
def test_robot_that_may_drive_on_is_not_cancelled(stands: bool | None) -> None:
    mission = Walk().under_way().finish(Outcome.CANCELLED, stands=stands)
    assert mission.outcome is None and not mission.record.stands and mission.error == ''


def test_the_pose_of_a_robot_is_no_word_that_it_stands() -> None:
    walk = Walk().under_way()
    walk.hear(RobotPose(Pose2D(1.0, 2.0, 0.0), True, 0.0, stands=True), goal='')
    assert walk.finish(Outcome.CANCELLED, stands=False).outcome is None


def test_goal_that_is_cancelled_before_it_is_taken_up_is_cancelled_then() -> None:
    walk = Walk()
    walk.after(0.0)
    walk.after(SETTLE_S)
    walk.mission.cancel('enough')
    assert walk.after(0.1) is MissionStage.ASKED and walk.topics.asked[0].cancels == 0
    walk.tell()
    walk.after(0.1)
    assert walk.after(0.1) is MissionStage.CANCELLING and walk.topics.asked[0].cancels == 1


def test_cancellation_that_is_not_answered_is_an_error() -> None:
    walk = Walk().under_way()
    walk.mission.cancel('enough')
    walk.after(0.1)
    assert walk.after(CANCELLED_S + 0.1) is MissionStage.OVER
    assert walk.mission.outcome is None
    assert walk.mission.reason.endswith('make sure that the robot stands')


def test_arrival_that_comes_before_the_cancellation_counts() -> None:
    walk = Walk().under_way()
    walk.mission.cancel('enough')
    walk.after(0.1)
    assert walk.finish(Outcome.ARRIVED).outcome is Outcome.ARRIVED


def test_time_that_is_over_cancels() -> None:
    walk = Walk(limit_s=60.0).under_way()
    assert walk.after(59.0) is MissionStage.UNDER_WAY
    assert walk.after(2.0) is MissionStage.CANCELLING
    mission = walk.finish(Outcome.CANCELLED, stands=True)
    assert mission.reason == 'the mission took longer than 60 s; as told'


def test_belief_that_is_gone_is_an_error_soon() -> None:
    walk = Walk().under_way()
    walk.topics.belief_session = ''
    assert walk.after(GONE_S - 0.1) is MissionStage.UNDER_WAY
    assert walk.after(0.2) is MissionStage.OVER
    assert 'the belief node is gone' in walk.mission.reason and walk.mission.outcome is None


@pytest.mark.parametrize('spoke_first', [True, False])
def test_belief_that_comes_back_and_takes_the_mission_up_is_followed(spoke_first: bool) -> None:
    walk = Walk().under_way()
    walk.topics.belief_session = ''
    walk.after(GONE_S - 1.0)
    if spoke_first:
        walk.tell('y', reason='taken up again')
    walk.topics.belief_session = 'y'
    walk.after(0.1)
    walk.after(TAKEN_UP_S - GONE_S)
    if not spoke_first:
        walk.tell('y', reason='taken up again')
    assert walk.after(0.1) is MissionStage.UNDER_WAY
    assert walk.after(10 * TAKEN_UP_S) is MissionStage.UNDER_WAY
    assert walk.finish(Outcome.ARRIVED).outcome is Outcome.ARRIVED


def test_belief_that_was_started_anew_is_asked_for_the_end_whoever_its_client_was() -> None:
    walk = Walk().under_way()
    walk.topics.belief_session = 'y'
    walk.tell('y', reason='taken up again')
    walk.mission.cancel('enough')
    assert walk.after(0.1) is MissionStage.CANCELLING
    assert walk.topics.requests == ['cancel'] and walk.topics.asked[0].cancels == 0


def test_mission_that_stops_already_is_not_cancelled_for_the_next_may_wait_for_that() -> None:
    walk = Walk().under_way()
    walk.tell('y', phase=Phase.STOPPING, reason='a new goal came')
    walk.mission.cancel('enough')
    assert walk.after(0.1) is MissionStage.CANCELLING and walk.topics.requests == []
    assert walk.finish(Outcome.CANCELLED, stands=True).outcome is Outcome.CANCELLED


def test_belief_that_comes_back_without_the_mission_is_an_error() -> None:
    walk = Walk().under_way()
    walk.topics.belief_session = 'y'
    assert walk.after(TAKEN_UP_S - 0.1) is MissionStage.UNDER_WAY
    assert walk.after(0.2) is MissionStage.OVER
    assert 'has not taken the mission up' in walk.mission.reason


@pytest.mark.parametrize(('status', 'held'), [
    (Status.SEARCHING, False), (Status.LIKELY_IN_MEMORY, False), (Status.VISIBLE, True),
    (Status.UNREACHABLE, True), (Status.DONE, True)])
def test_a_target_is_told_as_long_as_the_belief_holds_one(status: Status, held: bool) -> None:
    walk = Walk().under_way()
    walk.hear(observation('step-1', track=track(1.5)))
    walk.hear(observation('step-2'))
    mission = walk.finish(Outcome.GAVE_UP, status=status)
    assert mission.record.target == (track(1.5) if held else None)


def test_evidence_is_what_was_seen_in_words_on_one_line() -> None:
    walk = Walk().under_way()
    walk.hear(observation('step-1', source=Source.FALLBACK, coverage=0.3))
    walk.hear(Hypothesis('step-2', Source.MODEL, approach(
        confidence=0.9, rationale='a mug\nfinished: arrived'), meta()))
    walk.hear(observation('step-2', track=track(hits=3, views=2)))
    mission = walk.finish(Outcome.ARRIVED, status=Status.DONE)
    assert mission.record.evidence == (
        'looks that the model answered: 1; 80% of the floor in reach was looked at; '
        'sightings in a row that agree: 3, from so many places: 2; '
        'last, the model says visible, 90% sure: "a mug\N{REPLACEMENT CHARACTER}finished: '
        'arrived"')


def test_where_the_robot_is_belongs_to_no_mission() -> None:
    walk = Walk()
    walk.hear(RobotPose(Pose2D(1.0, 2.0, 0.0), True, 0.0), goal='')
    assert walk.mission.record.robot is not None and walk.mission.record.evidence == ''
