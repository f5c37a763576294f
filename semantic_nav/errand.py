"""A goal followed from outside, from saying it to its end: for `ask` and for the action `find`.

No ROS and no clock: whoever has them hands in documents and the time, and looks after it often.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from semantic_nav.belief.goal_text import quotable
from semantic_nav.contracts.documents import (
    Belief,
    Document,
    Hypothesis,
    Observation,
    RobotPose,
    Track,
)
from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.contracts.fields import MAX_TEXT
from semantic_nav.contracts.vocabulary import ModelAnswer, Outcome, Phase, Source, Status

FOUND_S = 10.0
#: A goal begins, and a mission is over, when the robot stands, or after `stop_wait_s` of belief.
TAKEN_UP_S = 30.0
CANCELLED_S = 30.0
#: What earlier missions left is held for late comers; it comes in before anything is said.
SETTLE_S = 0.5
GONE_S = 5.0
#: So long after the end what led to it may come in.
LAST_WORDS_S = 0.3
MAKE_SURE = 'make sure that the robot stands'
#: Where `home` leads: the name of a place.
HOME = 'home'
#: In these the belief holds that the target is somewhere.
_HELD = (Status.VISIBLE, Status.UNREACHABLE, Status.DONE)


class NoAnswer(SemanticNavError):
    """The belief node is not there, or does not answer."""


@dataclass
class Said:
    """A goal that was said.

    Attributes:
        words: of the goal.
        goal_id: of its mission; None before the belief has taken it up or refused it.
    """

    words: str
    goal_id: str | None = None

    def is_of(self, belief: Belief) -> bool:
        """Tell whether a mission that is new has these words; of those too long a part is told."""
        words, told = quotable(self.words.strip(), MAX_TEXT), belief.goal_text
        return words == told or (
            belief.outcome is Outcome.REFUSED and bool(told) and words.startswith(told))


class Operator(Protocol):
    """The operator's side of the topics."""

    @property
    def goal_topic(self) -> str:
        """The full name of the topic of goals."""

    @property
    def ready(self) -> bool:
        """Tell whether a goal would be heard, its belief be received, and requests be served."""

    @property
    def listeners(self) -> frozenset[bytes]:
        """By what each belief that listens to goals can be told from the one before its start."""

    def forget(self, said: Said) -> None:
        """Wait no more for a goal to be taken up."""

    def request(self, name: str) -> object:
        """Ask the belief for something."""


class Search:
    """Looks for the belief node, and waits for what it published last."""

    def __init__(self, operator: Operator, now_s: float) -> None:
        """Begin to look at this time."""
        self._operator = operator
        self._until_s = now_s + FOUND_S
        self._found_s: float | None = None

    def found(self, now_s: float) -> bool:
        """Tell whether a goal may be said.

        Raises:
            NoAnswer: there is none.
        """
        if self._found_s is None and self._operator.ready:
            self._found_s = now_s
        if self._found_s is not None:
            return now_s - self._found_s >= SETTLE_S
        if now_s > self._until_s:
            raise NoAnswer(
                f'no belief node listens to {self._operator.goal_topic} after {FOUND_S:.0f} s; '
                'is it started and active, in this namespace and ROS domain?')
        return False


class Stage(Enum):
    """How far an errand is."""

    SEEKING = 'seeking'
    SAID = 'said'
    UNDER_WAY = 'under way'
    CANCELLING = 'cancelling'
    OVER = 'over'


class Errand:
    """Says a goal once a belief is there to hear it, and follows its mission to the end.

    Attributes:
        stage: how far it is.
        error: why nobody knows how the mission ended; empty where that is known.
        cancelled_for: why its end is asked for; empty where it is not.
        belief: what the belief said of the mission last.
        robot: where the robot was last; a `RobotPose`.
        seen: the last observation that holds the target.
    """

    def __init__(self, operator: Operator, say: Callable[[], Said], now_s: float,
                 limit_s: float | None = None, search: Search | None = None) -> None:
        """Begin to look for the belief.

        Args:
            operator: the topics.
            say: says the goal.
            now_s: the time on the steady clock, as everywhere here.
            limit_s: the mission is cancelled after this time; None for never.
            search: that for the belief, where it has begun already.
        """
        self.stage = Stage.SEEKING
        self.error = ''
        self.cancelled_for = ''
        self.belief: Belief | None = None
        self.robot: Document | None = None
        self.seen: Document | None = None
        self._operator, self._say, self._limit_s = operator, say, limit_s
        self._search = search or Search(operator, now_s)
        self._said: Said | None = None
        self._until_s = self._heard_s = now_s
        self._limit_at_s = float('inf')
        # Who heard the goal, and the newest document of the mission by its id.
        self._listeners: frozenset[bytes] = frozenset()
        self._newest_id = ''
        self._speaker = ''
        self._looked: Observation | None = None
        self._looks = 0
        self._model: Hypothesis | None = None

    @property
    def goal_id(self) -> str:
        """The mission; empty before it is known."""
        return (self._said.goal_id if self._said is not None else None) or ''

    @property
    def never_said(self) -> bool:
        """Tell whether nobody was asked for anything."""
        return self._said is None

    def take(self, document: Document) -> None:
        """Take a document that came in; those of other missions change nothing."""
        body = document.body
        if isinstance(body, RobotPose):
            self.robot = document
        if not self.goal_id or document.goal_id != self.goal_id:
            return
        match body:
            case Belief():
                self.belief, self._newest_id = body, document.id
            case Observation():
                self._looked = body
                self._looks += body.source is Source.MODEL
                if body.track is not None:
                    self.seen = document
            case Hypothesis() if body.meta.vlm_answer is ModelAnswer.VALID:
                self._model = body
            case _:
                pass

    def cancel(self, why: str) -> None:
        """Ask for the end of the mission, once there is one."""
        self.cancelled_for = self.cancelled_for or why

    def abandon(self, why: str) -> None:
        """Follow it no more, though nobody knows how it ends."""
        self.stage, self.error = Stage.OVER, f'{why}; {MAKE_SURE}'

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
        self._said = self._say()
        self._until_s = now_s + TAKEN_UP_S
        return Stage.SAID

    def _await_mission(self, now_s: float) -> Stage:
        if self.goal_id:
            self._listeners, self._speaker = self._operator.listeners, self._session
            self._heard_s = now_s
            if self._limit_s is not None:
                self._limit_at_s = now_s + self._limit_s
            return Stage.UNDER_WAY
        if now_s > self._until_s:
            assert self._said is not None
            self._operator.forget(self._said)
            raise NoAnswer('the belief node did not take the goal up; see /diagnostics')
        return Stage.SAID

    def _follow(self, now_s: float) -> Stage:
        if self._ended:
            return Stage.OVER
        self._look_who_listens(now_s)
        if now_s > self._limit_at_s:
            self.cancel(f'the mission took longer than {self._limit_s:.0f} s')
        if not self.cancelled_for:
            return Stage.UNDER_WAY
        if self.belief is None or self.belief.phase is not Phase.STOPPING:
            # One that stops already may stop for the next goal, which a request would end too.
            self._operator.request('cancel')
        self._until_s = now_s + CANCELLED_S
        return Stage.CANCELLING

    def _await_end(self, now_s: float) -> Stage:
        if self._ended:
            return Stage.OVER
        if now_s > self._until_s:
            raise NoAnswer(f'the belief node did not answer to the cancellation; {MAKE_SURE}')
        return Stage.CANCELLING

    def _look_who_listens(self, now_s: float) -> None:
        """Find out whether the mission still has an owner.

        Raises:
            NoAnswer: it has none.
        """
        listeners = self._operator.listeners
        if not listeners:
            if now_s - self._heard_s > GONE_S:
                raise NoAnswer('the belief node is gone, and with it the mission')
            return
        if not self._listeners or listeners & self._listeners or self._session != self._speaker:
            # The same as before, or one that was started anew and has taken the mission up.
            self._listeners, self._speaker = listeners, self._session
            self._heard_s = now_s
        elif now_s - self._heard_s > TAKEN_UP_S:
            raise NoAnswer('the belief node was started anew and has not taken the mission up; '
                           f'{MAKE_SURE}')

    @property
    def _session(self) -> str:
        """Which start of the belief node spoke last."""
        return self._newest_id.rpartition('-')[0]

    @property
    def _ended(self) -> bool:
        return self.belief is not None and self.belief.outcome is not None

    @property
    def stands(self) -> bool:
        """Tell whether the verifier, asked at the end, said that the robot stands."""
        return bool(self.belief is not None and self.belief.stands)

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; None where that is not known, as of a robot that may still drive.

        What was taken back before it was said is cancelled, wherever the robot is.
        """
        if self.error:
            return None
        if self.never_said:
            return Outcome.CANCELLED if self.stage is Stage.OVER else None
        if self.belief is None:
            return None
        cancelled = self.belief.outcome is Outcome.CANCELLED
        return None if cancelled and not self.belief.stands else self.belief.outcome

    @property
    def reason(self) -> str:
        """Why it ended so, in words, on one line."""
        if self.error or self.belief is None:
            return self.error or f'taken back before it was said: {self.cancelled_for}'
        return quotable('; '.join(filter(None, (self.cancelled_for, self.belief.reason))),
                        MAX_TEXT)

    @property
    def target(self) -> Track | None:
        """Where the target is held to be, in the frame of `seen`; None where none is."""
        held = self.belief is not None and self.belief.status in _HELD
        body = self.seen.body if held and self.seen is not None else None
        return body.track if isinstance(body, Observation) else None

    @property
    def evidence(self) -> str:
        """What the end rests on, in words; what the model says is quoted on one line."""
        said = []
        if self._looks:
            said.append(f'looks that the model answered: {self._looks}')
        if self._looked is not None:
            said.append(f'{self._looked.coverage:.0%} of the floor in reach was looked at')
        track = self.target
        if track is not None:
            said.append(f'sightings in a row that agree: {track.hits}, from so many places: '
                        f'{track.views}')
        if self._model is not None:
            told = self._model.hypothesis
            words = quotable(told.rationale, MAX_TEXT)
            said.append(f'last, the model says {told.target_status.value}, '
                        f'{told.confidence:.0%} sure' + (f': "{words}"' if words else ''))
        return '; '.join(said)


_POLL = {Stage.SEEKING: Errand._seek, Stage.SAID: Errand._await_mission,
         Stage.UNDER_WAY: Errand._follow, Stage.CANCELLING: Errand._await_end,
         Stage.OVER: lambda errand, now_s: Stage.OVER}
