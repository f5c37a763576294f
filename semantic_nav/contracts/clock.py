"""Time as an argument: the clocks as the cores get them."""

from dataclasses import dataclass

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Now:
    """The three clocks at the moment of an event, in integer nanoseconds.

    Attributes:
        clock_ns: the node's ROS clock (simulation time if that is in use), for ages and stamps.
        steady_ns: monotonic clock, for deadlines and latencies.
        calendar_ns: time since the Unix epoch, for what is stored across sessions.
    """

    clock_ns: int
    steady_ns: int
    calendar_ns: int


def seconds(nanoseconds: int) -> float:
    """Nanoseconds as seconds."""
    return nanoseconds / NS_PER_S


def nanoseconds(seconds_: float) -> int:
    """Seconds as whole nanoseconds."""
    return round(seconds_ * NS_PER_S)
