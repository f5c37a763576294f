"""The belief's events besides documents, and its effects."""

from dataclasses import dataclass

from semantic_nav.belief.goal import Goal
from semantic_nav.belief.kept import Kept
from semantic_nav.contracts.core import Effect, Event


@dataclass(frozen=True)
class GoalReceived(Event):
    """A mission is requested.

    Attributes:
        goal: of the mission.
        may_repeat: it came on a topic, where a bridge may send the same words more than once.
    """

    goal: Goal
    may_repeat: bool = False


@dataclass(frozen=True)
class AnswerReceived(Event):
    """The operator answered the open question."""

    text: str


@dataclass(frozen=True)
class CancelRequested(Event):
    """The end of a mission is requested.

    Attributes:
        goal_id: of that mission; empty for the one under way.
    """

    goal_id: str = ''


@dataclass(frozen=True)
class PauseRequested(Event):
    """A pause is requested: the robot stands, and the mission waits."""


@dataclass(frozen=True)
class ResumeRequested(Event):
    """The end of the pause is requested."""


#: Requests that work for any mission, by the name of their service.
REQUESTS: dict[str, type[CancelRequested | PauseRequested | ResumeRequested]] = {
    'cancel': CancelRequested, 'pause': PauseRequested, 'resume': ResumeRequested}


@dataclass(frozen=True)
class ListenersChanged(Event):
    """The presence of the nodes that carry out steps.

    Attributes:
        missing: nodes that are not there.
        restarted: nodes that were restarted since the last such event; they know no earlier step.
    """

    missing: tuple[str, ...]
    restarted: tuple[str, ...] = ()


@dataclass(frozen=True)
class SwitchedOff(Event):
    """The node is about to end, and hears nothing any more."""


@dataclass(frozen=True)
class AnswerRequest(Effect):
    """The answer to a request to cancel, pause or resume.

    Attributes:
        accepted: the request is carried out.
        message: 'accepted', or the reason of the refusal.
    """

    accepted: bool
    message: str


@dataclass(frozen=True)
class MissionFound(Event):
    """A previous belief node left a mission.

    Attributes:
        away_s: time without a belief node, in s; None if unknown.
    """

    kept: Kept
    away_s: float | None


@dataclass(frozen=True)
class KeepMission(Effect):
    """Store the mission for the next start of the belief node, however this one ends.

    Attributes:
        kept: the mission; None to store none.
    """

    kept: Kept | None


RECORD_KINDS = (GoalReceived, AnswerReceived, CancelRequested, PauseRequested, ResumeRequested,
                ListenersChanged, SwitchedOff, AnswerRequest, MissionFound, KeepMission)

#: Schemas of the documents that this core reads, and of those that it writes.
READS = ('look', 'hypothesis', 'observation', 'candidates', 'verdict', 'pose')
WRITES = ('belief', 'step')
