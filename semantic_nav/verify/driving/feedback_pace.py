"""Limit for the silence of a server that gives feedback, by its own pace."""

#: Pauses up to this share of the general limit come from a busy machine; a server heard for that
#: long has shown its pace.
_LEAST = 0.5
#: Factor on the longest pause so far above which a pause is out of pace.
_TIMES = 2.0


class FeedbackPace:
    """Pauses in the feedback of a server on its goals, one after the other.

    Nav2 gives feedback a hundred times a second, so one that is killed in full drive is missed
    long before the general limit.
    """

    def __init__(self, most_s: float) -> None:
        """Begin without any feedback.

        Args:
            most_s: general limit for the silence of a server, in s; its pace counts once it was
                heard for half as long.
        """
        self._most_s = most_s
        self._last_s: float | None = None
        self._heard_s = 0.0
        # The longest pause in this goal, and in the one before.
        self._longest_s = self._before_s = 0.0

    def begin(self) -> None:
        """Begin a new goal, whose first feedback ends no pause."""
        self._last_s = None
        self._longest_s, self._before_s = 0.0, self._longest_s

    def take(self, now_s: float) -> None:
        """Take a feedback that came at `now_s` on the steady clock."""
        if self._last_s is not None:
            pause_s = now_s - self._last_s
            self._heard_s += pause_s
            self._longest_s = max(self._longest_s, pause_s)
        self._last_s = now_s

    @property
    def silence_s(self) -> float:
        """Longest silence before the server counts as dead, in s."""
        least_s = _LEAST * self._most_s
        if self._heard_s < least_s:
            return self._most_s
        return min(self._most_s, max(least_s, _TIMES * max(self._longest_s, self._before_s)))
