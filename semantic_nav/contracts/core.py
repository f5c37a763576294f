"""The interface that all four cores share: events in, effects and documents out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.vocabulary import Level


class Event:
    """An event that a core handles; subclasses are frozen dataclasses, so that it is recorded."""


class Effect:
    """A task for the shell; subclasses are frozen dataclasses. Its result comes back as an event.

    Attributes:
        durable: it starts a motion, so its record must be on the disk before it is carried out.
    """

    durable: ClassVar[bool] = False


Output = Document | Effect


@dataclass(frozen=True)
class DocumentReceived(Event):
    """A document of another node arrived and kept its schema."""

    document: Document


@dataclass(frozen=True)
class Tick(Event):
    """A clock tick, sent a few times a second."""


@dataclass(frozen=True)
class Ticking(Effect):
    """Start or stop sending ticks."""

    wanted: bool


@dataclass(frozen=True)
class Report(Effect):
    """A health status of this node, valid until the next one of its subject.

    Attributes:
        figures: names and counts that belong to it; a change of these alone is not logged.
    """

    subject: str
    level: Level
    text: str
    figures: tuple[tuple[str, int], ...] = ()


#: Events and effects that every core shares with its shell.
COMMON_KINDS: tuple[type, ...] = (DocumentReceived, Tick, Ticking, Report)

E = TypeVar('E', bound=Event)
B = TypeVar('B')


class Dispatch:
    """A dispatcher that hands each event to the handler of its type.

    A document goes to the handler of its body's type.

    Attributes:
        dropped: number of events and documents that came too late, belong to no goal in hand, or
            have no handler.
    """

    def __init__(self) -> None:
        """Begin without handlers."""
        self._events: dict[type, Callable[[Any, Now], list[Output]]] = {}
        self._bodies: dict[type, Callable[[Document, Any, Now], list[Output]]] = {}
        self.dropped = 0

    def on(self, kind: type[E], take: Callable[[E, Now], list[Output]]) -> None:
        """Register the handler of a type of events."""
        self._events[kind] = take

    def on_body(self, kind: type[B], take: Callable[[Document, B, Now], list[Output]]) -> None:
        """Register the handler of the documents with a type of body."""
        self._bodies[kind] = take

    def __call__(self, event: Event, now: Now) -> list[Output]:
        """Hand an event to its handler; returns the handler's outputs."""
        if isinstance(event, DocumentReceived):
            of_body = self._bodies.get(type(event.document.body))
            return self.drop() if of_body is None else of_body(
                event.document, event.document.body, now)
        take = self._events.get(type(event))
        return self.drop() if take is None else take(event, now)

    def drop(self) -> list[Output]:
        """Count a dropped event or document; returns no outputs."""
        self.dropped += 1
        return []

    def report(self) -> Report:
        """The number of dropped events and documents, for /diagnostics."""
        text = 'too late, or of no goal in hand' if self.dropped else 'nothing'
        return Report('dropped', Level.OK, text, (('dropped', self.dropped),))


class StandingEffects:
    """Effects that hold until another one of their kind replaces them.

    A report's kind includes its subject.
    """

    def __init__(self) -> None:
        """Begin without effects."""
        self._standing: dict[object, Effect] = {}

    def changed(self, *effects: Effect) -> list[Effect]:
        """Record some effects; returns those that differ from the ones that hold."""
        news = []
        for effect in effects:
            key = (type(effect), effect.subject) if isinstance(effect, Report) else type(effect)
            if self._standing.get(key) != effect:
                self._standing[key] = effect
                news.append(effect)
        return news

    def forget(self, kind: type[Effect]) -> None:
        """Treat the next effect of a kind as new, because the shell may have lost the last one."""
        self._standing.pop(kind, None)


class Core(Protocol):
    """The logic of a node, without clocks, threads or I/O.

    A shell feeds it events and carries out what it returns; it has no other input.
    """

    def handle(self, event: Event, now: Now) -> Sequence[Output]:
        """Handle one event; returns the outputs in order."""
