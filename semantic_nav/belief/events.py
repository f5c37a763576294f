"""What reaches the belief besides documents."""

from dataclasses import dataclass

from semantic_nav.contracts.core import Event


@dataclass(frozen=True)
class GoalReceived(Event):
    """The operator said what to find."""

    text: str


@dataclass(frozen=True)
class AnswerReceived(Event):
    """The operator answered the open question."""

    text: str


@dataclass(frozen=True)
class CancelRequested(Event):
    """Somebody wants the mission to end."""


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


RECORD_KINDS = (GoalReceived, AnswerReceived, CancelRequested, ListenersChanged, SwitchedOff)

#: Schemas of the documents that this core takes in, and of those that it writes.
READS = ('look', 'hypothesis', 'observation', 'candidates', 'verdict', 'pose')
WRITES = ('belief', 'step')
