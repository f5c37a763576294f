"""Processes among which long work is shared: Ctrl-C ends all of them, and is told in a line."""

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.pool import Pool
from typing import Any


@contextmanager
def workers(jobs: int, begin: Callable[..., None] | None = None,
            *args: Any) -> Iterator[Pool]:
    """Yield processes that take work.

    Args:
        jobs: how many.
        begin: what each does first.
        args: of that.

    Raises:
        SystemExit: Ctrl-C came; what was written until then is there.
    """
    with multiprocessing.get_context('spawn').Pool(jobs, _begin, (begin, args)) as pool:
        try:
            yield pool
        except KeyboardInterrupt:
            pool.terminate()
            print('\ninterrupted', file=sys.stderr)
            raise SystemExit(128 + signal.SIGINT) from None


def _begin(begin: Callable[..., None] | None, args: tuple[Any, ...]) -> None:
    # The terminal tells them too, and they would all say so.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if begin is not None:
        begin(*args)
