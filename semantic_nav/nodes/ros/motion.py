"""A goal that Nav2 has in hand, and whether its server gives signs of life."""

import time
from typing import Any

from rclpy.action import ActionClient

from semantic_nav.verify.driving.feedback_pace import FeedbackPace

#: A goal whose server is gone for so long is lost, and one that it does not answer.
_GONE_S, _UNANSWERED_S = 2.0, 3.0
#: Of a longer pause between two questions nothing counts: this process was held up, and what came
#: meanwhile is yet to be heard.
_HELD_UP_S = 0.2


class Motion:
    """A goal on its way.

    Attributes:
        client: that sent it.
        accepted: its server has taken it.
        cancelled_at: when it was cancelled, on the steady clock in s; None where it was not.
    """

    def __init__(self, client: ActionClient, pace: FeedbackPace, now: float) -> None:
        """Begin with a goal that is sent now.

        Args:
            client: that sends it.
            pace: of the feedback of its server.
            now: time on the steady clock, in s.
        """
        self.client = client
        self.accepted = False
        self.cancelled_at: float | None = None
        self._pace = pace
        pace.begin()
        self._tells = self._told = False
        self._asked_at = now
        self._lasts_s: dict[str, float] = {}

    def take_feedback(self, _message: Any) -> None:
        """Take note that its server lives."""
        self._tells = self._told = True
        self._pace.take(time.monotonic())

    def fault(self, now: float) -> str:
        """Return why the goal is lost, or empty where it is not; asked many times a second.

        The graph tells of a server that was killed only after many seconds. One that never gives
        feedback is not missed.
        """
        passed_s, self._asked_at = min(now - self._asked_at, _HELD_UP_S), now
        silent, self._told = self._tells and not self._told, False
        for words, holds, most_s in (
                ('is gone', not self.client.server_is_ready(), _GONE_S),
                ('tells no more how far it is', silent, self._pace.silence_s),
                (f'did not answer within {_UNANSWERED_S:g} s', not self.accepted, _UNANSWERED_S)):
            self._lasts_s[words] = self._lasts_s.get(words, 0.0) + passed_s if holds else 0.0
            if self._lasts_s[words] > most_s:
                return words
        return ''
