"""What is known of one frame and its parent, over time."""

from __future__ import annotations

import bisect
from typing import NamedTuple, Protocol

from tf2_ros.exceptions import ExtrapolationException
from tf2_ros.transform import IDENTITY, Transform, interpolate


class Sample(NamedTuple):
    """A transform at a time."""

    stamp_ns: int
    parent: str
    parent_T_child: Transform


class Link(Protocol):
    """All that is known about one frame and its parent."""

    authority: str

    def at(self, time_ns: int) -> Sample:
        """Return the transform at a time, 0 for the latest.

        Raises:
            ExtrapolationException: The time is outside what is stored.
        """
        ...

    def latest_ns(self) -> int | None:
        """Return the newest stamp; None for a transform without time."""
        ...

    def clear(self) -> None:
        """Forget what has a time."""
        ...


class StaticLink:
    """A transform that holds at all times."""

    def __init__(self) -> None:
        self.authority = ''
        self.sample = Sample(0, '', IDENTITY)

    def at(self, time_ns: int) -> Sample:
        return self.sample

    def latest_ns(self) -> int | None:
        return None

    def clear(self) -> None:
        """Static transforms are sent once, so they stay."""


class MovingLink:
    """The history of a transform, oldest first."""

    def __init__(self, cache_ns: int) -> None:
        self.authority = ''
        self._cache_ns = cache_ns
        self._stamps: list[int] = []
        self._samples: list[Sample] = []

    def insert(self, sample: Sample) -> bool:
        """Store a sample in order of time; False when it is older than the history reaches."""
        stamps = self._stamps
        if stamps and sample.stamp_ns < stamps[-1] - self._cache_ns:
            return False
        place = bisect.bisect_right(stamps, sample.stamp_ns)
        first = bisect.bisect_left(stamps, sample.stamp_ns)
        if sample not in self._samples[first:place]:
            stamps.insert(place, sample.stamp_ns)
            self._samples.insert(place, sample)
        expired = bisect.bisect_left(stamps, stamps[-1] - self._cache_ns)
        if expired:
            del stamps[:expired], self._samples[:expired]
        return True

    def at(self, time_ns: int) -> Sample:
        stamps = self._stamps
        if not stamps:
            raise ExtrapolationException('no transform is stored')
        if time_ns == 0:
            return self._samples[-1]
        if not stamps[0] <= time_ns <= stamps[-1]:
            if len(stamps) == 1:
                raise ExtrapolationException(
                    f'time {text_of(time_ns)} was asked for, but only {text_of(stamps[0])} is '
                    'in the buffer'
                )
            where, edge = ('future', stamps[-1]) if time_ns > stamps[-1] else ('past', stamps[0])
            raise ExtrapolationException(
                f'extrapolation into the {where}: time {text_of(time_ns)} was asked for, but the '
                f'{"latest" if where == "future" else "earliest"} transform is at {text_of(edge)}'
            )
        place = bisect.bisect_right(stamps, time_ns)
        older = self._samples[place - 1]
        if older.stamp_ns == time_ns:
            return older
        newer = self._samples[place]
        if older.parent != newer.parent:
            return older
        ratio = (time_ns - older.stamp_ns) / (newer.stamp_ns - older.stamp_ns)
        return Sample(
            time_ns,
            older.parent,
            interpolate(older.parent_T_child, newer.parent_T_child, ratio),
        )

    def latest_ns(self) -> int | None:
        return self._stamps[-1] if self._stamps else 0

    def clear(self) -> None:
        self._stamps.clear()
        self._samples.clear()


def text_of(time_ns: int) -> str:
    """Return a time in seconds, in words."""
    return f'{time_ns // 10**9}.{time_ns % 10**9:09d}'
