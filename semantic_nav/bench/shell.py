"""The shell of a core in simulated time: no ROS, no threads, the same journal."""

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from semantic_nav.bench.scheduler import Scheduler
from semantic_nav.contracts.blobs import Blobs
from semantic_nav.contracts.codec import decode_document, encode_document, to_plain
from semantic_nav.contracts.core import DocumentReceived, Effect, Event, Report, Tick, Ticking
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.journal import JournalWriter, Start
from semantic_nav.parts import PARTS

#: The same in every run, so that the same seed gives the same ids.
SESSION = 'bench'
_TICK_S = 0.25

Effects = dict[type[Effect], Callable[[Any], None]]


class Bus:
    """Brings each document to the cores that read its schema, through its JSON form."""

    def __init__(self) -> None:
        """Connect nobody yet."""
        self._readers: dict[str, list[Callable[[Document], None]]] = {}
        self._waiting: deque[Document] = deque()
        self._busy = False

    def listen(self, schema: str, reader: Callable[[Document], None]) -> None:
        """Bring documents of a schema to a reader."""
        self._readers.setdefault(schema, []).append(reader)

    def publish(self, document: Document) -> None:
        """Bring a document to its readers; one written meanwhile waits for its turn."""
        self._waiting.append(document)
        if self._busy:
            return
        self._busy = True
        try:
            while self._waiting:
                self._deliver(self._waiting.popleft())
        finally:
            self._busy = False

    def _deliver(self, document: Document) -> None:
        schema = document.schema
        received = decode_document(encode_document(document), schema)
        for reader in self._readers.get(schema, ()):
            reader(received)


class CoreShell:
    """Runs one core: events in, outputs out, a journal of both."""

    def __init__(self, name: str, config: Any, seed: int, scheduler: Scheduler, bus: Bus,
                 journal: Path, blobs: Blobs) -> None:
        """Make the core and open its journal.

        Args:
            name: of the part, as in PARTS.
            config: its configuration.
            seed: of its random numbers.
            scheduler: gives the time.
            bus: brings and takes documents.
            journal: folder of the journals.
            blobs: where arrays are kept.
        """
        part = PARTS[name]
        self.core: Any = part.core(config, SESSION, seed)
        self.effects: Effects = {}
        self._ticking = False
        #: The first one is in hand.
        self._waiting: deque[Event] = deque()
        self._common: Effects = {Ticking: self._let_tick, Report: lambda effect: None}
        self._scheduler, self._bus = scheduler, bus
        self._journal = JournalWriter(
            journal / f'{name}.jsonl', Start(name, SESSION, seed, to_plain(config)),
            part.codec(blobs))
        for schema in part.reads:
            bus.listen(schema, lambda document: self.feed(DocumentReceived(document)))
        scheduler.every(_TICK_S, self._tick)

    def feed(self, event: Event) -> None:
        """Give an event to the core, record it, and carry out what follows.

        As in a node, all that follows from one event goes out before the next is taken: what a
        document leads to at once waits.
        """
        self._waiting.append(event)
        if len(self._waiting) > 1:
            return
        while self._waiting:
            try:
                self._take(self._waiting[0])
            finally:
                self._waiting.popleft()

    def _take(self, event: Event) -> None:
        now = self._scheduler.now
        outputs = list(self.core.handle(event, now))
        self._journal.append(now, event, outputs, durable=False)
        for output in outputs:
            if isinstance(output, Document):
                self._bus.publish(output)
            else:
                {**self._common, **self.effects}[type(output)](output)

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def _let_tick(self, effect: Ticking) -> None:
        self._ticking = effect.wanted

    def _tick(self) -> None:
        if self._ticking:
            self.feed(Tick())
