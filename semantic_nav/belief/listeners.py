"""The presence of the nodes that carry out steps, by the graph and by their signs of life."""

from collections.abc import Hashable, Mapping, Set
from dataclasses import dataclass

from semantic_nav.belief.core import STEP_LISTENERS
from semantic_nav.belief.events import ListenersChanged

#: Silence after which a node counts as gone, in s; a drive of its ends at once.
_GONE_S = 3.0
#: A node that does not hear itself would not hear the others.
_OWN_SIGN = 'its own sign of life'


@dataclass(frozen=True)
class Heard:
    """The signs of life of a node.

    Attributes:
        session: session of the node that gives them; empty if none does.
        lost_s: time since they ceased, in s; 0 before the first.
    """

    session: str = ''
    lost_s: float = 0.0


_NOTHING = Heard()


class Listeners:
    """Presence of the listeners, compared with the last observation of graph and signs of life.

    Attributes:
        missing: nodes that are not there.
    """

    def __init__(self) -> None:
        """Start with nothing observed."""
        self.missing: tuple[str, ...] = ()
        self._before: Mapping[str, Set[Hashable]] = {}
        self._sessions: dict[str, str] = {}
        self._told = False

    def changed(self, endpoints: Mapping[str, Set[Hashable]], heard: Mapping[str, Heard], *,
                deaf: bool = False) -> ListenersChanged | None:
        """The change since the last call; None for none.

        Args:
            endpoints: ids of the subscriptions to `step`, by the name of their node.
            heard: the signs of life, by the name of their node.
            deaf: the listener's own sign of life does not come back to it.
        """
        # The graph shows a killed or hanging node for a while yet.
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
        """Tell whether a node was restarted under the name of the one before."""
        known = self._sessions.get(name)
        if session:
            self._sessions[name] = session
        if known is not None:
            return session not in ('', known)
        # A node that was never heard shows its restart by a new subscription.
        before = self._before.get(name, frozenset())
        return bool(before) and not endpoints <= before
