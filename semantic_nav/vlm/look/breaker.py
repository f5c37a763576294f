"""The circuit breaker: a model that keeps failing is left alone and retried after pauses.

Without it every look would wait for the deadline of a server that hangs.
"""

from dataclasses import dataclass
from enum import StrEnum

from semantic_nav.contracts.clock import Now, nanoseconds, seconds


class Circuit(StrEnum):
    """State of the circuit to the model."""

    CLOSED = 'closed'
    OPEN = 'open'
    #: The next question is a trial: a reply closes the circuit, a failure opens it for longer.
    HALF_OPEN = 'half_open'


@dataclass(frozen=True)
class BreakerState:
    """State of the breaker, for people.

    Attributes:
        failures: number of failed calls in a row.
        last_error: name of the last failure's error; empty if none failed.
        retry_in_s: time after which the next look is a trial; 0 if the model may be asked.
    """

    circuit: Circuit
    failures: int
    last_error: str
    retry_in_s: float


class Breaker:
    """A circuit breaker that counts failed calls in a row.

    A call fails if the server gives no reply. A reply that the gate refuses is not a failure: the
    server is there, and the model is told its fault.
    """

    def __init__(self, failures_limit: int, pause_s: float, pause_max_s: float) -> None:
        """Begin closed.

        Args:
            failures_limit: failures in a row that open the circuit.
            pause_s: first pause; doubled with each trial that fails.
            pause_max_s: longest pause.
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
        """The state of the breaker at a time."""
        circuit, retry_in_s = Circuit.CLOSED, 0.0
        if self._open_until_ns is not None:
            retry_in_s = max(0.0, seconds(self._open_until_ns - now.steady_ns))
            circuit = Circuit.OPEN if retry_in_s > 0 else Circuit.HALF_OPEN
        return BreakerState(circuit, self._failures, self._last_error, retry_in_s)

    def replied(self) -> None:
        """Close the circuit after a reply."""
        self._failures = 0
        self._last_error = ''
        self._pause_s = self._first_pause_s
        self._open_until_ns = None

    def failed(self, error: str, now: Now) -> None:
        """Count a failed call, with the name of its error."""
        self._failures += 1
        self._last_error = error
        if self._open_until_ns is not None or self._failures >= self._limit:
            self._open_until_ns = now.steady_ns + nanoseconds(self._pause_s)
            self._pause_s = min(2 * self._pause_s, self._longest_pause_s)

    def probed(self, ok: bool, now: Now) -> None:
        """Take note of a probe.

        A server that was gone and is back is tried at once. For a server that passes every probe
        but fails the calls, such as one that hangs, only the pause counts.
        """
        back = ok and self._gone
        self._gone = not ok
        if back and self._open_until_ns is not None:
            self._open_until_ns = min(self._open_until_ns, now.steady_ns)
