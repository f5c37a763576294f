"""A goal that Nav2 has in hand, and whether its server gives signs of life."""

from dataclasses import dataclass
from typing import Any

from rclpy.action import ActionClient

#: A goal whose server is gone for so long is lost.
_GONE_S = 2.0


@dataclass
class Motion:
    """A goal on its way, with times on the steady clock."""

    client: ActionClient
    feedback_max_age_s: float
    cancelled_at: float | None = None
    _gone_since: float | None = None
    _silent_since: float | None = None
    _tells: bool = False
    _told: bool = False

    def take_feedback(self, _message: Any) -> None:
        """Take note that its server lives."""
        self._tells = self._told = True

    def is_lost(self, now: float) -> bool:
        """Tell whether its server is gone or says nothing any more; asked many times a second.

        The graph tells of a server that was killed only after many seconds. One that never gives
        feedback is not missed. Silence counts from when it is noticed: while this process itself
        is held up nothing can be heard.
        """
        gone, silent = not self.client.server_is_ready(), self._tells and not self._told
        self._told = False
        self._gone_since = (self._gone_since or now) if gone else None
        self._silent_since = (self._silent_since or now) if silent else None
        return (self._gone_since is not None and now - self._gone_since > _GONE_S) or (
            self._silent_since is not None
            and now - self._silent_since > self.feedback_max_age_s)
