"""The bus as DDS brings documents: late, in the order of each writer, and at times not at all."""

import random
from collections import deque
from dataclasses import dataclass, field

from semantic_nav.contracts.clock import NS_PER_S, nanoseconds
from semantic_nav.contracts.documents import Document
from semantic_nav.journal.cores import PARTS
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.bench.shell import Bus, Reader

#: How many documents wait for a late reader before the oldest is lost: the depth of the history.
DEPTH = {'candidates': 1}
_DEPTH = 10
#: Of these a reader that comes late gets the last one of each writer that is there.
LASTING = ('belief', 'candidates')
WRITER = {schema: name for name, part in PARTS.items() for schema in part.writes
          if schema != 'reply'}


@dataclass
class _Channel:
    """From the writers of one topic to one reader."""

    rng: random.Random
    waiting: deque[tuple[int, Document]] = field(default_factory=deque)
    due_ns: int = 0


class Network(Bus):
    """Delays, loses and repeats documents as faults say; each channel has chances of its own.

    Attributes:
        late_s: longest delay of each document of a topic; '*' stands for all.
        cut: pairs `writer>reader` that do not hear each other.
        disturbed_ns: when a topic was last late or cut.
        tap: sees each document the moment that it is written.
    """

    def __init__(self, seed: int, scheduler: Scheduler, jitter_s: float) -> None:
        """Bring documents within the usual time."""
        super().__init__()
        self._seed, self._scheduler, self._jitter_s = seed, scheduler, jitter_s
        self._channels: dict[tuple[str, str, int], _Channel] = {}
        self._last: dict[tuple[str, str], Document] = {}
        self.late_s: dict[str, float] = {}
        self.cut: set[str] = set()
        self.disturbed_ns: dict[str, int] = {}
        self.tap: Reader = lambda document: None

    def publish(self, document: Document) -> None:
        """See Bus; the last one of some topics is kept for who comes late."""
        if document.schema in LASTING:
            self._last[document.schema, writer_of(document)] = document
        self.tap(document)
        super().publish(document)

    def bring(self, document: Document, node: str, reader: Reader) -> None:
        """See Bus; who belongs to no node sees everything at once."""
        if not node:
            reader(document)
            return
        schema = document.schema
        key = (schema, node, id(reader))
        channel = self._channels.get(key)
        if channel is None:
            channel = self._channels[key] = _Channel(
                random.Random(f'{self._seed} {schema} {node}'))
        draw = channel.rng.random()
        late_s = max(self.late_s.get(schema, 0.0), self.late_s.get('*', 0.0))
        now_ns = self._scheduler.now_ns
        if late_s:
            self.disturbed_ns[schema] = now_ns + nanoseconds(late_s)
        if f'{writer_of(document)}>{node}' in self.cut:
            self.disturbed_ns[schema] = now_ns
            return
        due_ns = max(channel.due_ns, now_ns + round(draw * (late_s or self._jitter_s) * NS_PER_S))
        if due_ns <= now_ns and not channel.waiting:
            reader(document)
            return
        if len(channel.waiting) >= DEPTH.get(schema, _DEPTH):
            channel.waiting.popleft()
        channel.waiting.append((due_ns, document))
        channel.due_ns = due_ns
        self._scheduler.after((due_ns - now_ns) / NS_PER_S,
                              lambda: self._hand_over(channel, reader))

    def _hand_over(self, channel: _Channel, reader: Reader) -> None:
        while channel.waiting and channel.waiting[0][0] <= self._scheduler.now_ns:
            reader(channel.waiting.popleft()[1])

    def leave(self, node: str) -> None:
        """Forget what a writer keeps for who comes late, as its process does."""
        self._last = {(schema, writer): document
                      for (schema, writer), document in self._last.items() if writer != node}

    def meet(self, node: str, writer: str = '') -> None:
        """Give a reader the last documents that last, of all writers or of one met again."""
        for (schema, of), document in list(self._last.items()):
            if writer in ('', of):
                # The newest reader of a name is the one that runs; others are closed.
                for name, reader in self._readers.get(schema, ()):
                    if name == node:
                        self.bring(document, node, reader)


def writer_of(document: Document) -> str:
    """Return who wrote a document."""
    return WRITER.get(document.schema) or document.id.partition('-')[0]
