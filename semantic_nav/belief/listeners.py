"""Who of those that carry out the steps is there, by what the graph shows."""

from collections.abc import Hashable, Mapping, Set

from semantic_nav.belief.core import STEP_LISTENERS
from semantic_nav.belief.events import ListenersChanged

#: A verifier that gives no sign of life for so long is not there; its drive ends at once.
_GONE_S = 3.0


class Listeners:
    """Compares what the graph shows with what it showed before."""

    def __init__(self) -> None:
        """Have seen nothing."""
        self._before: Mapping[str, Set[Hashable]] = {}
        self._missing: tuple[str, ...] | None = None

    def changed(self, endpoints: Mapping[str, Set[Hashable]],
                verifier_lost_s: float) -> ListenersChanged | None:
        """Return what has changed; None for nothing.

        Args:
            endpoints: what tells the subscriptions to `step` apart, by the name of their node.
            verifier_lost_s: for how long the verifier has given no sign of life.
        """
        # One that was killed or hangs seems to be there for a while yet.
        there = {name: endpoints[name] for name in STEP_LISTENERS if name in endpoints
                 and not (name == 'verifier' and verifier_lost_s > _GONE_S)}
        missing = tuple(name for name in STEP_LISTENERS if name not in there)
        # One that was started anew has the name of the one before, which may seem to be there
        # for a while yet; a subscription of its own tells them apart before it has said a word.
        restarted = tuple(name for name in there
                          if self._before.get(name) and not there[name] <= self._before[name])
        self._before = there
        if missing == self._missing and not restarted:
            return None
        self._missing = missing
        return ListenersChanged(missing, restarted)
