"""The shape that all four cores share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.documents import Document


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


class Core(Protocol):
    """A part of the product without clocks, threads or I/O."""

    @property
    def wants_ticks(self) -> bool:
        """Tell whether the passing of time matters now."""

    def handle(self, event: Event, now: Now) -> Sequence[Output]:
        """Take one event in and return what follows from it, in order."""
