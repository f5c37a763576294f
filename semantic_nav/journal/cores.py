"""The four parts of the product, for a shell that holds more than one of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from semantic_nav.belief import events as belief_events
from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.core import BeliefCore
from semantic_nav.contracts.blobs import Blobs
from semantic_nav.contracts.codec import RecordCodec
from semantic_nav.contracts.core import COMMON_KINDS, Core
from semantic_nav.memory import events as memory_events
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.core import MemoryCore
from semantic_nav.verify import events as verifier_events
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.core import VerifierCore
from semantic_nav.vlm import events as hypothesis_events
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.core import HypothesisCore


@dataclass(frozen=True)
class Part:
    """A part of the product: one core with its configuration and records.

    Attributes:
        config: class of its configuration.
        core: makes the core from a configuration, a session and a seed.
        kinds: its events and effects besides those that all cores share.
        reads, writes: schemas of the documents that it reads and writes.
    """

    config: type
    core: Callable[[Any, str, int], Core]
    kinds: tuple[type, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]

    def codec(self, blobs: Blobs) -> RecordCodec:
        """Codec of the part's journal."""
        return RecordCodec((*COMMON_KINDS, *self.kinds), blobs)


def _part(config: type, core: Callable[[Any, str, int], Core], events: Any) -> Part:
    return Part(config, core, events.RECORD_KINDS, events.READS, events.WRITES)


#: The parts by node name.
PARTS = {
    'hypothesis': _part(HypothesisConfig, HypothesisCore, hypothesis_events),
    'memory': _part(MemoryConfig, MemoryCore, memory_events),
    'belief': _part(BeliefConfig, BeliefCore, belief_events),
    'verifier': _part(VerifierConfig, VerifierCore, verifier_events),
}
