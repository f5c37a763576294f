"""Borders between the rooms of a plan, and between rooms and the outside."""

from collections.abc import Iterator
from dataclasses import dataclass

from semantic_nav_sim.world.generator.layout import HALL, Plot


@dataclass(frozen=True)
class Border:
    """A straight line between two rooms, or between a room and the outside.

    Attributes:
        axis: direction of the line: 0 for x, 1 for y.
        at: its coordinate on the other axis.
        start, end: its coordinates along its axis.
        before, behind: the rooms on the sides of smaller and larger coordinates.
    """

    axis: int
    at: float
    start: float
    end: float
    before: Plot | None
    behind: Plot | None

    @property
    def length(self) -> float:
        """The length in metres."""
        return self.end - self.start

    @property
    def rooms(self) -> list[Plot]:
        """The one or two rooms at the border."""
        return [plot for plot in (self.before, self.behind) if plot is not None]

    @property
    def outer(self) -> bool:
        """Tell whether the outside is on one side."""
        return len(self.rooms) == 1

    @property
    def open(self) -> bool:
        """Tell whether there is no wall: two parts of the hall are one space."""
        return not self.outer and all(plot.kind == HALL for plot in self.rooms)

    def touches(self, plot: Plot) -> bool:
        """Tell whether it bounds a room."""
        return plot in (self.before, self.behind)


def borders(plots: list[Plot]) -> list[Border]:
    """All borders of a plan, as long as possible, in a fixed order."""
    found: list[Border] = []
    for axis in (0, 1):
        lines = sorted({edge for plot in plots
                        for edge in (plot.floor.low[1 - axis], plot.floor.high[1 - axis])})
        for at in lines:
            found += _joined(_pieces(plots, axis, at))
    return found


def _pieces(plots: list[Plot], axis: int, at: float) -> Iterator[Border]:
    """Yield the pieces of one line between the corners of all rooms that touch it."""
    across = 1 - axis
    before = [plot for plot in plots if plot.floor.high[across] == at]
    behind = [plot for plot in plots if plot.floor.low[across] == at]
    cuts = sorted({edge for plot in before + behind
                   for edge in (plot.floor.low[axis], plot.floor.high[axis])})
    for start, end in zip(cuts[:-1], cuts[1:], strict=True):
        middle = (start + end) / 2
        sides = [next((plot for plot in side
                       if plot.floor.low[axis] < middle < plot.floor.high[axis]), None)
                 for side in (before, behind)]
        if any(sides):
            yield Border(axis, at, start, end, sides[0], sides[1])


def _joined(pieces: Iterator[Border]) -> list[Border]:
    joined: list[Border] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and last.end == piece.start and last.rooms == piece.rooms \
                and last.before is piece.before:
            joined[-1] = Border(last.axis, last.at, last.start, piece.end, last.before,
                                last.behind)
        else:
            joined.append(piece)
    return joined
