"""What every benchmark prints: *measure | figure | bar | holds*, and how sure the figure is."""

from collections.abc import Sequence
from dataclasses import dataclass

#: Low and high end of what the figure could as well have been.
Interval = tuple[float, float]


@dataclass(frozen=True)
class Measure:
    """One line.

    Attributes:
        name: what was measured, with its unit.
        figure: what came out.
        bar: what it is held to; empty where nothing is.
        holds: whether it reaches the bar; None without one.
        interval: of 95 %, see `intervals`; None where none is known.
        group: of which runs it is; empty where it is of all.
    """

    name: str
    figure: float
    bar: str = ''
    holds: bool | None = None
    interval: Interval | None = None
    group: str = ''


def at_least(name: str, figure: float, bar: float, interval: Interval | None = None) -> Measure:
    """Return a measure that must not fall below its bar."""
    return Measure(name, figure, f'>= {bar:g}', figure >= bar, interval)


def at_most(name: str, figure: float, bar: float) -> Measure:
    """Return a measure that must not exceed its bar."""
    return Measure(name, figure, f'<= {bar:g}', figure <= bar)


def between(name: str, figure: float, low: float, high: float) -> Measure:
    """Return a measure that must lie between two bars."""
    return Measure(name, figure, f'{low:.3g} to {high:.3g}', low <= figure <= high)


def lines_of(measures: Sequence[Measure]) -> list[str]:
    """Return the table as lines, with a heading over each group."""
    sure = any(one.interval is not None for one in measures)
    lines = aligned([_cells(('measure', 'figure', '95 %', 'bar', 'holds'), sure), *(
        _cells((one.name, f'{one.figure:.4g}', _spoken(one.interval), one.bar,
                {True: 'yes', False: 'NO', None: ''}[one.holds]), sure) for one in measures)])
    told, before = lines[:1], ''
    for one, line in zip(measures, lines[1:], strict=True):
        if one.group != before:
            told += ['', f'[{one.group}]']
            before = one.group
        told.append(line)
    return told


def _cells(cells: tuple[str, ...], sure: bool) -> tuple[str, ...]:
    """Return the cells of a line; the interval only where there are some."""
    return cells if sure else cells[:2] + cells[3:]


def _spoken(interval: Interval | None) -> str:
    return '' if interval is None else f'{interval[0]:.3g} to {interval[1]:.3g}'


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows]
