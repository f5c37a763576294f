"""The shell of a core in simulated time: no ROS and no threads, but the same journal."""

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from semantic_nav.contracts.blobs import Blobs
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.codec import decode_document, encode_document, to_plain
from semantic_nav.contracts.core import (
    DocumentReceived,
    Effect,
    Event,
    Output,
    Report,
    Tick,
    Ticking,
)
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.journal import Gap, JournalWriter, Start
from semantic_nav.journal.cores import PARTS
from semantic_nav_sim.bench.scheduler import Scheduler

#: Constant, so that equal seeds give equal ids.
SESSION = 'bench'
_TICK_S = 0.25

Effects = dict[type[Effect], Callable[[Any], None]]
Reader = Callable[[Document], None]


class Journal(Protocol):
    """A journal of every event with its time and its outputs."""

    def append(self, now: Now, event: Event, outputs: Sequence[Output], *, durable: bool,
               gap: Gap | None = None) -> None:
        """Write one record, and the gap before it."""

    def close(self) -> None:
        """Stop writing."""


class Bus:
    """Delivers each document, through its JSON form, to the cores that read its schema."""

    def __init__(self) -> None:
        """Start without readers."""
        self._readers: dict[str, list[tuple[str, Reader]]] = {}
        self._waiting: deque[Document] = deque()
        self._busy = False

    def listen(self, schema: str, reader: Reader, node: str = '') -> None:
        """Register a reader of a schema, which may belong to a node."""
        self._readers.setdefault(schema, []).append((node, reader))

    def publish(self, document: Document) -> None:
        """Deliver a document to its readers. One that is published meanwhile waits."""
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
        for node, reader in self._readers.get(schema, ()):
            self.bring(received, node, reader)

    def bring(self, document: Document, node: str, reader: Reader) -> None:
        """Deliver a document to one reader, here without delay."""
        del node
        reader(document)


class CoreShell:
    """Runs one core: events in, outputs out, and a journal of both.

    Attributes:
        effects: handlers of this core's effects.
        journal: of events and outputs.
        running: whether it is not closed yet.
    """

    def __init__(self, name: str, config: Any, seed: int, scheduler: Scheduler, bus: Bus,
                 journal: Path, blobs: Blobs, session: str = SESSION) -> None:
        """Make the core and open its journal.

        Args:
            name: of the part, as in PARTS.
            config: its configuration.
            seed: of its random numbers.
            scheduler: gives the time.
            bus: brings and takes documents.
            journal: folder of the journals.
            blobs: store of arrays.
            session: distinguishes this start of the part from others.
        """
        part = PARTS[name]
        self.core: Any = part.core(config, session, seed)
        self.effects: Effects = {}
        self.running = True
        self._ticking = False
        #: The first event is being handled.
        self._waiting: deque[Event] = deque()
        self._common: Effects = {Ticking: self._let_tick, Report: lambda effect: None}
        self._scheduler, self._bus = scheduler, bus
        self.journal: Journal = JournalWriter(
            journal / f'{name}.jsonl', Start(name, session, seed, to_plain(config)),
            part.codec(blobs))
        for schema in part.reads:
            bus.listen(schema, lambda document: self.feed(DocumentReceived(document)), name)
        scheduler.every(_TICK_S, self._tick, lambda: self.running)

    def feed(self, event: Event) -> None:
        """Give an event to the core, record it, and carry out its outputs.

        As in a node, all outputs of one event go out before the next event is taken: an event that
        they cause waits. A closed shell takes nothing.
        """
        if not self.running:
            return
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
        self.journal.append(now, event, outputs, durable=False)
        for output in outputs:
            self.carry_out(output)

    def carry_out(self, output: Output) -> None:
        """Carry out an output."""
        if isinstance(output, Document):
            self._bus.publish(output)
        else:
            {**self._common, **self.effects}[type(output)](output)

    def close(self) -> None:
        """Stop, as a process that ends, and close the journal."""
        self.running = False
        self.journal.close()

    def _let_tick(self, effect: Ticking) -> None:
        self._ticking = effect.wanted

    def _tick(self) -> None:
        if self._ticking:
            self.feed(Tick())
