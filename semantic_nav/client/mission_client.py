"""Client of a mission, from the request to the end of the mission.

No ROS and no clock: the caller passes in documents and the time, and calls `poll` often.
"""

from collections.abc import Callable
from enum import Enum
from typing import Protocol

from semantic_nav.belief.goal_text import quotable
from semantic_nav.belief.mission_record import MAKE_SURE, MissionRecord
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.contracts.fields import MAX_TEXT
from semantic_nav.contracts.vocabulary import Outcome, Phase

FOUND_S = 10.0
#: A goal begins, and a mission ends, when the robot stands, or after the belief's `stop_wait_s`.
TAKEN_UP_S = 30.0
CANCELLED_S = 30.0
#: Documents of earlier missions are latched; they arrive in this time, before the request.
SETTLE_S = 0.5
GONE_S = 5.0
#: Time after the end of a mission in which documents on its cause may still arrive, in s.
LAST_WORDS_S = 0.3
#: Name of the place that `home` leads to.
HOME = 'home'


class NoAnswer(SemanticNavError):
    """The belief node is not there, or does not answer."""


class Request(Protocol):
    """Handle of a mission that was asked for."""

    @property
    def goal_id(self) -> str:
        """Id of the mission."""

    @property
    def accepted(self) -> bool | None:
        """True if the belief took the goal; None before it has answered."""

    def cancel(self) -> None:
        """Ask the belief that took the goal to end the mission."""


class ClientTopics(Protocol):
    """Client's side of the topics."""

    @property
    def action_name(self) -> str:
        """Full name of the action."""

    @property
    def ready(self) -> bool:
        """True if a goal would be taken, its belief received, and requests served."""

    @property
    def belief_session(self) -> str:
        """Session of the belief node that gives signs of life; empty if none does."""

    def request(self, name: str) -> object:
        """Call a service of the belief, whatever its mission."""


class BeliefSearch:
    """Search for the belief node, with a wait for the documents that it published last."""

    def __init__(self, topics: ClientTopics, now_s: float) -> None:
        """Start the search at `now_s` on the steady clock."""
        self._topics = topics
        self._until_s = now_s + FOUND_S
        self._found_s: float | None = None

    def found(self, now_s: float) -> bool:
        """Tell whether a mission may be asked for.

        Raises:
            NoAnswer: there is no belief node.
        """
        if self._found_s is None and self._topics.ready:
            self._found_s = now_s
        if self._found_s is not None:
            return now_s - self._found_s >= SETTLE_S
        if now_s > self._until_s:
            raise NoAnswer(
                f'no belief node offers {self._topics.action_name} after {FOUND_S:.0f} s; '
                'is it started and active, in this namespace and ROS domain?')
        return False


class MissionStage(Enum):
    """Stage of a mission, as its client sees it."""

    SEEKING = 'seeking'
    ASKED = 'asked for'
    UNDER_WAY = 'under way'
    CANCELLING = 'cancelling'
    OVER = 'over'


class MissionClient:
    """Client that asks for a mission once a belief can take it, and follows it to the end.

    A restarted belief takes its mission up; the client then follows it by the documents.

    Attributes:
        stage: stage of the mission.
        error: reason why the end of the mission is unknown; empty where it is known.
        cancelled_for: reason why the end is asked for; empty where it is not.
        record: documents heard of the mission.
    """

    def __init__(self, topics: ClientTopics, ask: Callable[[], Request], now_s: float,
                 limit_s: float | None = None, search: BeliefSearch | None = None) -> None:
        """Start the search for the belief.

        Args:
            topics: the client's side of the topics.
            ask: asks for the mission.
            now_s: time on the steady clock, in s, as everywhere here.
            limit_s: the mission is cancelled after this time; None for never.
            search: a search for the belief that has begun already.
        """
        self.stage = MissionStage.SEEKING
        self.error = ''
        self.cancelled_for = ''
        self.record = MissionRecord('')
        self._topics, self._ask, self._limit_s = topics, ask, limit_s
        self._search = search or BeliefSearch(topics, now_s)
        self._asked: Request | None = None
        self._until_s = self._alive_s = self._spoke_s = now_s
        self._limit_at_s = float('inf')
        # Session of the belief that accepted the mission.
        self._accepted_by = ''

    @property
    def never_asked(self) -> bool:
        """Tell whether the mission was never asked for."""
        return self._asked is None

    def take(self, document: Document) -> None:
        """Take a document; one of another mission changes nothing."""
        self.record = self.record.after(document)

    def cancel(self, why: str) -> None:
        """Ask for the end of the mission, once there is one."""
        self.cancelled_for = self.cancelled_for or why

    def poll(self, now_s: float) -> MissionStage:
        """Advance the client, and return the stage of the mission."""
        try:
            self.stage = _POLL[self.stage](self, now_s)
        except NoAnswer as error:
            self.stage, self.error = MissionStage.OVER, str(error)
        return self.stage

    def _seek(self, now_s: float) -> MissionStage:
        if self.cancelled_for:
            return MissionStage.OVER
        if not self._search.found(now_s):
            return MissionStage.SEEKING
        self._asked = self._ask()
        self.record = MissionRecord(self._asked.goal_id, robot=self.record.robot)
        self._until_s = now_s + TAKEN_UP_S
        return MissionStage.ASKED

    def _await_mission(self, now_s: float) -> MissionStage:
        assert self._asked is not None
        if self.record.belief is not None:
            self._accepted_by = self.record.session
            self._alive_s = self._spoke_s = now_s
            if self._limit_s is not None:
                self._limit_at_s = now_s + self._limit_s
            return MissionStage.UNDER_WAY
        if self._asked.accepted is False:
            raise NoAnswer('the belief node takes no goals now; is it active?')
        if now_s > self._until_s:
            # The goal may be taken up later, when nobody follows it any more.
            self._asked.cancel()
            raise NoAnswer('the belief node did not take the goal up; see /diagnostics')
        return MissionStage.ASKED

    def _follow(self, now_s: float) -> MissionStage:
        if self.record.ended:
            return MissionStage.OVER
        self._look_after_belief(now_s)
        if now_s > self._limit_at_s:
            self.cancel(f'the mission took longer than {self._limit_s:.0f} s')
        if not self.cancelled_for:
            return MissionStage.UNDER_WAY
        assert self._asked is not None and self.record.belief is not None
        if self.record.session == self._accepted_by:
            self._asked.cancel()
        elif self.record.belief.phase is not Phase.STOPPING:
            # A restarted belief knows the mission, but not its client. One that stops already may
            # stop for the next goal, which this request would end too.
            self._topics.request('cancel')
        self._until_s = now_s + CANCELLED_S
        return MissionStage.CANCELLING

    def _await_end(self, now_s: float) -> MissionStage:
        if self.record.ended:
            return MissionStage.OVER
        if now_s > self._until_s:
            raise NoAnswer(f'the belief node did not answer to the cancellation; {MAKE_SURE}')
        return MissionStage.CANCELLING

    def _look_after_belief(self, now_s: float) -> None:
        """Check that the mission still has an owner.

        Raises:
            NoAnswer: it has none.
        """
        session = self._topics.belief_session
        if session:
            self._alive_s = now_s
        if session in ('', self.record.session):
            self._spoke_s = now_s
        if now_s - self._alive_s > GONE_S:
            raise NoAnswer('the belief node is gone, and with it the mission')
        if now_s - self._spoke_s > TAKEN_UP_S:
            raise NoAnswer('the belief node was started anew and has not taken the mission up; '
                           f'{MAKE_SURE}')

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the mission; None if it is unknown, as when the robot may still drive.

        A mission that was taken back before it was asked for is cancelled, wherever the robot is.
        """
        if self.error:
            return None
        if self.never_asked:
            return Outcome.CANCELLED if self.stage is MissionStage.OVER else None
        return self.record.outcome

    @property
    def reason(self) -> str:
        """Reason for the outcome, in words, on one line."""
        belief = self.record.belief
        if self.error or belief is None:
            return self.error or f'taken back before it was asked for: {self.cancelled_for}'
        return quotable('; '.join(filter(None, (self.cancelled_for, belief.reason))), MAX_TEXT)


_POLL = {
    MissionStage.SEEKING: MissionClient._seek, MissionStage.ASKED: MissionClient._await_mission,
    MissionStage.UNDER_WAY: MissionClient._follow,
    MissionStage.CANCELLING: MissionClient._await_end,
    MissionStage.OVER: lambda client, now_s: MissionStage.OVER}
