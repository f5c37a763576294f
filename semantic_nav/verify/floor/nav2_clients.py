"""Owners of the goals that Nav2 has in hand: a verifier, or another client such as RViz."""

from dataclasses import dataclass, replace

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.verify.events import NavGoalsAwaited, NavGoalsHeard

#: Prefix of the UUID of each goal of a verifier. A restarted verifier knows older goals by it.
OURS = '5e3a0a71'
#: Pause between two goals of another client during which it still counts as driving, in s.
_BETWEEN_S = 1.0
#: Wait for the first goal status, in s. A navigator that has had no goal yet publishes none.
_AWAITED_S = 1.0


@dataclass(frozen=True)
class Clients:
    """Owners of the goals that the navigator has in hand.

    Attributes:
        ours: goals of a verifier.
        others: goals of other clients.
        others_ns: time of the last goal of another client, on the steady clock; None for none.
        awaited_ns: start of the wait for the navigator's goals, on the steady clock; None once it
            has told them.
    """

    ours: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    others_ns: int | None = None
    awaited_ns: int | None = None

    def after(self, event: NavGoalsAwaited | NavGoalsHeard, now: Now) -> 'Clients':
        """The clients after the navigator told its goals, or while it is to tell them."""
        ids = event.nav_goal_ids if isinstance(event, NavGoalsHeard) else ()
        others = tuple(one for one in ids if not one.startswith(OURS))
        return replace(
            self, ours=tuple(one for one in ids if one.startswith(OURS)), others=others,
            others_ns=now.steady_ns if others or self.others else self.others_ns,
            awaited_ns=now.steady_ns if isinstance(event, NavGoalsAwaited) else None)

    def are_awaited(self, now: Now) -> bool:
        """Tell whether the owners of the navigator's goals are not known yet."""
        return self.awaited_ns is not None and (
            now.steady_ns - self.awaited_ns < nanoseconds(_AWAITED_S))

    def drive(self, now: Now) -> bool:
        """Tell whether another client drives the robot, or did a moment ago."""
        return self.have_driven_since(now.steady_ns - nanoseconds(_BETWEEN_S))

    def have_driven_since(self, steady_ns: int) -> bool:
        """Tell whether another client has driven it since a time of the steady clock."""
        return bool(self.others) or self.others_ns is not None and self.others_ns > steady_ns
