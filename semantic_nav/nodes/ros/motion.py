"""Motion goal in Nav2's hands, and whether its server is alive."""

import time
from typing import Any

from rclpy.action import ActionClient

from semantic_nav.verify.driving.feedback_pace import FeedbackPace

#: Time after which a goal is lost whose server is gone, or does not answer it, in s.
_GONE_S, _UNANSWERED_S = 2.0, 3.0
#: Most that counts of a pause between two checks, in s: in a longer one this process was held up,
#: and messages of that time are yet to be heard.
_HELD_UP_S = 0.2


class SentGoal:
    """A motion goal under way.

    Attributes:
        client: client that sent it.
        accepted: its server has accepted it.
        cancelled_at: time of its cancellation, on the steady clock in s; None if not cancelled.
    """

    def __init__(self, client: ActionClient, pace: FeedbackPace, now: float) -> None:
        """Begin with a goal that is sent now.

        Args:
            client: client that sends it.
            pace: pace of the feedback of its server.
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
        """Note that its server is alive."""
        self._tells = self._told = True
        self._pace.take(time.monotonic())

    def fault(self, now: float) -> str:
        """Reason why the goal is lost, in words; empty if it is not. Called many times a second.

        The graph tells of a killed server only after many seconds. A server that never gives
        feedback is not missed for its silence.
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
