"""Results of futures: every failure is logged and passed on, on every executor."""

import logging
from collections.abc import Callable
from typing import Any

from rclpy.task import Future

_log = logging.getLogger(__name__)


def when_done(future: Future, take: Callable[[Any], None],
              failed: Callable[[Exception], None]) -> None:
    """Hand over the result of a future once it is there.

    An exception out of a done-callback ends rclpy's events executor by SIGSEGV, with nothing
    cancelled; the multi-threaded executor loses it silently.

    Args:
        future: future of a call.
        take: gets the result.
        failed: gets the exception of the call, or of `take`.
    """
    def done(answered: Future) -> None:
        try:
            take(answered.result())
        except Exception as error:  # noqa: BLE001
            _log.exception('the answer to a call cannot be used')
            failed(error)

    future.add_done_callback(done)
