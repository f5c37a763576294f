"""The answers of futures: whatever goes wrong with one is told, on every executor."""

import logging
from collections.abc import Callable
from typing import Any

from rclpy.task import Future

_log = logging.getLogger(__name__)


def when_done(future: Future, take: Callable[[Any], None],
              failed: Callable[[Exception], None]) -> None:
    """Hand the result of a future over once it is there.

    An exception out of a done-callback ends rclpy's events executor by SIGSEGV, with nothing
    cancelled; the multi-threaded executor loses it without a word.

    Args:
        future: of a call.
        take: gets its result.
        failed: gets what the call ended with instead, or what `take` raised.
    """
    def done(answered: Future) -> None:
        try:
            take(answered.result())
        except Exception as error:  # noqa: BLE001
            _log.exception('the answer to a call cannot be used')
            failed(error)

    future.add_done_callback(done)
