"""The models that a server has on its disk, and the one that is in its memory."""

from __future__ import annotations

import time

from semantic_nav.sim.model.card import ModelCard
from semantic_nav.sim.model.engine import Engine


class ModelStore:
    """Holds one model.

    Args:
        engine: The model.
    """

    def __init__(self, engine: Engine) -> None:
        self._engines = {engine.card.name: engine}
        self._loaded: tuple[ModelCard, float, int] | None = None

    @property
    def cards(self) -> list[ModelCard]:
        """The models on the disk, by name."""
        return [self._engines[name].card for name in sorted(self._engines)]

    def engine(self, name: str) -> Engine | None:
        """A model by its name; None if it is not there."""
        return next((engine for engine in self._engines.values() if engine.card.is_named(name)),
                    None)

    def keep(self, card: ModelCard, keep_alive_s: float, num_ctx: int) -> None:
        """Note that a model is loaded, and for how long from now (negative: for ever)."""
        lasts_s = keep_alive_s if keep_alive_s >= 0.0 else float('inf')
        self._loaded = card, time.monotonic() + lasts_s, num_ctx

    @property
    def loaded(self) -> tuple[ModelCard, float, int] | None:
        """The model in the memory, for how long yet [s], and its window [tokens]."""
        if self._loaded is None:
            return None
        card, until_s, num_ctx = self._loaded
        left_s = until_s - time.monotonic()
        return (card, left_s, num_ctx) if left_s > 0.0 else None
