"""Tells by its own pace for how long a server that gives feedback may be silent."""

#: Pauses up to this size come of a busy machine, as a share of how long any server may be silent;
#: who was heard for so long has shown its pace.
_LEAST = 0.5
#: A pause so many times as long as the longest before is none of its pace.
_TIMES = 2.0


class FeedbackPace:
    """The feedback of a server on its goals, one after the other.

    Nav2 tells a hundred times a second how far a goal is: one that is killed in full drive is
    missed long before the limit that holds for any server.
    """

    def __init__(self, most_s: float) -> None:
        """Have heard nothing.

        Args:
            most_s: how long any server may be silent, and twice as long as it is heard before its
                pace is known, in s.
        """
        self._most_s = most_s
        self._last_s: float | None = None
        self._heard_s = 0.0
        # The longest pause in this goal, and in the one before.
        self._longest_s = self._before_s = 0.0

    def begin(self) -> None:
        """Take note of a new goal: its first feedback ends no pause."""
        self._last_s = None
        self._longest_s, self._before_s = 0.0, self._longest_s

    def take(self, now_s: float) -> None:
        """Take note of a feedback that came now, in s on the steady clock."""
        if self._last_s is not None:
            pause_s = now_s - self._last_s
            self._heard_s += pause_s
            self._longest_s = max(self._longest_s, pause_s)
        self._last_s = now_s

    @property
    def silence_s(self) -> float:
        """How long it may be silent before it counts as dead, in s."""
        least_s = _LEAST * self._most_s
        if self._heard_s < least_s:
            return self._most_s
        return min(self._most_s, max(least_s, _TIMES * max(self._longest_s, self._before_s)))
