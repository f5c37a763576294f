"""Stamps of messages: whether they tell an age, and how far off the clock is that made them."""

from collections import deque
from statistics import median_high

from semantic_nav.contracts.clock import NS_PER_S, seconds

#: No clock that was ever set is so far off: one of the two is that of a simulation.
SIMULATED_S = 5 * 365 * 86400.0
#: Gaps are those of so many of the newest messages, and of no fewer.
_KEPT, _FEWEST = 20, 3
#: A gap that is told changes by no less, in s.
_STEADY_S = 0.1
#: So often a stamp must have come for it to stand still.
_STANDS = 3


class ClockGap:
    """The gap of one clock, by the messages that it stamps.

    A message arrives after its stamp, sometimes late, and a clock may jump once: it is the median.
    """

    def __init__(self) -> None:
        """Know of no message."""
        self._behind_ns: deque[int] = deque(maxlen=_KEPT)
        self._told_s = 0.0

    def take(self, said_ns: int, now_ns: int) -> None:
        """Take the stamp of a message that arrives now, on the clock of the node."""
        self._behind_ns.append(now_ns - said_ns)

    @property
    def behind_s(self) -> float:
        """How far the clock is behind that of the node; 0 before it is known, below 0: ahead.

        It is told steadily, for people.
        """
        if len(self._behind_ns) >= _FEWEST:
            now_s = seconds(median_high(self._behind_ns))
            if abs(now_s - self._told_s) > _STEADY_S:
                self._told_s = now_s
        return self._told_s


class Stamps:
    """When the messages of a topic were made: by their stamps, or where those are none on arrival.

    Attributes:
        fault: what is wrong with the stamps; empty where nothing is.
        gap: of their clock.
    """

    def __init__(self) -> None:
        """Know of no message."""
        self.fault, self.gap = '', ClockGap()
        self._newest_ns, self._times = 0, 0

    @property
    def words(self) -> str:
        """What is wrong with the stamps, and the cure; empty where nothing is."""
        return self.fault and f'{self.fault}: let its driver stamp it'

    def made_ns(self, said_ns: int, now_ns: int) -> int:
        """Return when a message was made, on the ROS clock.

        One that comes once more, for who listens again, makes it no newer.

        Args:
            said_ns: its stamp.
            now_ns: the time.
        """
        self._times = self._times + 1 if said_ns == self._newest_ns else 1
        self._newest_ns = said_ns
        if not said_ns:
            self.fault = 'its stamp is 0'
        elif self._times >= _STANDS:
            self.fault = f'its stamp stands still at {said_ns / NS_PER_S:.1f} s'
        else:
            self.fault = ''
        made_ns = now_ns if self.fault else said_ns
        self.gap.take(made_ns, now_ns)
        return made_ns


def words_of_gap(whose: str, behind_s: float) -> str:
    """Return whose clock is off by how much, and the cure.

    Args:
        whose: who stamps: a topic, or a transform.
        behind_s: how far that clock is behind the node's; below 0: ahead.
    """
    if abs(behind_s) >= SIMULATED_S:
        simulated, wall = (whose, 'this node') if behind_s > 0.0 else ('this node', whose)
        return (f'{simulated} has the time of a simulation, or of a clock that was never set, and '
                f'{wall} that of the wall clock: set use_sim_time alike for all')
    side = f'{behind_s:.1f} s behind' if behind_s > 0.0 else f'{-behind_s:.1f} s ahead of'
    return (f"the clock that stamps {whose} is {side} this computer's: synchronise the two "
            '(chrony, NTP)')
