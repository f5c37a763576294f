"""Time as an argument: what the cores know of clocks."""

from dataclasses import dataclass

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Now:
    """The three clocks at the moment of an event, in integer nanoseconds.

    Attributes:
        clock_ns: the node's ROS clock (simulation time where that is in use): ages and stamps.
        steady_ns: monotonic: deadlines and latencies.
        calendar_ns: since the Unix epoch: what is stored for another day.
    """

    clock_ns: int
    steady_ns: int
    calendar_ns: int


def seconds(nanoseconds: int) -> float:
    """Return nanoseconds as seconds."""
    return nanoseconds / NS_PER_S


def nanoseconds(seconds_: float) -> int:
    """Return seconds as whole nanoseconds."""
    return round(seconds_ * NS_PER_S)
