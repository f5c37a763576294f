"""The shape that all four cores share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.vocabulary import Level


class Event:
    """Something that happened; a frozen dataclass derived from this, to be recorded."""


class Effect:
    """Something that a shell must do; a frozen dataclass. Its result comes back as an event.

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
    """Time passed; sent a few times a second."""


@dataclass(frozen=True)
class Ticking(Effect):
    """Send a Tick a few times a second from now on, or no more."""

    wanted: bool


@dataclass(frozen=True)
class Report(Effect):
    """Say this of one's own health, until something else is said of the same subject.

    Attributes:
        figures: name and count of what goes with it; where these alone change, nothing is logged.
    """

    subject: str
    level: Level
    text: str
    figures: tuple[tuple[str, int], ...] = ()


#: What every core may ask of its shell.
COMMON_KINDS: tuple[type, ...] = (DocumentReceived, Tick, Ticking, Report)

E = TypeVar('E', bound=Event)
B = TypeVar('B')


class Dispatch:
    """Hands each event to whoever takes its type; a document goes by the type of its body.

    Attributes:
        dropped: how many events and documents came too late or belong to no goal in hand. What
            nobody takes counts too.
    """

    def __init__(self) -> None:
        """Begin with nobody."""
        self._events: dict[type, Callable[[Any, Now], list[Output]]] = {}
        self._bodies: dict[type, Callable[[Document, Any, Now], list[Output]]] = {}
        self.dropped = 0

    def on(self, kind: type[E], take: Callable[[E, Now], list[Output]]) -> None:
        """Name who takes the events of a type."""
        self._events[kind] = take

    def on_body(self, kind: type[B], take: Callable[[Document, B, Now], list[Output]]) -> None:
        """Name who takes the documents whose bodies are of a type."""
        self._bodies[kind] = take

    def __call__(self, event: Event, now: Now) -> list[Output]:
        """Hand an event over and return what follows from it."""
        if isinstance(event, DocumentReceived):
            of_body = self._bodies.get(type(event.document.body))
            return self.drop() if of_body is None else of_body(
                event.document, event.document.body, now)
        take = self._events.get(type(event))
        return self.drop() if take is None else take(event, now)

    def drop(self) -> list[Output]:
        """Count what came too late or belongs to no goal in hand; nothing follows from it."""
        self.dropped += 1
        return []

    def report(self) -> Report:
        """Return how much was dropped, for /diagnostics."""
        text = 'too late, or of no goal in hand' if self.dropped else 'nothing'
        return Report('dropped', Level.OK, text, (('dropped', self.dropped),))


class StandingEffects:
    """Effects that hold until another one of the same kind takes their place."""

    def __init__(self) -> None:
        """Begin with none."""
        self._standing: dict[object, Effect] = {}

    def changed(self, *effects: Effect) -> list[Effect]:
        """Return those of the effects that differ from what holds, and let them hold."""
        news = []
        for effect in effects:
            key = (type(effect), effect.subject) if isinstance(effect, Report) else type(effect)
            if self._standing.get(key) != effect:
                self._standing[key] = effect
                news.append(effect)
        return news

    def forget(self, kind: type[Effect]) -> None:
        """Let the next effect of a kind be news: whoever obeyed the last may have forgotten it."""
        self._standing.pop(kind, None)


class Core(Protocol):
    """A part of the product without clocks, threads or I/O.

    A shell feeds it events and carries out what it returns; it reads nothing else of it.
    """

    def handle(self, event: Event, now: Now) -> Sequence[Output]:
        """Take one event in and return what follows from it, in order."""
