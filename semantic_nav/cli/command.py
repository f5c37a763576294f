"""Error and signal handling of all commands, under `python -m semantic_nav` and `ros2 run`."""

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
    """A signal other than that of Ctrl-C asks the process to end.

    Attributes:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        """Keep the signal's number for the exit code; there is no message."""
        super().__init__()
        self.number = number


def command(main: Callable[[list[str] | None], int]) -> Callable[..., int]:
    """Turn a command's known errors into one line and exit code 1, and end it in order.

    A command takes its arguments, or None for those of the process. It has the name of its
    function, or of its module where the function is called main. SIGTERM and SIGHUP unwind its
    blocks as Ctrl-C does, so that it ends the processes that it started, and reports its end.
    """
    name = main.__name__ if main.__name__ != 'main' else main.__module__.rpartition('.')[2]

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
                # The reader, such as `head`, is gone; Python still flushes its buffer at exit.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                return 128 + signal.SIGPIPE
            # A full disk or a missing folder: nothing that a traceback would explain.
            print(f'{name}: {error}', file=sys.stderr)
            return 1
        except KeyboardInterrupt as error:
            # Earlier output comes first, even if both streams go to one file.
            sys.stdout.flush()
            print(f'{name}: ' + '; '.join(['interrupted', *map(str, error.args)]),
                  file=sys.stderr)
            return 128 + (error.number if isinstance(error, Ended) else signal.SIGINT)

    return run


def remark(words: str) -> None:
    """Print a remark to standard error, apart from the command's output."""
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
