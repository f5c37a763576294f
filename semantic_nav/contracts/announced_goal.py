"""Cancelling of the announced Nav2 goal for a verifier that gives no sign of life any more.

It is part of no core, since it must work where a core has failed.
"""

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.documents import Document, Verdict

#: Period between cancel requests, and the time for which they are repeated, in s.
AGAIN_S = 0.3
_LONGEST_S = 10.0


class AnnouncedGoal:
    """The Nav2 goal that the verifier announced last, and whether it is to be cancelled."""

    def __init__(self) -> None:
        """Begin without a goal."""
        self._goal_id = self._step_id = ''
        self._since_ns: int | None = None

    def hear(self, document: Document) -> None:
        """Follow the verdicts: each announces a goal, or the end of its step."""
        body = document.body
        assert isinstance(body, Verdict)
        if body.decision is not None and body.decision.nav_goal_id is not None:
            # A new goal is not cancelled before its verifier is lost.
            self._goal_id, self._step_id = body.decision.nav_goal_id, document.cause_id
            self._since_ns = None
        elif document.cause_id == self._step_id:
            self._goal_id = self._step_id = ''

    def lost(self, now_ns: int) -> str:
        """Take note that the verifier is lost; returns the goal to cancel.

        Args:
            now_ns: time on the steady clock.

        Returns:
            UUID of the goal; empty if no announced goal is still open.
        """
        if self._goal_id:
            self._since_ns = now_ns
        return self._goal_id

    def again(self, now_ns: int, *, lost: bool) -> str:
        """UUID of the goal to cancel once more; empty if there is none.

        That a server has ended the goal does not prove a standstill, so the cancel is repeated for
        a while. A verifier that is back takes over itself.

        Args:
            now_ns: time on the steady clock.
            lost: true while the verifier still gives no sign of life.
        """
        if self._since_ns is None:
            return ''
        if lost and now_ns - self._since_ns < nanoseconds(_LONGEST_S):
            return self._goal_id
        self._since_ns = None
        return ''
