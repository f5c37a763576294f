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


def lines_of(measures: Sequence[Measure]) -> list[str]:
    """Return the table as lines."""
    words = {True: 'yes', False: 'NO', None: ''}
    rows = [('measure', 'figure', 'bar', 'holds'),
            *((one.name, f'{one.figure:.4g}', one.bar, words[one.holds]) for one in measures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows]
