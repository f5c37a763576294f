"""When a process is to end: it is asked by SIGINT, SIGTERM or SIGHUP, also while it still loads.

SIGHUP comes where a terminal is closed or a connection is lost; under nohup it says nothing.
"""

import signal
import threading

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Ending:
    """Takes note of the signals that ask a process to end; nothing is interrupted by them."""

    def __init__(self) -> None:
        """Heed no signal yet."""
        self._asked = threading.Event()

    @property
    def asked(self) -> bool:
        """Whether a signal came."""
        return self._asked.is_set()

    def heed(self) -> None:
        """Take note of signals from now on."""
        for number in _SIGNALS:
            # What a shell runs in the background ignores SIGINT only for the shell's own sake.
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda *_: self._asked.set())

    def wait(self) -> None:
        """Wait for a signal."""
        self._asked.wait()

    def over(self) -> None:
        """Ignore further signals: one that comes while Python ends would make it a failure."""
        self._asked.clear()
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)


#: Of this process.
ENDING = Ending()
