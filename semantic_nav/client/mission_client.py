"""A mission followed by its client, from asking for it to its end.

No ROS and no clock: whoever has them hands in documents and the time, and looks after it often.
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
#: A goal begins, and a mission is over, when the robot stands, or after `stop_wait_s` of belief.
TAKEN_UP_S = 30.0
CANCELLED_S = 30.0
#: What earlier missions left is held for late comers; it comes in before anything is asked for.
SETTLE_S = 0.5
GONE_S = 5.0
#: So long after the end what led to it may come in.
LAST_WORDS_S = 0.3
#: Where `home` leads: the name of a place.
HOME = 'home'


class NoAnswer(SemanticNavError):
    """The belief node is not there, or does not answer."""


class Request(Protocol):
    """A mission that was asked for."""

    @property
    def goal_id(self) -> str:
        """Its identity."""

    @property
    def accepted(self) -> bool | None:
        """Whether the belief takes it; None before it has answered."""

    def cancel(self) -> None:
        """Ask the belief that took it for its end."""


class Topics(Protocol):
    """The client's side of the topics."""

    @property
    def action_name(self) -> str:
        """The full name of the action."""

    @property
    def ready(self) -> bool:
        """Whether a goal would be taken, its belief be received, and requests be served."""

    @property
    def belief_session(self) -> str:
        """That of the belief node that gives signs of life; empty where none does."""

    def request(self, name: str) -> object:
        """Ask the belief for something, whatever its mission."""


class Search:
    """Looks for the belief node, and waits for what it published last."""

    def __init__(self, topics: Topics, now_s: float) -> None:
        """Begin to look at this time."""
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


class Stage(Enum):
    """How far a mission is."""

    SEEKING = 'seeking'
    ASKED = 'asked for'
    UNDER_WAY = 'under way'
    CANCELLING = 'cancelling'
    OVER = 'over'


class MissionClient:
    """Asks for a mission once a belief is there to take it, and follows it to the end.

    A belief that is started anew takes its mission up; it is followed by its documents then.

    Attributes:
        stage: how far it is.
        error: why nobody knows how the mission ended; empty where that is known.
        cancelled_for: why its end is asked for; empty where it is not.
        record: what was heard of it.
    """

    def __init__(self, topics: Topics, ask: Callable[[], Request], now_s: float,
                 limit_s: float | None = None, search: Search | None = None) -> None:
        """Begin to look for the belief.

        Args:
            topics: the client's side of them.
            ask: asks for the mission.
            now_s: the time on the steady clock, as everywhere here.
            limit_s: the mission is cancelled after this time; None for never.
            search: that for the belief, where it has begun already.
        """
        self.stage = Stage.SEEKING
        self.error = ''
        self.cancelled_for = ''
        self.record = MissionRecord('')
        self._topics, self._ask, self._limit_s = topics, ask, limit_s
        self._search = search or Search(topics, now_s)
        self._asked: Request | None = None
        self._until_s = self._alive_s = self._spoke_s = now_s
        self._limit_at_s = float('inf')
        # The belief that accepted the mission, by its session.
        self._accepted_by = ''

    @property
    def never_asked(self) -> bool:
        """Tell whether nobody was asked for anything."""
        return self._asked is None

    def take(self, document: Document) -> None:
        """Take a document that came in; those of other missions change nothing."""
        self.record = self.record.after(document)

    def cancel(self, why: str) -> None:
        """Ask for the end of the mission, once there is one."""
        self.cancelled_for = self.cancelled_for or why

    def poll(self, now_s: float) -> Stage:
        """Look after it, and return how far it is."""
        try:
            self.stage = _POLL[self.stage](self, now_s)
        except NoAnswer as error:
            self.stage, self.error = Stage.OVER, str(error)
        return self.stage

    def _seek(self, now_s: float) -> Stage:
        if self.cancelled_for:
            return Stage.OVER
        if not self._search.found(now_s):
            return Stage.SEEKING
        self._asked = self._ask()
        self.record = MissionRecord(self._asked.goal_id, robot=self.record.robot)
        self._until_s = now_s + TAKEN_UP_S
        return Stage.ASKED

    def _await_mission(self, now_s: float) -> Stage:
        assert self._asked is not None
        if self.record.belief is not None:
            self._accepted_by = self.record.session
            self._alive_s = self._spoke_s = now_s
            if self._limit_s is not None:
                self._limit_at_s = now_s + self._limit_s
            return Stage.UNDER_WAY
        if self._asked.accepted is False:
            raise NoAnswer('the belief node takes no goals now; is it active?')
        if now_s > self._until_s:
            # It may be taken up later, when nobody follows it any more.
            self._asked.cancel()
            raise NoAnswer('the belief node did not take the goal up; see /diagnostics')
        return Stage.ASKED

    def _follow(self, now_s: float) -> Stage:
        if self.record.ended:
            return Stage.OVER
        self._look_after_belief(now_s)
        if now_s > self._limit_at_s:
            self.cancel(f'the mission took longer than {self._limit_s:.0f} s')
        if not self.cancelled_for:
            return Stage.UNDER_WAY
        assert self._asked is not None and self.record.belief is not None
        if self.record.session == self._accepted_by:
            self._asked.cancel()
        elif self.record.belief.phase is not Phase.STOPPING:
            # A belief that was started anew knows the mission, and no client of it. One that stops
            # already may stop for the next goal, which this request would end too.
            self._topics.request('cancel')
        self._until_s = now_s + CANCELLED_S
        return Stage.CANCELLING

    def _await_end(self, now_s: float) -> Stage:
        if self.record.ended:
            return Stage.OVER
        if now_s > self._until_s:
            raise NoAnswer(f'the belief node did not answer to the cancellation; {MAKE_SURE}')
        return Stage.CANCELLING

    def _look_after_belief(self, now_s: float) -> None:
        """Find out whether the mission still has an owner.

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
        """How it ended; None where that is not known, as of a robot that may still drive.

        What was taken back before it was asked for is cancelled, wherever the robot is.
        """
        if self.error:
            return None
        if self.never_asked:
            return Outcome.CANCELLED if self.stage is Stage.OVER else None
        return self.record.outcome

    @property
    def reason(self) -> str:
        """Why it ended so, in words, on one line."""
        belief = self.record.belief
        if self.error or belief is None:
            return self.error or f'taken back before it was asked for: {self.cancelled_for}'
        return quotable('; '.join(filter(None, (self.cancelled_for, belief.reason))), MAX_TEXT)


_POLL = {Stage.SEEKING: MissionClient._seek, Stage.ASKED: MissionClient._await_mission,
         Stage.UNDER_WAY: MissionClient._follow, Stage.CANCELLING: MissionClient._await_end,
         Stage.OVER: lambda client, now_s: Stage.OVER}
