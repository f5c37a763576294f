"""Units in which numbers cross the wire: whole numbers, with the unit at the end of the name.

A grammar enforces the bounds of whole numbers, but not always of others (docs/models.md).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from semantic_nav.contracts.errors import GateError
from semantic_nav.contracts.fields import Angle, Fraction
from semantic_nav.contracts.hypothesis import GoalCoordinate
from semantic_nav.contracts.schemas import Json

#: Tolerance beyond the bounds, in canonical units; such a number is moved to the bound.
_TOLERANCE = 1e-3
#: Largest number under a canonical name that may be a mark out of ten, or unwrapped radians; a
#: larger one is in the unit asked for.
_MOST_IN_DOUBT = 10
#: Largest angle that is wrapped, in degrees.
_MOST_TURNS_DEG = 3600
#: Bound below which centimetres with a fraction may be metres.
_LEAST_FRACTION_CM = 100


class WireError(GateError):
    """A part of a reply cannot be read, or is ambiguous."""

    def __init__(self, path: str, message: str) -> None:
        """Keep the JSON path of the part, and its fault."""
        super().__init__(f'{path}: {message}')
        self.path = path
        self.message = message


@dataclass(frozen=True)
class Unit:
    """A unit of the wire.

    Attributes:
        name: suffix of the names of its fields.
        per: number of these units in one canonical unit.
        low, high: bounds in this unit.
    """

    name: str
    per: float
    low: int
    high: int

    def schema(self, kind: str) -> Json:
        """The schema of a number: `integer` is asked for, `number` accepted."""
        return {'type': kind, 'minimum': self.low, 'maximum': self.high}

    def wire_name(self, name: str) -> str:
        """The wire name of a canonical field."""
        return f'{name.removesuffix("_rad")}_{self.name}'


_PERCENT = Unit('percent', 100.0, 0, 100)
_DEGREES = Unit('deg', 180.0 / math.pi, -180, 180)
_CENTIMETRES = Unit('cm', 100.0, -1_000_000, 1_000_000)
#: Unit by the type of the canonical field.
UNITS: Mapping[Any, Unit] = {Fraction: _PERCENT, Angle: _DEGREES, GoalCoordinate: _CENTIMETRES}


def as_asked(unit: Unit, value: float, canonical: bool) -> float | None:
    """A number in the unit asked for; None if it is ambiguous.

    Args:
        unit: unit that was asked for.
        value: finite number; a float if it was written with a point.
        canonical: true under the canonical name, so that the unit may be canonical too.
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
    # A small number written with a point may be in radians.
    in_doubt = type(value) is float and 0 < abs(value) <= math.pi + _TOLERANCE
    return None if in_doubt and not canonical else value


def _centimetres(value: float, canonical: bool) -> float | None:
    if canonical:
        metres = abs(value) <= _CENTIMETRES.high
        return value * _CENTIMETRES.per if metres else None
    in_doubt = type(value) is float and 0 < abs(value) < _LEAST_FRACTION_CM
    return None if in_doubt else value


_MEANT = {'percent': _percent, 'deg': _degrees, 'cm': _centimetres}
