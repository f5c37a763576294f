"""What all commands have in common, under `python -m semantic_nav` and `ros2 run` alike."""

import functools
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from semantic_nav.contracts.errors import SemanticNavError


class Ended(KeyboardInterrupt):
    """Another signal than that of Ctrl-C asks us to end.

    Attributes:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        """Keep its number for the exit code; there are no words to it."""
        super().__init__()
        self.number = number


def command(main: Callable[[list[str] | None], int]) -> Callable[..., int]:
    """Make a known error of a command one line and exit code 1, and every end an orderly one.

    A command takes its arguments, or None for those of the process. SIGTERM and SIGHUP leave its
    blocks as Ctrl-C does, so that it ends the processes that it started, and says so.
    """
    name = main.__module__.rpartition('.')[2]

    @functools.wraps(main)
    def run(args: list[str] | None = None) -> int:
        try:
            with _leave_on(signal.SIGTERM, signal.SIGHUP):
                code = main(args)
                sys.stdout.flush()
                return code
        except SemanticNavError as error:
            print(f'{name}: {error}', file=sys.stderr)
            return 1
        except OSError as error:
            if _nobody_reads():
                # As `head`, which has seen enough; Python writes what is left at its end.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                return 128 + signal.SIGPIPE
            # A full disk, a folder that is gone: nothing that a traceback would explain.
            print(f'{name}: {error}', file=sys.stderr)
            return 1
        except KeyboardInterrupt as error:
            # What was said before comes first, also where both go to a file.
            sys.stdout.flush()
            print(f'{name}: ' + '; '.join(['interrupted', *map(str, error.args)]),
                  file=sys.stderr)
            return 128 + (error.number if isinstance(error, Ended) else signal.SIGINT)

    return run


def remark(words: str) -> None:
    """Tell people something that is no part of what a command prints."""
    print(words, file=sys.stderr, flush=True)


def _nobody_reads() -> bool:
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return any(event & select.POLLERR for _, event in poll.poll(0))
    except OSError:
        return False


@contextmanager
def _leave_on(*signals: signal.Signals) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _leave) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, frame: object) -> None:
    del frame
    raise Ended(number)
