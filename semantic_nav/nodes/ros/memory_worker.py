"""Worker thread in which the memory loads, embeds and saves."""

import logging
import queue
import threading
from collections.abc import Callable
from functools import partial

from semantic_nav.contracts.core import Effect, Event
from semantic_nav.memory.backend import MemoryBackend

logger = logging.getLogger(__name__)


class MemoryWorker:
    """Worker that carries effects out one after the other and posts the results."""

    def __init__(self, backend: MemoryBackend, post: Callable[[Event], None]) -> None:
        """Start at once by loading the embedder.

        Args:
            backend: from now on used only by the worker's thread.
            post: takes a result, in the worker's thread.
        """
        self._backend = backend
        self._post = post
        self._effects: queue.Queue[Effect | None] = queue.Queue()
        # A daemon, so that a model that hangs cannot keep the process alive.
        self._thread = threading.Thread(target=self._run, name='memory worker', daemon=True)
        self._thread.start()

    @property
    def idle(self) -> bool:
        """Tell whether every effect was carried out."""
        return self._effects.unfinished_tasks == 0

    def put(self, effect: Effect) -> None:
        """Queue an effect."""
        self._effects.put(effect)

    def stop(self, timeout_s: float) -> bool:
        """Finish the queue, close the store and end; return False if that took too long."""
        self._effects.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._hand_over(self._backend.start)
            while (effect := self._effects.get()) is not None:
                self._hand_over(partial(self._backend.carry_out, effect))
                self._effects.task_done()
        finally:
            self._backend.close()

    def _hand_over(self, work: Callable[[], Event]) -> None:
        try:
            self._post(work())
        except Exception:  # a dead worker would leave every later effect without an answer
            logger.exception('the memory worker could not do its work')
