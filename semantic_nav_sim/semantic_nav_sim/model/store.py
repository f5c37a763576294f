"""The models on a server's disk, and the one in its memory."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from typing import Any

from semantic_nav_sim.model.card import ModelCard
from semantic_nav_sim.model.engine import Engine

Json = dict[str, Any]
_CONFIG_BYTES = 487
#: Number of parts of a layer.
_PARTS = 10


class ModelStore:
    """Store of models: one at first, and others of the known families after a pull.

    Args:
        engine: The first model; the others share its eyes and faults.
    """

    def __init__(self, engine: Engine) -> None:
        self._engines = {engine.card.name: engine}
        self._first = engine
        self._loaded: tuple[ModelCard, float, int] | None = None

    @property
    def cards(self) -> list[ModelCard]:
        """The models on the disk, by name."""
        return [self._engines[name].card for name in sorted(self._engines)]

    def engine(self, name: str) -> Engine | None:
        """A model by name; None if it is not on the disk."""
        return next((engine for engine in self._engines.values() if engine.card.is_named(name)),
                    None)

    def keep(self, card: ModelCard, keep_alive_s: float, num_ctx: int) -> None:
        """Note that a model is loaded, for some time from now (negative: for ever)."""
        lasts_s = keep_alive_s if keep_alive_s >= 0.0 else float('inf')
        self._loaded = card, time.monotonic() + lasts_s, num_ctx

    @property
    def loaded(self) -> tuple[ModelCard, float, int] | None:
        """The model in the memory, its remaining time [s], and its context window [tokens]."""
        if self._loaded is None:
            return None
        card, until_s, num_ctx = self._loaded
        left_s = until_s - time.monotonic()
        return (card, left_s, num_ctx) if left_s > 0.0 else None

    def pull(self, name: str) -> Iterator[Json]:
        """Yield a server's messages during a pull; the model exists after the last one.

        Its library has every model of the known families. For others it yields an error line, as
        Ollama does.
        """
        card = ModelCard(name)
        yield {'status': 'pulling manifest'}
        if not card.of_known_family:
            yield {'error': 'pull model manifest: file does not exist'}
            return
        for layer, total in (('model', card.size_bytes), ('config', _CONFIG_BYTES)):
            digest = hashlib.sha256(f'{name}/{layer}'.encode()).hexdigest()
            line: Json = {'status': f'pulling {digest[:12]}', 'digest': f'sha256:{digest}',
                          'total': total}
            # The progress is left out as long as it is zero, as in Ollama.
            yield line
            for part in range(1, _PARTS + 1):
                yield {**line, 'completed': total * part // _PARTS}
        yield {'status': 'verifying sha256 digest'}
        yield {'status': 'writing manifest'}
        self._engines.setdefault(name, self._first.of(card))
        yield {'status': 'success'}

    def delete(self, name: str) -> bool:
        """Delete a model, also from the memory; returns whether it existed."""
        engine = self.engine(name)
        if engine is None:
            return False
        del self._engines[engine.card.name]
        if self._loaded is not None and self._loaded[0] == engine.card:
            self._loaded = None
        return True
