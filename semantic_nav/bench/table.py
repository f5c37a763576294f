"""What every benchmark prints: *measure | figure | bar | holds*."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """One line.

    Attributes:
        name: what was measured, with its unit.
        figure: what came out.
        bar: what it is held to; empty where nothing is.
        holds: whether it reaches the bar; None without one.
    """

    name: str
    figure: float
    bar: str = ''
    holds: bool | None = None


def at_least(name: str, figure: float, bar: float) -> Measure:
    """Return a measure that must not fall below its bar."""
    return Measure(name, figure, f'>= {bar:g}', figure >= bar)


def at_most(name: str, figure: float, bar: float) -> Measure:
    """Return a measure that must not exceed its bar."""
    return Measure(name, figure, f'<= {bar:g}', figure <= bar)


def between(name: str, figure: float, low: float, high: float) -> Measure:
    """Return a measure that must lie between two bars."""
    return Measure(name, figure, f'{low:.3g} to {high:.3g}', low <= figure <= high)


def lines_of(measures: Sequence[Measure]) -> list[str]:
    """Return the table as lines."""
    words = {True: 'yes', False: 'NO', None: ''}
    return aligned([('measure', 'figure', 'bar', 'holds'), *(
        (one.name, f'{one.figure:.4g}', one.bar, words[one.holds]) for one in measures)])


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows]
