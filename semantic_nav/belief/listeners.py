"""Who of those that carry out the steps is there, by the graph and by the signs of life."""

from collections.abc import Hashable, Mapping, Set
from dataclasses import dataclass

from semantic_nav.belief.core import STEP_LISTENERS
from semantic_nav.belief.events import ListenersChanged

#: A node that gives no sign of life for so long is not there; a drive of its ends at once.
_GONE_S = 3.0
#: Whoever does not hear itself would not hear them.
_OWN_SIGN = 'its own sign of life'


@dataclass(frozen=True)
class Heard:
    """What is heard of a node.

    Attributes:
        session: of the one that gives signs of life; empty where none does.
        lost_s: for how long there has been none any more; 0 before the first.
    """

    session: str = ''
    lost_s: float = 0.0


_NOTHING = Heard()


class Listeners:
    """Compares what the graph shows and what is heard with what was before.

    Attributes:
        missing: who is not there.
    """

    def __init__(self) -> None:
        """Have seen nothing."""
        self.missing: tuple[str, ...] = ()
        self._before: Mapping[str, Set[Hashable]] = {}
        self._sessions: dict[str, str] = {}
        self._told = False

    def changed(self, endpoints: Mapping[str, Set[Hashable]], heard: Mapping[str, Heard], *,
                deaf: bool = False) -> ListenersChanged | None:
        """Return what has changed; None for nothing.

        Args:
            endpoints: what tells the subscriptions to `step` apart, by the name of their node.
            heard: the signs of life, by the name of their node.
            deaf: the listener's own sign of life does not come back to it.
        """
        # One that was killed or hangs seems to be there for a while yet.
        there = {name: endpoints[name] for name in STEP_LISTENERS if name in endpoints
                 and heard.get(name, _NOTHING).lost_s <= _GONE_S}
        missing = (*(name for name in STEP_LISTENERS if name not in there),
                   *((_OWN_SIGN,) if deaf else ()))
        restarted = tuple(name for name in there if self._is_another(
            name, there[name], heard.get(name, _NOTHING).session))
        self._before = there
        if self._told and missing == self.missing and not restarted:
            return None
        self._told, self.missing = True, missing
        return ListenersChanged(missing, restarted)

    def _is_another(self, name: str, endpoints: Set[Hashable], session: str) -> bool:
        """Tell whether a node was started anew, which has the name of the one before."""
        known = self._sessions.get(name)
        if session:
            self._sessions[name] = session
        if known is not None:
            return session not in ('', known)
        # Of one that was never heard, a subscription of its own tells.
        before = self._before.get(name, frozenset())
        return bool(before) and not endpoints <= before
