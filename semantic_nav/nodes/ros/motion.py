"""Nav2's actions, and a motion goal in their hands: whether its server is alive."""

import time
from dataclasses import dataclass, field
from typing import Any

from rclpy.action import ActionClient
from rclpy.client import Client

from semantic_nav.nodes.ros.nav_servers import SERVERS
from semantic_nav.verify.driving.feedback_pace import FeedbackPace

#: Time after which a goal is lost whose server is gone, or does not answer it, in s.
_GONE_S, _UNANSWERED_S = 2.0, 3.0
#: Most that counts of a pause between two checks, in s: in a longer one this process was held up,
#: and messages of that time are yet to be heard.
_HELD_UP_S = 0.2


@dataclass(eq=False)
class NavAction:
    """An action of Nav2, as its client knows it.

    Attributes:
        rejects: its server rejected the newest goal.
    """

    name: str
    client: ActionClient
    rejects: bool = field(default=False, kw_only=True)

    def __str__(self) -> str:
        """The action and its server, in words."""
        return f'{self.name} ({SERVERS[self.name]})'

    @property
    def is_served(self) -> bool:
        """Tell whether a server is there."""
        return bool(self.client.server_is_ready())


@dataclass(eq=False)
class MotionAction(NavAction):
    """An action that moves the robot.

    Attributes:
        cancels: client of its cancel service, which also takes goals of other clients.
        pace: of the feedback of its server.
    """

    cancels: Client
    pace: FeedbackPace


class SentGoal:
    """A motion goal under way.

    Attributes:
        action: action to which it was sent.
        accepted: its server has accepted it.
        cancelled_at: time of its cancellation, on the steady clock in s; None if not cancelled.
    """

    def __init__(self, action: MotionAction, now: float) -> None:
        """Begin with a goal that is sent at `now` on the steady clock, in s."""
        self.action = action
        self.accepted = False
        self.cancelled_at: float | None = None
        action.pace.begin()
        self._tells = self._told = False
        self._asked_at = now
        self._lasts_s: dict[str, float] = {}

    def take_feedback(self, _message: Any) -> None:
        """Note that its server is alive."""
        self._tells = self._told = True
        self.action.pace.take(time.monotonic())

    def fault(self, now: float) -> str:
        """Reason why the goal is lost, in words; empty if it is not. Called many times a second.

        The graph tells of a killed server only after many seconds. A server that never gives
        feedback is not missed for its silence.
        """
        passed_s, self._asked_at = min(now - self._asked_at, _HELD_UP_S), now
        silent, self._told = self._tells and not self._told, False
        for words, holds, most_s in (
                ('is gone', not self.action.is_served, _GONE_S),
                ('tells no more how far it is', silent, self.action.pace.silence_s),
                (f'did not answer within {_UNANSWERED_S:g} s', not self.accepted, _UNANSWERED_S)):
            self._lasts_s[words] = self._lasts_s.get(words, 0.0) + passed_s if holds else 0.0
            if self._lasts_s[words] > most_s:
                return words
        return ''
