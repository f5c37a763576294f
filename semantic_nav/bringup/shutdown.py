"""When a process is to end: it is asked by SIGINT, SIGTERM or SIGHUP, also while it still loads.

SIGHUP comes where a terminal is closed or a connection is lost; under nohup it says nothing.
"""

import os
import signal
import time

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: How often a process that waits for a signal looks whether one came.
_LOOK_S = 0.1


class Ending:
    """Takes note of the signals that ask a process to end; nothing is interrupted by them.

    But for a process that loads: it has begun nothing that it would have to end, and that it loads
    may take longer than whoever asked is ready to wait.
    """

    def __init__(self) -> None:
        """Heed no signal yet."""
        # No lock: a second signal may come in the middle of what the first one does.
        self._asked = False

    @property
    def asked(self) -> bool:
        """Whether a signal came."""
        return self._asked

    def heed(self, *, loading: bool = False) -> None:
        """Take note of signals from now on, or while the process loads, end by them at once."""
        def on_signal(number: int, frame: object) -> None:
            del number, frame
            if loading:
                os._exit(0)
            self._asked = True

        for number in _SIGNALS:
            # What a shell runs in the background ignores SIGINT only for the shell's own sake.
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, on_signal)

    def wait(self) -> None:
        """Wait for a signal."""
        while not self._asked:
            time.sleep(_LOOK_S)

    def over(self) -> None:
        """Ignore further signals: one that comes while Python ends would make it a failure."""
        self._asked = False
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)


#: Of this process.
ENDING = Ending()
