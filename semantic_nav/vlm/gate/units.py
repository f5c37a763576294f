"""The units in which numbers cross the wire: whole ones, named at the end of each field's name.

A grammar holds the bounds of whole numbers; those of others it may not hold (docs/models.md).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from semantic_nav.contracts.errors import GateError
from semantic_nav.contracts.fields import Angle, Fraction
from semantic_nav.contracts.hypothesis import GoalCoordinate
from semantic_nav.contracts.schemas import Json

#: How far beyond its bounds a number may lie, in canonical units; it is moved to the bound.
_TOLERANCE = 1e-3
#: Most that may be meant as so many of ten, or as radians by one who does not wrap them: what is
#: more under a canonical name is in the unit that was asked for.
_MOST_IN_DOUBT = 10
#: Most turns that are taken for one angle, in degrees.
_MOST_TURNS_DEG = 3600
#: Below this, centimetres with a fraction may be metres.
_LEAST_FRACTION_CM = 100


class WireError(GateError):
    """A part of a reply cannot be read, or may mean several things."""

    def __init__(self, path: str, message: str) -> None:
        """Say where in the reply it stands and what is wrong with it."""
        super().__init__(f'{path}: {message}')
        self.path = path
        self.message = message


@dataclass(frozen=True)
class Unit:
    """A unit of the wire.

    Attributes:
        name: the end of the names of its fields.
        per: how many of it are one of the canonical unit.
        low, high: its bounds.
    """

    name: str
    per: float
    low: int
    high: int

    def schema(self, kind: str) -> Json:
        """Return the schema of a number: `integer` is asked for, `number` accepted."""
        return {'type': kind, 'minimum': self.low, 'maximum': self.high}

    def wire_name(self, name: str) -> str:
        """Return what a canonical field is called on the wire."""
        return f'{name.removesuffix("_rad")}_{self.name}'


_PERCENT = Unit('percent', 100.0, 0, 100)
_DEGREES = Unit('deg', 180.0 / math.pi, -180, 180)
_CENTIMETRES = Unit('cm', 100.0, -1_000_000, 1_000_000)
#: By the type of the canonical field.
UNITS: Mapping[Any, Unit] = {Fraction: _PERCENT, Angle: _DEGREES, GoalCoordinate: _CENTIMETRES}


def as_asked(unit: Unit, value: float, canonical: bool) -> float | None:
    """Return a number in the unit that was asked for; None where it may mean several things.

    Args:
        unit: that was asked for.
        value: a finite number; one that was written with a point is a float.
        canonical: it stands under the canonical name, whose unit it may be in.
    """
    meant = _MEANT[unit.name](value, canonical)
    if meant is None:
        return None
    slack = _TOLERANCE * unit.per
    if unit.low - slack <= meant <= unit.high + slack:
        return min(max(meant, unit.low), unit.high)
    if unit is _DEGREES and abs(meant) <= _MOST_TURNS_DEG:
        return math.remainder(meant, 360.0)
    return meant


def _percent(value: float, canonical: bool) -> float | None:
    if -_TOLERANCE <= value <= 1 + _TOLERANCE and (canonical or type(value) is float):
        return value * _PERCENT.per
    return None if canonical and 0 <= value <= _MOST_IN_DOUBT else value


def _degrees(value: float, canonical: bool) -> float | None:
    if canonical and abs(value) <= 2 * math.pi + _TOLERANCE:
        return math.degrees(value)
    if canonical and not _MOST_IN_DOUBT < abs(value) <= 360:
        return None
    # Written with a point, a small one may be in radians.
    in_doubt = type(value) is float and 0 < abs(value) <= math.pi + _TOLERANCE
    return None if in_doubt and not canonical else value


def _centimetres(value: float, canonical: bool) -> float | None:
    if canonical:
        metres = abs(value) <= _CENTIMETRES.high
        return value * _CENTIMETRES.per if metres else None
    in_doubt = type(value) is float and 0 < abs(value) < _LEAST_FRACTION_CM
    return None if in_doubt else value


_MEANT = {'percent': _percent, 'deg': _degrees, 'cm': _centimetres}
