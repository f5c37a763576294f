"""Stamps of messages: their faults, and the gap between their clock and the node's."""

from collections import deque
from statistics import median_high

from semantic_nav.contracts.clock import NS_PER_S, seconds

#: Gap from which one of the two clocks must be a simulation's, or was never set, in s.
SIMULATED_S = 5 * 365 * 86400.0
#: Number of newest messages that give the gap, and the fewest that do.
_KEPT, _FEWEST = 20, 3
#: Smallest change of the gap that is told, in s.
_STEADY_S = 0.1
#: Number of messages in a row with one stamp from which the stamp stands still.
_STANDS = 3


class ClockGap:
    """Gap between one clock and the node's, from the messages that it stamps.

    It is a median, because messages may be late and a clock may jump once.
    """

    def __init__(self) -> None:
        """Begin without a message."""
        self._behind_ns: deque[int] = deque(maxlen=_KEPT)
        self._told_s = 0.0

    def take(self, said_ns: int, now_ns: int) -> None:
        """Take the stamp of a message that arrives now, both in ns on the node's clock."""
        self._behind_ns.append(now_ns - said_ns)

    @property
    def behind_s(self) -> float:
        """Time by which the clock is behind the node's, in s; 0 until known, below 0 if ahead.

        It is kept steady, for people.
        """
        if len(self._behind_ns) >= _FEWEST:
            now_s = seconds(median_high(self._behind_ns))
            if abs(now_s - self._told_s) > _STEADY_S:
                self._told_s = now_s
        return self._told_s


class Stamps:
    """Times at which a topic's messages were made: their stamps, or their arrival without any.

    Attributes:
        fault: fault of the stamps, in words; empty if there is none.
        gap: gap between their clock and the node's.
    """

    def __init__(self) -> None:
        """Begin without a message."""
        self.fault, self.gap = '', ClockGap()
        self._newest_ns, self._times = 0, 0

    @property
    def words(self) -> str:
        """Fault of the stamps, and its cure; empty if there is none."""
        return self.fault and f'{self.fault}: let its driver stamp it'

    def made_ns(self, said_ns: int, now_ns: int) -> int:
        """The time at which a message was made, on the ROS clock.

        A message that is repeated for a late subscriber does not become newer by it.

        Args:
            said_ns: stamp of the message.
            now_ns: time of its arrival.
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
    """Words on whose clock is off by how much, and on the cure.

    Args:
        whose: the source of the stamps: a topic, or a transform.
        behind_s: time by which that clock is behind the node's; below 0 if it is ahead.
    """
    if abs(behind_s) >= SIMULATED_S:
        simulated, wall = (whose, 'this node') if behind_s > 0.0 else ('this node', whose)
        return (f'{simulated} has the time of a simulation, or of a clock that was never set, and '
                f'{wall} that of the wall clock: set use_sim_time alike for all')
    side = f'{behind_s:.1f} s behind' if behind_s > 0.0 else f'{-behind_s:.1f} s ahead of'
    return (f"the clock that stamps {whose} is {side} this computer's: synchronise the two "
            '(chrony, NTP)')
