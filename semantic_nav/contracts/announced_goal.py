"""What a node does for a verifier that gives no sign of life any more.

It is no part of a core: it must work where a core has failed.
"""

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.documents import Document, Verdict

#: How often the end of the goal is asked for, and for how long, in s.
AGAIN_S = 0.3
_LONGEST_S = 10.0


class AnnouncedGoal:
    """The goal that the verifier announced last, and whether its end is to be asked for."""

    def __init__(self) -> None:
        """Know of none."""
        self._goal_id = self._step_id = ''
        self._since_ns: int | None = None

    def hear(self, document: Document) -> None:
        """Follow the verdicts: each announces a goal, or tells how the step ended."""
        body = document.body
        assert isinstance(body, Verdict)
        if body.decision is not None and body.decision.nav_goal_id is not None:
            # This one is not to be cancelled before its verifier is lost.
            self._goal_id, self._step_id = body.decision.nav_goal_id, document.cause_id
            self._since_ns = None
        elif document.cause_id == self._step_id:
            self._goal_id = self._step_id = ''

    def lost(self, now_ns: int) -> str:
        """The verifier gives no sign of life any more; returns what is to be cancelled.

        Args:
            now_ns: the steady clock.

        Returns:
            The UUID of the goal; empty where none was announced that has not ended.
        """
        if self._goal_id:
            self._since_ns = now_ns
        return self._goal_id

    def again(self, now_ns: int, *, lost: bool) -> str:
        """Return what is to be cancelled once more; empty for nothing.

        That a server has ended the goal does not prove a standstill, so it is asked again for a
        while. A verifier that is there again sees to it itself.

        Args:
            now_ns: the steady clock.
            lost: the verifier still gives no sign of life.
        """
        if self._since_ns is None:
            return ''
        if lost and now_ns - self._since_ns < nanoseconds(_LONGEST_S):
            return self._goal_id
        self._since_ns = None
        return ''
