"""Executor of the memory core's effects, with one embedder and one store."""

import logging
from collections.abc import Callable
from contextlib import suppress

from semantic_nav.contracts.core import Effect, Event
from semantic_nav.contracts.errors import ConfigError, StoreError
from semantic_nav.embed.embedder import Embedder
from semantic_nav.embed.registry import FALLBACK_EMBEDDER, load_embedder
from semantic_nav.memory.events import (
    Embed,
    Embedded,
    EmbedFailed,
    ForgetFailed,
    ForgetPlace,
    LoadStore,
    PlaceForgotten,
    PlaceSaved,
    SaveFailed,
    SavePlace,
    Started,
    StoreFailed,
    StoreLoaded,
)
from semantic_nav.memory.store import Store
from semantic_nav.memory.store_url import open_store

_log = logging.getLogger(__name__)


class MemoryBackend:
    """Loads, embeds and saves; each call blocks, and one thread makes them all."""

    def __init__(self, store_url: str, embedder: str,
                 load: Callable[[str], Embedder] = load_embedder) -> None:
        """Set the store and the embedder; nothing is opened yet.

        Args:
            store_url: of the store.
            embedder: its name.
            load: loads an embedder by its name.
        """
        self._url = store_url
        self._name, self._load_embedder = embedder, load
        self._embedder: Embedder | None = None
        self._store: Store | None = None

    def start(self) -> Started:
        """Load the embedder, or the fallback embedder if that fails."""
        doubt = ''
        try:
            embedder = self._load_embedder(self._name)
        except ConfigError as error:
            embedder = load_embedder(FALLBACK_EMBEDDER)
            doubt = str(error)
        except Exception as error:  # noqa: BLE001 - packages of others raise what they like
            _log.exception('the embedder %s failed', self._name)
            embedder = load_embedder(FALLBACK_EMBEDDER)
            doubt = _words_of(error)
        self._embedder = embedder
        return Started(embedder.id, embedder.name, embedder.dimension, doubt)

    def carry_out(self, effect: Effect) -> Event:
        """Carry out an effect and return its result; a failure is an event too.

        Raises:
            TypeError: it is no effect of the memory.
        """
        if not isinstance(effect, LoadStore | Embed | SavePlace | ForgetPlace):
            raise TypeError(f'{type(effect).__name__} is no effect of the memory')
        try:
            match effect:
                case LoadStore():
                    return self._load(effect)
                case Embed():
                    return self._embed(effect)
                case SavePlace():
                    return self._save(effect)
                case ForgetPlace():
                    return self._forget(effect)
        except Exception as error:  # noqa: BLE001 - the core waits for an answer
            _log.exception('%s failed', type(effect).__name__)
            return self._failed(effect, _words_of(error))

    def close(self) -> None:
        """Close the store."""
        store, self._store = self._store, None
        if store is not None:
            store.close()

    def _failed(self, effect: LoadStore | Embed | SavePlace | ForgetPlace,
                reason: str) -> Event:
        match effect:
            case LoadStore():
                with suppress(Exception):
                    self.close()
                return StoreFailed(f'the memory {self._url} cannot be used: {reason}')
            case Embed():
                return EmbedFailed(effect.request_id, reason)
            case SavePlace():
                return SaveFailed(effect.place.id, effect.edge,
                                  f'cannot write to the memory {self._url}: {reason}')
            case ForgetPlace():
                return ForgetFailed(effect.place_id,
                                    f'cannot write to the memory {self._url}: {reason}')

    def _load(self, effect: LoadStore) -> StoreLoaded | StoreFailed:
        self.close()
        try:
            self._store = open_store(self._url)
            stored = self._store.load(effect.map_id, effect.embedder, effect.dimension)
        except StoreError as error:
            self.close()
            return StoreFailed(str(error))
        return StoreLoaded(stored.places, stored.edges, stored.vector_ids, stored.vectors,
                           stored.left_out, stored.left_out_reason)

    def _embed(self, effect: Embed) -> Embedded | EmbedFailed:
        if self._embedder is None:
            return EmbedFailed(effect.request_id, 'the embedder is not loaded')
        return Embedded(effect.request_id, self._embedder.embed(effect.texts))

    def _save(self, effect: SavePlace) -> PlaceSaved | SaveFailed:
        try:
            if self._store is None:
                raise StoreError(f'the memory {self._url} is not open')
            self._store.save(effect.place, effect.vector, effect.edge)
        except StoreError as error:
            return SaveFailed(effect.place.id, effect.edge, str(error))
        return PlaceSaved(effect.place.id)

    def _forget(self, effect: ForgetPlace) -> PlaceForgotten | ForgetFailed:
        try:
            if self._store is None:
                raise StoreError(f'the memory {self._url} is not open')
            self._store.forget(effect.map_id, effect.place_id)
        except StoreError as error:
            return ForgetFailed(effect.place_id, str(error))
        return PlaceForgotten(effect.place_id)


def _words_of(error: Exception) -> str:
    return f'{type(error).__name__}: {error}'[:300]
