"""Shutdown of a process on SIGINT, SIGTERM or SIGHUP, also while the process still loads.

SIGHUP comes when a terminal is closed or a connection is lost; under nohup it is ignored.
"""

import os
import signal
import time

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Period in which a waiting process checks for a signal, in s.
_LOOK_S = 0.1


class Ending:
    """Latch of the signals that ask a process to end; a signal interrupts nothing.

    A loading process is the exception and ends at once: it has begun nothing that it would have to
    end, and loading may take longer than the sender of the signal waits.
    """

    def __init__(self) -> None:
        """Start without any signal handler."""
        # No lock: a second signal may come in the middle of what the first one does.
        self._asked = False

    @property
    def asked(self) -> bool:
        """True once a signal came."""
        return self._asked

    def heed(self, *, loading: bool = False) -> None:
        """Latch signals from now on; with `loading`, a signal ends the process at once."""
        def on_signal(number: int, frame: object) -> None:
            del number, frame
            if loading:
                os._exit(0)
            self._asked = True

        for number in _SIGNALS:
            # A shell lets its background processes ignore SIGINT for the shell's own sake only.
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, on_signal)

    def wait(self) -> None:
        """Wait for a signal."""
        while not self._asked:
            time.sleep(_LOOK_S)

    def over(self) -> None:
        """Ignore further signals: one that comes while Python exits would make it a failure."""
        self._asked = False
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)


#: The latch of this process.
ENDING = Ending()
