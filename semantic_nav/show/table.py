"""The table of every benchmark: *measure | figure | bar | holds*, and the 95 % interval."""

from collections.abc import Sequence
from dataclasses import dataclass

#: Low and high end of a confidence interval of a figure.
Interval = tuple[float, float]
#: Column heads; that of the intervals is left out of a table without any.
HEAD = ('measure', 'figure', '95 %', 'bar', 'holds')


@dataclass(frozen=True)
class Measure:
    """A line of the table.

    Attributes:
        name: of the measured quantity, with its unit.
        figure: the result.
        bar: the required bound; empty for none.
        holds: the figure meets the bar; None without one.
        interval: of 95 %, see `intervals`; None if unknown.
        group: of the measured runs; empty for all.
    """

    name: str
    figure: float
    bar: str = ''
    holds: bool | None = None
    interval: Interval | None = None
    group: str = ''


def at_least(name: str, figure: float, bar: float, interval: Interval | None = None) -> Measure:
    """A measure that must not fall below its bar."""
    return Measure(name, figure, f'>= {bar:g}', figure >= bar, interval)


def at_most(name: str, figure: float, bar: float) -> Measure:
    """A measure that must not exceed its bar."""
    return Measure(name, figure, f'<= {bar:g}', figure <= bar)


def between(name: str, figure: float, low: float, high: float) -> Measure:
    """A measure that must lie between two bars."""
    return Measure(name, figure, f'{low:.3g} to {high:.3g}', low <= figure <= high)


def lines_of(measures: Sequence[Measure]) -> list[str]:
    """The table as lines, with a heading over each group."""
    sure = any(one.interval is not None for one in measures)
    lines = aligned([cells if sure else cells[:2] + cells[3:]
                     for cells in (HEAD, *map(cells_of, measures))])
    told, before = lines[:1], ''
    for one, line in zip(measures, lines[1:], strict=True):
        if one.group != before:
            told += ['', f'[{one.group}]']
            before = one.group
        told.append(line)
    return told


def cells_of(one: Measure) -> tuple[str, ...]:
    """The cells of a measure, in the order of HEAD."""
    interval = '' if one.interval is None else '{:.3g} to {:.3g}'.format(*one.interval)
    return (one.name, f'{one.figure:.4g}', interval, one.bar,
            {True: 'yes', False: 'NO', None: ''}[one.holds])


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows]
