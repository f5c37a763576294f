"""Whose goals Nav2 has in hand: those of a verifier, or of another client, as a person at RViz."""

from dataclasses import dataclass, replace

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.verify.events import NavGoalsAwaited, NavGoalsHeard

#: How the UUID of every goal of a verifier begins: one that is started anew knows those of before.
OURS = '5e3a0a71'
#: From one goal of another client to the next it drives on for so long, in s.
_BETWEEN_S = 1.0
#: So long it may take to hear of them first; a navigator that had none yet says nothing. In s.
_AWAITED_S = 1.0


@dataclass(frozen=True)
class Clients:
    """Whose goals they are.

    Attributes:
        ours: goals of a verifier that the navigator has in hand.
        others: those of other clients.
        others_ns: when it had one last, on the steady clock; None where it never had.
        awaited_ns: since when it is to say which it has, likewise; None where it has.
    """

    ours: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    others_ns: int | None = None
    awaited_ns: int | None = None

    def after(self, event: NavGoalsAwaited | NavGoalsHeard, now: Now) -> 'Clients':
        """Return them with what the navigator says, or is to say."""
        ids = event.nav_goal_ids if isinstance(event, NavGoalsHeard) else ()
        others = tuple(one for one in ids if not one.startswith(OURS))
        return replace(
            self, ours=tuple(one for one in ids if one.startswith(OURS)), others=others,
            others_ns=now.steady_ns if others or self.others else self.others_ns,
            awaited_ns=now.steady_ns if isinstance(event, NavGoalsAwaited) else None)

    def are_awaited(self, now: Now) -> bool:
        """Tell whether nobody knows yet whose goals the navigator has in hand."""
        return self.awaited_ns is not None and (
            now.steady_ns - self.awaited_ns < nanoseconds(_AWAITED_S))

    def drive(self, now: Now) -> bool:
        """Tell whether another client drives the robot, or did a moment ago."""
        return self.have_driven_since(now.steady_ns - nanoseconds(_BETWEEN_S))

    def have_driven_since(self, steady_ns: int) -> bool:
        """Tell whether another client has driven it since a moment of the steady clock."""
        return bool(self.others) or self.others_ns is not None and self.others_ns > steady_ns
