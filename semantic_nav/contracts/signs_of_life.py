"""Signs of life of the nodes of one name, and who of them is in charge.

A sign is a message, so every middleware carries it. Silence is counted in beats of the listener: a
listener that was held up itself counts no silence that nobody kept.
"""

from dataclasses import dataclass

#: A node gives a sign in each beat, in s.
BEAT_S = 0.15
#: Whoever gives none for so many beats of the listener is lost: after 0.45 s to 0.6 s.
LOST_AFTER = 4
_MOST_DIGITS, _MOST_CHARS = 20, 64


@dataclass(frozen=True, order=True)
class Sign:
    """What a sign of life says.

    Attributes:
        since_ns: when its node took up its work, on the calendar.
        session: of the node.
        aside: it stands by, for a node of its name is in charge.
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
        """Read a sign; None where it is none."""
        since, _, rest = text[:_MOST_CHARS].partition(' ')
        session, _, word = rest.partition(' ')
        if not (session and since.isascii() and since.isdecimal() and len(since) <= _MOST_DIGITS):
            return None
        return Sign(int(since), session, word == 'aside')


class SignsHeard:
    """The nodes of one name that are heard."""

    def __init__(self) -> None:
        """Have heard nobody."""
        self._signs: dict[str, Sign] = {}
        self._silent_beats: dict[str, int] = {}

    @property
    def in_charge(self) -> Sign | None:
        """The node that took up its work first; those that stand by do not count."""
        return min((one for one in self._signs.values() if not one.aside), default=None)

    def others(self, session: str) -> list[Sign]:
        """Return the nodes but that of a session, those that stand by among them."""
        return [one for one in self._signs.values() if one.session != session]

    def hears(self, session: str) -> bool:
        """Tell whether the node of a session is heard."""
        return session in self._signs

    def take(self, sign: Sign) -> None:
        """Take in what a node says."""
        self._signs[sign.session] = sign
        self._silent_beats[sign.session] = 0

    def beat(self) -> bool:
        """Count one beat of the listener; tells whether the node in charge is lost with it."""
        before = self.in_charge
        for session in list(self._signs):
            self._silent_beats[session] += 1
            if self._silent_beats[session] >= LOST_AFTER:
                self._forget(session)
        return before is not None and before.session not in self._signs

    def lose_all(self) -> bool:
        """Forget all, as the middleware says that nobody is there; tells as `beat` does."""
        before = self.in_charge
        for session in list(self._signs):
            self._forget(session)
        return before is not None

    def _forget(self, session: str) -> None:
        del self._signs[session], self._silent_beats[session]
