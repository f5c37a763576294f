"""Signs of life of the nodes of one name, and the choice of the one in charge.

A sign is a message, so every middleware carries it. Silence is counted in beats of the listener,
so a listener that was held up itself takes no node for lost.
"""

from dataclasses import dataclass

#: Period of the signs of a node, in s.
BEAT_S = 0.15
#: Beats of the listener without a sign from which a node is lost: after 0.45 s to 0.6 s.
LOST_AFTER = 4
_MOST_DIGITS, _MOST_CHARS = 20, 64


@dataclass(frozen=True, order=True)
class Sign:
    """A sign of life.

    Attributes:
        since_ns: calendar time at which its node took up its work.
        session: session of the node.
        aside: true if the node stands by, because another node of its name is in charge.
    """

    since_ns: int
    session: str
    aside: bool = False

    @property
    def text(self) -> str:
        """The sign as it is sent."""
        return f'{self.since_ns} {self.session}{" aside" if self.aside else ""}'

    @staticmethod
    def of(text: str) -> 'Sign | None':
        """The sign of a text; None if it is not a sign."""
        since, _, rest = text[:_MOST_CHARS].partition(' ')
        session, _, word = rest.partition(' ')
        if not (session and since.isascii() and since.isdecimal() and len(since) <= _MOST_DIGITS):
            return None
        return Sign(int(since), session, word == 'aside')


class SignsHeard:
    """The nodes of one name that are heard, by session."""

    def __init__(self) -> None:
        """Begin without any node."""
        self._signs: dict[str, Sign] = {}
        self._silent_beats: dict[str, int] = {}

    @property
    def in_charge(self) -> Sign | None:
        """The node that took up its work first; those that stand by do not count."""
        return min((one for one in self._signs.values() if not one.aside), default=None)

    def others(self, session: str) -> list[Sign]:
        """The nodes except that of a session; nodes that stand by are included."""
        return [one for one in self._signs.values() if one.session != session]

    def hears(self, session: str) -> bool:
        """Tell whether the node of a session is heard."""
        return session in self._signs

    def take(self, sign: Sign) -> None:
        """Take in the sign of a node."""
        self._signs[sign.session] = sign
        self._silent_beats[sign.session] = 0

    def beat(self) -> bool:
        """Count one beat of the listener; returns true if the node in charge is lost by it."""
        before = self.in_charge
        for session in list(self._signs):
            self._silent_beats[session] += 1
            if self._silent_beats[session] >= LOST_AFTER:
                self._forget(session)
        return before is not None and before.session not in self._signs

    def lose_all(self) -> bool:
        """Forget all nodes, as the middleware sees none; returns true if one was in charge."""
        before = self.in_charge
        for session in list(self._signs):
            self._forget(session)
        return before is not None

    def _forget(self, session: str) -> None:
        del self._signs[session], self._silent_beats[session]
