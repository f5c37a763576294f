"""The circuit breaker: a model that keeps failing is left alone, and tried again now and then.

Without it every look would wait for the deadline of a server that hangs.
"""

from dataclasses import dataclass
from enum import StrEnum

from semantic_nav.contracts.clock import Now, nanoseconds, seconds


class Circuit(StrEnum):
    """Whether the model is asked."""

    CLOSED = 'closed'
    OPEN = 'open'
    #: The next question is a trial: a reply closes the circuit, a failure opens it for longer.
    HALF_OPEN = 'half_open'


@dataclass(frozen=True)
class BreakerState:
    """Where the breaker stands, for people.

    Attributes:
        failures: calls in a row that failed.
        last_error: the name of the last one's error; empty where none failed.
        retry_in_s: after this time the next look is a trial; 0 where the model may be asked.
    """

    circuit: Circuit
    failures: int
    last_error: str
    retry_in_s: float


class Breaker:
    """Counts the calls in a row that failed.

    A call fails if the server gives no reply. A reply that the gate refuses is no failure: the
    server is there, and it is told what is wrong.
    """

    def __init__(self, failures_limit: int, pause_s: float, pause_max_s: float) -> None:
        """Begin closed.

        Args:
            failures_limit: failures in a row that open the circuit.
            pause_s: for how long at first; doubled with each trial that fails.
            pause_max_s: for how long at most.
        """
        self._limit = failures_limit
        self._first_pause_s, self._longest_pause_s = pause_s, pause_max_s
        self._pause_s = pause_s
        self._failures = 0
        self._last_error = ''
        self._open_until_ns: int | None = None
        self._gone = False

    def lets_through(self, now: Now) -> bool:
        """Tell whether the model may be asked."""
        return self.state(now).circuit is not Circuit.OPEN

    def state(self, now: Now) -> BreakerState:
        """Return where the breaker stands."""
        circuit, retry_in_s = Circuit.CLOSED, 0.0
        if self._open_until_ns is not None:
            retry_in_s = max(0.0, seconds(self._open_until_ns - now.steady_ns))
            circuit = Circuit.OPEN if retry_in_s > 0 else Circuit.HALF_OPEN
        return BreakerState(circuit, self._failures, self._last_error, retry_in_s)

    def replied(self) -> None:
        """Take note of a reply: the circuit closes."""
        self._failures = 0
        self._last_error = ''
        self._pause_s = self._first_pause_s
        self._open_until_ns = None

    def failed(self, error: str, now: Now) -> None:
        """Take note of a call that failed, with the name of its error."""
        self._failures += 1
        self._last_error = error
        if self._open_until_ns is not None or self._failures >= self._limit:
            self._open_until_ns = now.steady_ns + nanoseconds(self._pause_s)
            self._pause_s = min(2 * self._pause_s, self._longest_pause_s)

    def probed(self, ok: bool, now: Now) -> None:
        """Take note of what a probe found.

        A server that was gone and is back is tried at once. One that passes every probe and yet
        fails the calls, as one that hangs does, is not: the pause alone decides there.
        """
        back = ok and self._gone
        self._gone = not ok
        if back and self._open_until_ns is not None:
            self._open_until_ns = min(self._open_until_ns, now.steady_ns)
