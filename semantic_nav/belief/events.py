"""What reaches the belief besides documents, and what it asks of its shell."""

from dataclasses import dataclass

from semantic_nav.belief.goal import Goal
from semantic_nav.belief.kept import Kept
from semantic_nav.contracts.core import Effect, Event


@dataclass(frozen=True)
class GoalReceived(Event):
    """Somebody wants a mission.

    Attributes:
        goal: what it is for.
        may_repeat: it came on a topic: a bridge may send the same words more than once.
    """

    goal: Goal
    may_repeat: bool = False


@dataclass(frozen=True)
class AnswerReceived(Event):
    """The operator answered the open question."""

    text: str


@dataclass(frozen=True)
class CancelRequested(Event):
    """Somebody wants a mission to end.

    Attributes:
        goal_id: which; empty for whatever is under way.
    """

    goal_id: str = ''


@dataclass(frozen=True)
class PauseRequested(Event):
    """Somebody wants the robot to stand, and the mission to wait."""


@dataclass(frozen=True)
class ResumeRequested(Event):
    """Somebody wants the paused mission to go on."""


@dataclass(frozen=True)
class ListenersChanged(Event):
    """Whether those who carry out the steps are there.

    Attributes:
        missing: who is not.
        restarted: who was started anew since the last such event, and knows no step before.
    """

    missing: tuple[str, ...]
    restarted: tuple[str, ...] = ()


@dataclass(frozen=True)
class SwitchedOff(Event):
    """The node is about to end: it hears nothing any more."""


@dataclass(frozen=True)
class AnswerRequest(Effect):
    """Answer whoever asked just now for a cancel, a pause or the end of one.

    Attributes:
        accepted: what was asked for follows.
        message: 'accepted', or why not.
    """

    accepted: bool
    message: str


@dataclass(frozen=True)
class MissionFound(Event):
    """A belief that was there before left a mission.

    Attributes:
        away_s: how long nobody cared for it; None where that is not known.
    """

    kept: Kept
    away_s: float | None


@dataclass(frozen=True)
class KeepMission(Effect):
    """Keep this where a belief that is started anew finds it, whatever ends this one.

    Attributes:
        kept: None for nothing any more.
    """

    kept: Kept | None


RECORD_KINDS = (GoalReceived, AnswerReceived, CancelRequested, PauseRequested, ResumeRequested,
                ListenersChanged, SwitchedOff, AnswerRequest, MissionFound, KeepMission)

#: Schemas of the documents that this core takes in, and of those that it writes.
READS = ('look', 'hypothesis', 'observation', 'candidates', 'verdict', 'pose')
WRITES = ('belief', 'step')
